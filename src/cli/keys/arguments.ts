import { parseArgs } from 'node:util';
import { StartError } from '../../errors.ts';
import { formatInstant, parseDuration, parseInstant } from '../../files/durations.ts';

const summary = 'The command has problems';

type Options = Readonly<Record<string, { readonly type: 'string'; readonly multiple?: boolean }>>;

/** A command that cannot be read: how commands are written helps more than one message. */
export class UsageError extends StartError {
  constructor(message: string) {
    super(summary, [{ message }]);
  }
}

/** The options and words of a command. @throws StartError, as everything here does */
export function parseCommand<const T extends Options>(command: string, args: readonly string[], options: T) {
  const config = { args: [...args], options, allowPositionals: true } as const;
  // Looked at before parseArgs does, whose refusals are about its own options.
  for (const token of parseArgs({ ...config, strict: false, tokens: true }).tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    if (!Object.hasOwn(options, name)) throw new UsageError(`${rawName}: is no option of ${command}`);
    if (value === undefined) throw new UsageError(`${rawName}: its value is missing`);
    if (!inlineValue && value.startsWith('-')) {
      throw new UsageError(
        `${rawName}: its value is missing; one that begins with - is written ${rawName}=${value}`,
      );
    }
  }
  return parseArgs(config);
}

export function onlyId(positionals: readonly string[]): string {
  const [id, ...more] = positionals;
  if (id === undefined || more.length > 0) throw new UsageError('give the id of one key; list tells them');
  return id;
}

export function noMore([first]: readonly string[]): void {
  if (first !== undefined) throw new UsageError(`${quote(first)} belongs to no option`);
}

/** Values that are given one by one: a comma would make them one that nobody has. */
export function checkEach(option: string, values: readonly string[] = []): void {
  const joined = values.find((value) => value.includes(','));
  if (joined === undefined) return;
  throw wrongCommand(`${option}: got ${quote(joined)}; must be one: give ${option} twice, once for each`);
}

export function parseAmount(option: string, text: string | undefined): number | undefined {
  if (text === undefined || /^[1-9]\d{0,8}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw wrongCommand(`${option}: got ${quote(text)}; must be a whole number from 1`);
}

/** @returns milliseconds */
export function parseLength(option: string, text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  throw wrongCommand(`${option}: got ${quote(text)}; must be as in 7d, 24h or 30m`);
}

/** A moment to come. */
export function parseFuture(option: string, text: string | undefined, now: Date): Date | undefined {
  if (text === undefined) return undefined;
  const moment = parseInstant(text, now);
  if (moment === undefined) {
    throw wrongCommand(`${option}: got ${quote(text)}; must be as in 90d, 12h or 2027-01-31T00:00:00Z`);
  }
  if (moment <= now) throw wrongCommand(`${option}: ${formatInstant(moment)} is past`);
  return moment;
}

export function quote(text: string): string {
  return JSON.stringify(text);
}

export function wrongCommand(message: string): StartError {
  return new StartError(summary, [{ message }]);
}
