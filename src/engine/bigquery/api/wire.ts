import { z } from 'zod';

/** One column or nested field of a result, as BigQuery's REST API describes it. */
export interface WireField {
  readonly name: string;
  readonly type: string;
  readonly mode?: string | undefined;
  readonly fields?: readonly WireField[] | undefined;
}

const field: z.ZodType<WireField> = z.object({
  name: z.string(),
  type: z.string(),
  mode: z.string().optional(),
  get fields() {
    return z.array(field).optional();
  },
});

const errorProto = z.object({ reason: z.string().optional(), message: z.string().optional() });

// Absent, null and empty mean the same to BigQuery's servers, and to those that speak like them.
export const optional = <T extends z.ZodType>(type: T) =>
  type.nullish().transform((value) => value ?? undefined);

/** BigQuery writes 64-bit counts as strings. */
export const count = z.union([z.string(), z.number()]).transform(Number).pipe(z.number());

/**
 * What jobs.query and jobs.getQueryResults answer, as far as we read it.
 *
 * @see https://cloud.google.com/bigquery/docs/reference/rest/v2/jobs/query#response-body
 */
export const queryReply = z.object({
  jobComplete: optional(z.boolean()),
  jobReference: optional(z.object({ jobId: optional(z.string()), location: optional(z.string()) })),
  schema: optional(z.object({ fields: z.array(field) })),
  /** Checked cell by cell when they are decoded. */
  rows: optional(z.array(z.unknown())),
  /** Of the whole result, not of this page. */
  totalRows: optional(count),
  pageToken: optional(z.string()).transform((token) => token || undefined),
  errors: optional(z.array(errorProto)),
  totalBytesProcessed: optional(count),
  totalBytesBilled: optional(count),
  totalSlotMs: optional(count),
  cacheHit: optional(z.boolean()),
});

export type QueryReply = z.output<typeof queryReply>;

/** What jobs.insert answers to a dry run, as far as we read it. */
export const dryJobReply = z.object({
  statistics: z.object({
    totalBytesProcessed: optional(count),
    query: optional(z.object({ schema: optional(z.object({ fields: z.array(field) })) })),
  }),
});

/** What BigQuery answers with a status of 400 or more; OAuth servers give a bare word for `error`. */
export const errorReply = z.object({
  error: z.object({ message: z.string().optional(), errors: z.array(errorProto).optional() }),
});
