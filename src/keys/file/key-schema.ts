import { z } from 'zod';
import { budgetSchema } from '../../config/budget.ts';
import { isAddressRange } from '../../config/address-list.ts';
import { asIn, otherWords } from '../../files/schema-problems.ts';
import { parseTimestamp } from '../../files/timestamps.ts';
import { type Permission, permissions } from '../principal.ts';

/**
 * The properties that bound a key. A bound that is absent allows everything; the words `all`, `never` and `unlimited`
 * say the same on purpose, as a reload requires of a bound that a key loses.
 */
export const bounds = [
  'endpoints',
  'tenants',
  'allow',
  'expires',
  'requests_per_minute',
  'concurrent_queries',
  'budget',
  'revoked',
] as const;

export type Bound = (typeof bounds)[number];

/** The word that says that a key does not have a bound. */
export const unboundedWord = {
  endpoints: 'all',
  tenants: 'all',
  allow: 'all',
  expires: 'never',
  requests_per_minute: 'unlimited',
  concurrent_queries: 'unlimited',
  budget: 'unlimited',
  revoked: 'never',
} as const satisfies Record<Bound, string>;

/** Text; an absent key, or one without a value in YAML, is reported as missing. */
const text = (message: string) =>
  z.string({ error: ({ input }) => (input == null ? 'is missing' : message) });

const line = (maxLength: number) =>
  text('must be text; in YAML, quote what looks like a number')
    .min(1, 'must not be empty')
    .max(maxLength, `must be at most ${maxLength} characters`)
    .refine((text) => !/\p{Cc}/u.test(text) && text.isWellFormed(), 'must be one line of Unicode');

/** A value, or the word for none: problems are those of the value. */
const orWord = <T extends z.ZodType>(word: string, value: T) =>
  z.preprocess((input) => (input === word ? undefined : input), value.optional()).optional();

const lines = (one: z.ZodType<string>, example: string) =>
  orWord(
    'all',
    z
      .array(one, `must be a list, as in [${example}], or all`)
      .min(1, 'must list at least one; write all, or omit it, to allow all'),
  );

const timestamp = z
  .string('must be an ISO 8601 timestamp, as in 2027-01-31T12:00:00Z')
  .transform((text, context) => {
    const parsed = parseTimestamp(text);
    if (parsed !== undefined) return new Date(parsed);
    context.addIssue('must be an ISO 8601 timestamp, as in 2027-01-31T12:00:00Z');
    return z.NEVER;
  });

const limit = (maximum: number) => orWord('unlimited', z.int().min(1).max(maximum));

const rateShape = {
  requests_per_minute: limit(1_000_000),
  concurrent_queries: limit(10_000),
};

/** The requests of a key: how many in a minute, how many queries at once. */
export const rateSchema = z.strictObject(rateShape, { error: asIn('{ requests_per_minute: 600 }') });

/** The limits of a budget. */
export const budgetLimits = ['bytes_per_day', 'slot_time_per_day', 'rate'] as const;

/** A budget in which limits may have the word: they stay as members without a value. */
const keyBudget = z.preprocess((input) => {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  const given = input as Readonly<Record<string, unknown>>;
  const words = budgetLimits.filter((limit) => given[limit] === 'unlimited');
  return { ...given, ...Object.fromEntries(words.map((limit) => [limit, undefined])) };
}, budgetSchema);

/** The name of a tenant, as callers send it. */
export const tenantSchema = line(200);

const range = line(50).refine(isAddressRange, 'must be an IP address or a range, as in 10.0.0.0/8');

const inRate = 'it belongs inside of rate';

/** Words of other programs for the properties of a key. */
const wordsOfKey = {
  ip: 'allow',
  ips: 'allow',
  address: 'allow',
  addresses: 'allow',
  queries: 'endpoints',
  roles: 'permissions',
  scopes: 'permissions',
  hash: 'sha256',
  requests_per_minute: inRate,
  concurrent_queries: inRate,
};

/** One key of the file: its permissions and limits, without the secret. */
const keyShape = {
  id: text('must be text').regex(/^[0-9a-z]{8}$/, 'must be 8 lowercase letters and digits'),
  name: line(100),
  /** Hash of the key's whole text, in hexadecimal. */
  sha256: text('must be text').regex(/^[0-9a-f]{64}$/, 'must be 64 lowercase hexadecimal digits'),
  /** Names or UUIDs; absent: all. */
  endpoints: lines(line(200), 'logs.all'),
  /** The only tenants whose rows the key can read; absent: all. */
  tenants: lines(tenantSchema, 'acme'),
  /** The only addresses from which the key may be sent; absent: all. */
  allow: lines(range, '10.0.0.0/8'),
  /** The first instant at which the key is not valid. */
  expires: orWord('never', timestamp),
  rate: orWord('unlimited', rateSchema),
  /** The most that runs for it may cost. */
  budget: orWord('unlimited', keyBudget),
  permissions: z.array(z.enum(permissions), 'must be a list, as in [fresh, sql]').default([]),
  /** When the key was revoked; a revoked key is not valid. */
  revoked: orWord('never', timestamp),
};

const keyFields = z.strictObject(keyShape, { error: otherWords(wordsOfKey) });

const keyEntry = keyFields.transform((fields): KeyEntry => ({ ...fields, stated: statedBounds(fields) }));

/** The bounds that an entry has, or says that it does not have. */
function statedBounds(fields: z.output<typeof keyFields>): readonly Bound[] {
  const names = new Set([...Object.keys(fields), ...Object.keys(fields.rate ?? {})]);
  // The word `unlimited` in place of both limits.
  const isUnlimited = names.has('rate') && fields.rate === undefined;
  return bounds.filter((bound) => names.has(bound) || (isUnlimited && rateBounds.includes(bound)));
}

const rateBounds: readonly Bound[] = ['requests_per_minute', 'concurrent_queries'];

/**
 * The whole file. `count` is the number of keys; in YAML it comes last, so that a file that is cut is not taken for a
 * shorter one.
 *
 * @see docs/keys-and-tenants.md "The key file"
 */
export const keyFileSchema = z.strictObject({ keys: z.array(keyEntry), count: z.int().min(0).optional() });

/** One key of the file as the gateway uses it. */
export interface KeyEntry {
  readonly id: string;
  readonly name: string;
  readonly sha256: string;
  readonly endpoints?: readonly string[] | undefined;
  readonly tenants?: readonly string[] | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly expires?: Date | undefined;
  readonly rate?: z.output<typeof rateSchema> | undefined;
  readonly budget?: z.output<typeof budgetSchema> | undefined;
  readonly permissions: readonly Permission[];
  readonly revoked?: Date | undefined;
  readonly stated: readonly Bound[];
}

/** An entry as it is written. */
export interface KeyInput {
  readonly id: string;
  readonly name: string;
  readonly sha256: string;
  readonly endpoints?: readonly string[] | 'all';
  readonly tenants?: readonly string[] | 'all';
  readonly allow?: readonly string[] | 'all';
  readonly expires?: string;
  readonly rate?:
    | {
        readonly requests_per_minute?: number | 'unlimited';
        readonly concurrent_queries?: number | 'unlimited';
      }
    | 'unlimited';
  readonly budget?: z.input<typeof budgetSchema> | 'unlimited';
  readonly permissions?: readonly Permission[];
  readonly revoked?: string;
}
