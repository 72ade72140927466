import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { exampleParameters } from '../../catalog/example-parameters.ts';
import type { SavedQuery } from '../../catalog/saved-query.ts';
import type { Config } from '../../config.ts';
import { GatewayError, type Problem } from '../../errors.ts';
import type { QueryCheck } from '../engine.ts';
import { ask } from './api/call-api.ts';
import type { Client } from './api/client.ts';
import { EngineFailure } from './api/errors.ts';
import { dryJobReply, type QueryReply, queryReply } from './api/wire.ts';
import { schemaMisfits } from './check-columns.ts';
import { openLimit } from './deadline.ts';
import { queryBody } from './query-body.ts';

export interface CheckContext {
  readonly client: Client;
  readonly config: Config;
  /** Aborted when nobody wants to know any longer. */
  readonly signal: AbortSignal;
  /** The most that a query may read; without it BIGQUERY_MAXIMUM_BYTES_BILLED is. */
  readonly maximumBytes?: number | undefined;
}

type DryRun = Pick<QueryReply, 'schema' | 'totalBytesProcessed'>;

/** Has BigQuery look at a saved query without running it: its tables, its columns and the bytes it would read. */
export async function checkQuery(query: SavedQuery, context: CheckContext): Promise<QueryCheck> {
  try {
    const reply = await dryRun({ query, parameters: exampleParameters(query) }, context);
    const problems = [...misfits(query, reply), ...tooMuch(reply, context)];
    return {
      query,
      bytesProcessed: reply.totalBytesProcessed,
      problems: problems.map((message) => ({ ...query.source, message })),
    };
  } catch (error) {
    return { query, bytesProcessed: undefined, problems: [toProblem(query, error)] };
  }
}

async function dryRun(bound: BoundQuery, { client, config, signal }: CheckContext): Promise<DryRun> {
  const limit = openLimit({ timeoutMs: config.engineTimeoutMs, caller: signal, closing: signal });
  const asking = { client, bound, limit };
  const { project, location } = config.bigquery;
  // Without the limit on bytes: how many it would be is the question.
  const body = { ...queryBody(bound, config.bigquery), maximumBytesBilled: undefined };
  try {
    const call = () => ({ method: 'POST' as const, path: '/queries', body: { ...body, dryRun: true } });
    const { schema, totalBytesProcessed } = await ask(asking, call, limit.over, queryReply);
    if (schema !== undefined) return { schema, totalBytesProcessed };

    // Only of jobs.insert it is documented that a dry run tells the columns.
    const { labels, location: _, formatOptions: __, ...query } = body;
    const configuration = { dryRun: true, labels, query };
    const jobReference = { projectId: project, ...(location === undefined ? {} : { location }) };
    const insert = () => ({ method: 'POST' as const, path: '/jobs', body: { configuration, jobReference } });
    const { statistics } = await ask(asking, insert, limit.over, dryJobReply);
    return { schema: statistics.query?.schema, totalBytesProcessed: statistics.totalBytesProcessed };
  } finally {
    limit.release();
  }
}

function misfits({ columns }: SavedQuery, { schema }: DryRun): readonly string[] {
  return schema === undefined
    ? ['BigQuery tells no columns of it, so they could not be checked']
    : schemaMisfits(columns, schema.fields);
}

function tooMuch(
  { totalBytesProcessed = 0 }: DryRun,
  { config, maximumBytes = config.bigquery.maximumBytesBilled ?? Number.POSITIVE_INFINITY }: CheckContext,
): readonly string[] {
  if (totalBytesProcessed <= maximumBytes) return [];
  return [`would read ${totalBytesProcessed} bytes with its examples; at most ${maximumBytes} are allowed`];
}

/** For whoever writes queries, BigQuery's own words, and the place in the file that they name: `… at [3:14]`. */
function toProblem({ source }: SavedQuery, error: unknown): Problem {
  const told = error instanceof EngineFailure ? error.error : error;
  const cause = told instanceof GatewayError ? (told.cause ?? told) : told;
  const [message = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
  const place = /\[(?:at )?(?<line>\d+):(?<column>\d+)\]/.exec(message)?.groups;
  if (place === undefined) return { ...source, message };
  return {
    file: source.file,
    line: source.line + Number(place.line) - 1,
    column: Number(place.column),
    message: message.replace(/,? ?(at )?\[(at )?\d+:\d+\]$/, ''),
  };
}
