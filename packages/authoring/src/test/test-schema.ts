import { didYouMean } from '@querygate/text';
import { z } from 'zod';
import type { ErrorCode } from 'querygate';
import { parseTimestamp, statusOf } from 'querygate/catalog';

const scalar = z.union([z.string(), z.number(), z.boolean()], {
  error: 'must be text, a number, true or false',
});

const moment = z
  .string({ error: 'must be an ISO 8601 timestamp, as in 2026-01-31T12:00:00Z' })
  .refine(
    (text) => parseTimestamp(text) !== undefined,
    'must be an ISO 8601 timestamp, as in 2026-01-31T12:00:00Z',
  );

/** The option `error` of a list or an object: a value of another type is answered with the form of the right one. */
const must =
  (be: string) =>
  ({ code, input }: { readonly code?: string | undefined; readonly input?: unknown }): string | undefined =>
    code === 'invalid_type' && input !== undefined ? `must be ${be}` : undefined;

const row = z.record(z.string(), z.unknown(), { error: must('a row, as in { status: 200 }') });

/** The rows of a table: in the file itself, or in a data file beside it. */
const tableRows = z.union([z.array(row), z.strictObject({ file: z.string().min(1) })], {
  error: 'must be a list of rows, or file: and the name of a data file',
});

const expectedError = z.union(
  [
    z.enum(Object.keys(statusOf) as [ErrorCode, ...ErrorCode[]]),
    z.strictObject({
      code: z.enum(Object.keys(statusOf) as [ErrorCode, ...ErrorCode[]]),
      message: z.string().optional().describe('A part of the message.'),
      parameter: z.string().optional(),
    }),
  ],
  {
    error: ({ input }) =>
      `must be the code of an error, such as INVALID_PARAMETER, or an object with code and message${typeof input === 'string' ? didYouMean(input, Object.keys(statusOf)) : ''}`,
  },
);

const expected = {
  rows: z.array(row, { error: must('a list of rows, as in [{ status: 200 }]') }).optional(),
  match: z
    .enum(['exact', 'subset'])
    .optional()
    .describe('subset: other rows, and columns that are not listed, are ignored.'),
  order: z.enum(['exact', 'any']).optional(),
  count: z.int().min(0).optional().describe('How many rows are returned.'),
  truncated: z.boolean().optional().describe('Whether rows are cut off at max_rows.'),
  error: expectedError.optional(),
  asserts: z.string().optional().describe('ASSERT statements, which must hold for the rows of the test.'),
};

const expectation = z
  .strictObject(expected, { error: must('an object, as in { rows: [{ status: 200 }] }') })
  .refine(
    ({ error, ...others }) =>
      error === undefined || Object.values(others).every((value) => value === undefined),
    'an error excludes rows and asserts, and count, truncated, match and order',
  );

const shared = {
  approximate: z
    .array(z.string())
    .optional()
    .describe('Columns of approximate aggregates, which are not compared on BigQuery.'),
  now: moment.optional().describe('The value of CURRENT_TIMESTAMP().'),
  tenant: z.string().optional().describe('The only tenant whose rows the caller may read.'),
  parameters: z
    .record(z.string(), z.union([scalar, z.array(scalar)]), {
      error: must('an object, as in { project: abc }'),
    })
    .optional(),
  tables: z
    .record(z.string(), tableRows, { error: must('an object, as in { web: [{ status: 200 }] }') })
    .optional(),
};

const test = z.strictObject({
  name: z.string().trim().min(1, 'must not be empty'),
  ...shared,
  expect: expectation.optional(),
});

const fileShape = {
  ...shared,
  tests: z
    .array(test, { error: must('a list, as in [{ name: first, expect: { rows: [] } }]') })
    .min(1, 'must list at least one test'),
};

/** The tests of one saved query: `queries/tests/<name>.yaml`. */
export const testFileSchema = z.strictObject(fileShape, {
  error: must('an object, as in { tests: [{ name: first, expect: { rows: [] } }] }'),
});

/** The content of a file of tests. */
export type TestFileData = z.output<typeof testFileSchema>;
