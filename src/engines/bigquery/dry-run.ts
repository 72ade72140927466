import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { type BuildRequest, type CallContext, callApi } from './api/call-api.ts';
import type { Client } from './api/client.ts';
import { openDeadline } from './api/deadline.ts';
import { dryJobReply, type QueryReply, queryReply } from './api/wire.ts';
import type { BigqueryOptions } from './bigquery-options.ts';
import { buildQueryBody } from './query-body.ts';

export interface DryRunContext {
  readonly client: Client;
  readonly options: BigqueryOptions;
  readonly timeoutMs: number;
  /** Aborted when the outcome is no longer needed. */
  readonly signal: AbortSignal;
}

export interface DryRun extends Pick<QueryReply, 'schema' | 'totalBytesProcessed'> {
  /** True if it has several statements: BigQuery checks its syntax only, and knows neither columns nor bytes. */
  readonly isScript?: boolean;
}

/**
 * The columns of a query and the bytes that a run would read.
 *
 * @param sql the text to run, if it is not that of the saved query
 */
export async function dryRun(bound: BoundQuery, context: DryRunContext, sql?: string): Promise<DryRun> {
  const { client, options, timeoutMs, signal } = context;
  const deadline = openDeadline({ timeoutMs, caller: signal, closing: signal });
  const call = { client, bound, deadline };
  // Without the maximum: BigQuery would fail the dry run instead of reporting the bytes.
  const { maximumBytesBilled: _, ...body } = buildQueryBody(bound, options, sql);
  try {
    const query: BuildRequest = () => ({ method: 'POST', path: '/queries', body: { ...body, dryRun: true } });
    const reply = await callApi(call, query, deadline.expired, queryReply);
    return reply.schema === undefined ? await insertDryRun(call, body, options) : reply;
  } finally {
    deadline.release();
  }
}

/** Only for jobs.insert is it documented that a dry run reports the columns. */
async function insertDryRun(
  call: CallContext,
  {
    labels,
    location,
    formatOptions: _,
    reservation: __,
    ...query
  }: Omit<ReturnType<typeof buildQueryBody>, 'maximumBytesBilled'>,
  { projectId }: BigqueryOptions,
): Promise<DryRun> {
  const body = {
    configuration: { dryRun: true, labels, query },
    jobReference: { projectId, ...(location === undefined ? {} : { location }) },
  };
  const insert: BuildRequest = () => ({ method: 'POST', path: '/jobs', body });
  const { statistics } = await callApi(call, insert, call.deadline.expired, dryJobReply);
  const { schema, statementType } = statistics.query ?? {};
  const isScript = statementType === 'SCRIPT';
  return { schema, totalBytesProcessed: isScript ? undefined : statistics.totalBytesProcessed, isScript };
}
