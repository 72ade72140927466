import { z } from 'zod';
import { parseTimestamp } from '../../files/timestamps.ts';

export const permissions = ['fresh', 'catalog'] as const;

export type Permission = (typeof permissions)[number];

/** What is no text is told so; what is not there, or has no value in YAML, is told to be missing. */
const text = (right: string) => z.string({ error: ({ input }) => (input == null ? 'is missing' : right) });

const line = (longest: number) =>
  text('must be text; in YAML, quote what looks like a number')
    .min(1, 'must not be empty')
    .max(longest, `must be at most ${longest} characters`)
    .refine((text) => !/\p{Cc}/u.test(text) && text.isWellFormed(), 'must be one line of Unicode');

const lines = (longest: number) =>
  z
    .array(line(longest))
    .min(1, 'must list at least one; leave it out where everything is allowed')
    .optional();

const moment = z
  .string('must be an ISO 8601 timestamp, as in 2027-01-31T12:00:00Z')
  .transform((text, context) => {
    const parsed = parseTimestamp(text);
    if (parsed !== undefined) return new Date(parsed);
    context.addIssue('must be an ISO 8601 timestamp, as in 2027-01-31T12:00:00Z');
    return z.NEVER;
  });

const amount = (most: number) => z.int().min(1).max(most).optional();

/** One key as the file has it: what its holder may do, and no secret. */
const keyEntry = z.strictObject({
  id: text('must be text').regex(/^[0-9a-z]{8}$/, 'must be 8 lowercase letters and digits'),
  name: line(100),
  /** Of the key's whole text, in hexadecimal. */
  sha256: text('must be text').regex(/^[0-9a-f]{64}$/, 'must be 64 lowercase hexadecimal digits'),
  /** Names or UUIDs; absent: all. */
  endpoints: lines(200),
  /** The only tenants whose rows it reads; absent: all. */
  projects: lines(200),
  /** The first moment at which it is none any more. */
  expires: moment.optional(),
  rate: z
    .strictObject({ requests_per_minute: amount(1_000_000), concurrent_queries: amount(10_000) })
    .optional(),
  permissions: z.array(z.enum(permissions)).default([]),
  /** When it was taken back, and so is none any more. */
  revoked: moment.optional(),
});

/** @see docs/keys-and-tenants.md "The key file" */
export const keyFileSchema = z.strictObject({ keys: z.array(keyEntry) });

export type KeyEntry = z.output<typeof keyEntry>;
/** The same as it is written. */
export type KeyInput = z.input<typeof keyEntry>;
