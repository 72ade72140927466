import { StartError } from '../errors.ts';
import { formatInstant, parseDuration, parseInstant } from '../files/durations.ts';

/** A command whose arguments are invalid. */
export function commandError(message: string): StartError {
  return new StartError('The command has problems', [{ message }]);
}

/** Rejects commas: several values are given by repeating the option. */
export function checkSingleValues(option: string, values: readonly string[] = []): void {
  const joined = values.find((value) => value.includes(','));
  if (joined === undefined) return;
  const example = joined.split(',').map((value) => `${option} ${value.trim()}`);
  throw commandError(
    `${option}: got ${JSON.stringify(joined)}; takes one value, repeat it for several: ${example.join(' ')}`,
  );
}

export function parseCount(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw commandError(`${option}: got ${JSON.stringify(text)}; must be a whole number from 1`);
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
