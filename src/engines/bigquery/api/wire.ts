import { z } from 'zod';

/** One column or nested field of a result, as BigQuery's REST API describes it. */
export interface WireField {
  readonly name: string;
  readonly type: string;
  readonly mode?: string | undefined;
  readonly fields?: readonly WireField[] | undefined;
}

/** Absent and null mean the same to BigQuery's servers, and to emulators. */
export const optional = <T extends z.ZodType>(type: T) =>
  type.nullish().transform((value) => value ?? undefined);

const field: z.ZodType<WireField> = z.object({
  name: z.string(),
  type: z.string(),
  mode: optional(z.string()),
  get fields() {
    return optional(z.array(field));
  },
});

const errorProto = z.object({ reason: optional(z.string()), message: optional(z.string()) });

/** BigQuery writes 64-bit numbers as strings. */
export const count = z.union([z.string(), z.number()]).transform(Number).pipe(z.number());

/**
 * The fields that are used from replies to jobs.query and jobs.getQueryResults.
 *
 * @see https://cloud.google.com/bigquery/docs/reference/rest/v2/jobs/query#response-body
 */
export const queryReply = z.object({
  jobComplete: optional(z.boolean()),
  jobReference: optional(z.object({ jobId: optional(z.string()), location: optional(z.string()) })),
  schema: optional(z.object({ fields: z.array(field) })),
  /** Each cell is checked when it is decoded. */
  rows: optional(z.array(z.unknown())),
  /** In the whole result, not in this page. */
  totalRows: optional(count),
  pageToken: optional(z.string()).transform((token) => token || undefined),
  errors: optional(z.array(errorProto)),
  totalBytesProcessed: optional(count),
  totalBytesBilled: optional(count),
  totalSlotMs: optional(count),
  cacheHit: optional(z.boolean()),
});

export type QueryReply = z.output<typeof queryReply>;

/** The fields that are used from the reply to a dry run by jobs.insert. */
export const dryJobReply = z.object({
  statistics: z.object({
    totalBytesProcessed: optional(count),
    query: optional(
      z.object({
        statementType: optional(z.string()),
        schema: optional(z.object({ fields: z.array(field) })),
      }),
    ),
  }),
});

/** A reply with a status of 400 or more. OAuth servers send a string for `error`, which does not match. */
export const errorReply = z.object({
  error: z.object({
    message: optional(z.string()),
    /** As in `RESOURCE_EXHAUSTED`: the form of errors of the servers before BigQuery's, which have no `errors`. */
    status: optional(z.string()),
    errors: optional(z.array(errorProto)),
  }),
});
