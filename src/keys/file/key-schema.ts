import { z } from 'zod';
import { parseTimestamp } from '../../files/timestamps.ts';

export const permissions = ['fresh', 'catalog', 'metrics'] as const;

export type Permission = (typeof permissions)[number];

/** Text; an absent key, or one without a value in YAML, is reported as missing. */
const text = (message: string) =>
  z.string({ error: ({ input }) => (input == null ? 'is missing' : message) });

const line = (maxLength: number) =>
  text('must be text; in YAML, quote what looks like a number')
    .min(1, 'must not be empty')
    .max(maxLength, `must be at most ${maxLength} characters`)
    .refine((text) => !/\p{Cc}/u.test(text) && text.isWellFormed(), 'must be one line of Unicode');

const lines = (maxLength: number) =>
  z.array(line(maxLength)).min(1, 'must list at least one; omit it to allow all').optional();

const timestamp = z
  .string('must be an ISO 8601 timestamp, as in 2027-01-31T12:00:00Z')
  .transform((text, context) => {
    const parsed = parseTimestamp(text);
    if (parsed !== undefined) return new Date(parsed);
    context.addIssue('must be an ISO 8601 timestamp, as in 2027-01-31T12:00:00Z');
    return z.NEVER;
  });

const limit = (maximum: number) => z.int().min(1).max(maximum).optional();

/** One key of the file: its permissions and limits, without the secret. */
const keyEntry = z.strictObject({
  id: text('must be text').regex(/^[0-9a-z]{8}$/, 'must be 8 lowercase letters and digits'),
  name: line(100),
  /** Hash of the key's whole text, in hexadecimal. */
  sha256: text('must be text').regex(/^[0-9a-f]{64}$/, 'must be 64 lowercase hexadecimal digits'),
  /** Names or UUIDs; absent: all. */
  endpoints: lines(200),
  /** The only tenants whose rows the key can read; absent: all. */
  projects: lines(200),
  /** The first instant at which the key is not valid. */
  expires: timestamp.optional(),
  rate: z
    .strictObject({ requests_per_minute: limit(1_000_000), concurrent_queries: limit(10_000) })
    .optional(),
  permissions: z.array(z.enum(permissions)).default([]),
  /** When the key was revoked; a revoked key is not valid. */
  revoked: timestamp.optional(),
});

/** @see docs/keys-and-tenants.md "The key file" */
export const keyFileSchema = z.strictObject({ keys: z.array(keyEntry) });

export type KeyEntry = z.output<typeof keyEntry>;
/** An entry as it is written. */
export type KeyInput = z.input<typeof keyEntry>;
