import { z } from 'zod';
import { timeUnits } from './time-units.ts';

/** A limit of what runs may cost: a bucket that refills evenly, or a cap of a calendar day. */
export interface BudgetLimit {
  readonly name: 'bytes_per_day' | 'slot_time_per_day' | 'rate';
  /** Of the amount: bytes that are billed, or milliseconds of one slot. */
  readonly unit: 'bytes' | 'slotMs';
  /** That of a day, or all that a bucket holds. */
  readonly amount: number;
  /** How much a bucket gets in a millisecond; 0 for a day. */
  readonly perMs: number;
}

/** Bounds of what runs may cost. */
export interface Budget {
  readonly limits: readonly BudgetLimit[];
  /** True if it only counts. */
  readonly isTracking: boolean;
}

const sizes: Readonly<Record<string, number>> = {
  ...{ B: 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 },
  ...{ KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 },
};

// Without flags, for its JSON Schema; beyond 9 PB numbers are not exact.
const size = /^[1-9][0-9]{0,5} ?(B|KB|MB|GB|TB|KiB|MiB|GiB|TiB)$/;
const time = /^[1-9][0-9]{0,5} ?(s|m|h|d)$/;
const amount = /^[1-9][0-9]{0,5} ?(B|KB|MB|GB|TB|KiB|MiB|GiB|TiB|s|m|h|d)$/;
const speed = /^[1-9][0-9]{0,5} ?(B|KB|MB|GB|TB|KiB|MiB|GiB|TiB|s|m|h|d)\/(s|m|h|d)$/;

const sizeUnits = 'a whole number of B, KB, MB, GB, TB, KiB, MiB, GiB or TiB';
const slotUnits = 'a whole number of s, m, h or d';
const anyUnits = `${sizeUnits}, or of s, m, h or d`;

const longestFillMs = 1_000 * 365 * (timeUnits.d ?? 0);

const text = (pattern: RegExp, right: string) =>
  z.string(`must be ${right}`).regex(pattern, {
    error: ({ input }) =>
      `must be ${right}${new RegExp(pattern, 'i').test(String(input)) ? ', in upper and lower case as here' : ''}`,
  });

/** A budget as headers of queries, keys, tokens and settings have it. */
export const budgetSchema = z
  .strictObject(
    {
      bytes_per_day: text(size, `a size, as in 100MB: ${sizeUnits}`).optional(),
      slot_time_per_day: text(time, `a time of one slot, as in 2h: ${slotUnits}`).optional(),
      rate: text(speed, `an amount in a time, as in 10GB/h, or 30m/h of slots: ${anyUnits}`).optional(),
      burst: text(amount, `an amount, as in 20GB: ${anyUnits}`).optional(),
      tracking: z.boolean('must be true or false').optional(),
    },
    {
      error: ({ code }) =>
        code === 'invalid_type' ? 'must be limits, as in { bytes_per_day: 100MB }' : undefined,
    },
  )
  .refine(
    ({ bytes_per_day, slot_time_per_day, rate }) => bytes_per_day ?? slot_time_per_day ?? rate,
    'must have bytes_per_day, slot_time_per_day or rate',
  )
  .refine(({ rate, burst }) => burst === undefined || rate !== undefined, {
    path: ['burst'],
    message: 'needs a rate, at which it refills',
  })
  .refine(
    ({ rate = '', burst = '' }) =>
      !isBucket(rate, burst) || isTime(burst) === isTime(rate.split('/')[0] ?? ''),
    {
      path: ['burst'],
      message: 'must be of the kind of rate: both sizes, or both times',
    },
  )
  .refine(
    ({ rate = '', burst = '' }) => !isBucket(rate, burst) || fillMs(bucketOf(rate, burst)) <= longestFillMs,
    {
      path: ['burst'],
      message: 'must be filled by rate within 1,000 years',
    },
  );

/** A budget as it is written, as in `{ bytes_per_day: '1TB' }`. */
export type BudgetInput = z.input<typeof budgetSchema>;

/** The limits of a budget that `optionRule.budget` has accepted; one that is parsed stays as it is. */
export const budgetOf = (given: Budget | BudgetInput): Budget =>
  isBudget(given) ? given : toBudget(budgetSchema.parse(given));

/** Says what is wrong with a budget of an option, if something is. */
export function budgetProblem(given: unknown): string | undefined {
  if (isBudget(given)) return undefined;
  const { error } = budgetSchema.safeParse(given);
  const messages = error?.issues.map((issue) => {
    const what = issue.code === 'unrecognized_keys' ? `unknown: ${issue.keys.join(', ')}` : issue.message;
    return [...issue.path, what].join(': ');
  });
  return messages?.join('; ');
}

/** True for one that is parsed. */
function isBudget(given: unknown): given is Budget {
  const { limits, isTracking } = given as Partial<Budget>;
  return (
    typeof isTracking === 'boolean' &&
    Array.isArray(limits) &&
    limits.every(
      (limit: Partial<BudgetLimit> | null) =>
        ['bytes_per_day', 'slot_time_per_day', 'rate'].includes(limit?.name ?? '') &&
        ['bytes', 'slotMs'].includes(limit?.unit ?? '') &&
        Number.isFinite(limit?.amount) &&
        Number.isFinite(limit?.perMs),
    )
  );
}

/** @param given that the schema has accepted */
export function toBudget(given: z.output<typeof budgetSchema>): Budget {
  const { bytes_per_day, slot_time_per_day, rate, burst, tracking } = given;
  const day = (name: BudgetLimit['name'], given: string | undefined) =>
    given === undefined ? [] : [{ name, unit: unitOf(given), amount: amountOf(given), perMs: 0 }];
  return {
    limits: [
      ...day('bytes_per_day', bytes_per_day),
      ...day('slot_time_per_day', slot_time_per_day),
      ...(rate === undefined ? [] : [bucketOf(rate, burst)]),
    ],
    isTracking: tracking ?? false,
  };
}

/** Without `burst` it holds what comes in an hour. */
function bucketOf(rate: string, burst: string | undefined): BudgetLimit {
  const [given = '', per = ''] = rate.split('/');
  const perMs = amountOf(given) / (timeUnits[per] ?? 1);
  const amount = burst === undefined ? perMs * (timeUnits.h ?? 0) : amountOf(burst);
  return { name: 'rate', unit: unitOf(given), amount, perMs };
}

/** True if both are written rightly. */
const isBucket = (rate: string, burst: string): boolean => speed.test(rate) && amount.test(burst);

const fillMs = ({ amount, perMs }: BudgetLimit): number => amount / perMs;

const unitName = (given: string) => /[A-Za-z]+$/.exec(given)?.[0] ?? '';

const isTime = (given: string) => unitName(given) in timeUnits;

const unitOf = (given: string): BudgetLimit['unit'] => (isTime(given) ? 'slotMs' : 'bytes');

const amountOf = (given: string): number =>
  Number.parseInt(given, 10) * (sizes[unitName(given)] ?? timeUnits[unitName(given)] ?? 0);

/** A budget in one line, as a setting has it: `bytes_per_day: 1TB, rate: 100GB/h`. @returns undefined if it is not one */
export function parseBudget(line: string): Budget | undefined {
  const parsed = budgetSchema.safeParse(membersOf(line));
  return parsed.success ? toBudget(parsed.data) : undefined;
}

/** Says what is right for a budget in one line, and what is wrong with its members. */
export function budgetLineProblem(line: string): string {
  const given = membersOf(line);
  const cause = given && budgetProblem(given);
  return `must be limits, as in bytes_per_day: 1TB, or rate: 100GB/h, burst: 1TB${cause === undefined ? '' : ` (${cause})`}`;
}

function membersOf(line: string): Readonly<Record<string, unknown>> | undefined {
  const pairs = line
    .replace(/^\s*\{(.*)\}\s*$/, '$1')
    .split(',')
    .map((pair) => pair.split(':').map((part) => part.trim()));
  if (pairs.some(({ length }) => length !== 2)) return undefined;
  const typed = (name: string, value = '') =>
    name === 'tracking' && /^(?:true|false)$/.test(value) ? value === 'true' : value;
  const given = pairs.map(([name = '', value]) => [name, typed(name, value)]);
  return new Set(given.map(([name]) => name)).size < given.length ? undefined : Object.fromEntries(given);
}
