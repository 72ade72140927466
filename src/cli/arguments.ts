import { parseArgs } from 'node:util';
import { StartError } from '../errors.ts';
import { formatInstant, parseDuration, parseInstant } from '../files/durations.ts';

/** A command line whose options or arguments are invalid. */
export function commandError(message: string): StartError {
  return new StartError('The command has problems', [{ message }]);
}

/** A command line of the wrong form: the command prints its usage too. */
export class UsageError extends StartError {
  constructor(message: string) {
    super('The command has problems', [{ message }]);
  }
}

type Options = Readonly<Record<string, { readonly type: 'string'; readonly multiple?: boolean }>>;

/** Parses options. @throws UsageError for unknown options, missing values and other arguments */
export function parseOptions<const T extends Options>(args: readonly string[], options: T) {
  return parse({ args: [...args], options }).values;
}

/** Parses options and one argument, the id of a key. @throws UsageError */
export function parseIdAndOptions<const T extends Options>(args: readonly string[], options: T) {
  const { values, positionals } = parse({ args: [...args], options, allowPositionals: true });
  const [id, ...more] = positionals;
  if (id === undefined || more.length > 0)
    throw new UsageError('expected the id of one key; list shows all ids');
  return { id, values };
}

const parse: typeof parseArgs = (config) => {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new UsageError((error as Error).message.replaceAll('\n', ' '));
  }
};

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
