import { commandError } from '../../author/arguments.ts';
import { formatInstant, parseDuration, parseInstant } from '../../files/durations.ts';

/** Rejects commas: several values are given by repeating the option. */
export function checkSingleValues(option: string, values: readonly string[] = []): void {
  const joined = values.find((value) => value.includes(','));
  if (joined === undefined) return;
  const example = joined.split(',').map((value) => `${option} ${value.trim()}`);
  throw commandError(
    `${option}: got ${JSON.stringify(joined)}; takes one value, repeat it for several: ${example.join(' ')}`,
  );
}

/** Rejects `all`, which would bind the key to something of this name. */
export function checkBound(option: string, values: readonly string[] = []): void {
  if (values.includes('all'))
    throw commandError(`${option}: got "all"; leave it out for all ${option.slice(2)}s`);
}

/** @returns milliseconds */
export function parseDurationOption(option: string, text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  throw commandError(`${option}: got ${JSON.stringify(text)}; must be a duration, as in 7d, 24h or 30m`);
}

/** Parses an instant in the future. */
export function parseFuture(option: string, text: string | undefined, now: Date): Date | undefined {
  if (text === undefined) return undefined;
  const instant = parseInstant(text, now);
  if (instant === undefined) {
    throw commandError(
      `${option}: got ${JSON.stringify(text)}; must be as in 90d, 12h or 2027-01-31T00:00:00Z`,
    );
  }
  if (instant <= now) throw commandError(`${option}: ${formatInstant(instant)} is in the past`);
  return instant;
}
