import { randomUUID } from 'node:crypto';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import { withoutFields } from '../../catalog/model/header-types.ts';
import type { Rows, RunOptions } from '../../engine-contract/engine.ts';
import { callerResultTooLarge, maxCallerResultBytes } from '../../engine-contract/engine-errors.ts';
import { type BuildRequest, type CallContext, callApi } from './api/call-api.ts';
import { malformedResponse, queryFailed } from './api/api-errors.ts';
import { pause } from './api/retry.ts';
import { type QueryReply, queryReply } from './api/wire.ts';
import { costOf, fetchCost, type Job } from './cost.ts';
import { buildDecodeCallerRow, buildDecodeRow, type DecodeRow } from './decode-rows.ts';
import type { JobCanceller } from './job-canceller.ts';
import { toResultColumn } from './result-column.ts';

interface JobRequest extends CallContext, Pick<RunOptions, 'owner' | 'onBill' | 'beforeRows'> {
  /** The body of jobs.query, without the fields that differ from run to run. */
  readonly body: object;
  /** The location of jobs that do not report one. */
  readonly location: string | undefined;
  /** Ends a job that is still running although its result is no longer needed. */
  readonly jobs: Pick<JobCanceller, 'cancel' | 'bill'>;
  readonly turns: LoopTurns;
}

/** The shortest time between two polls; BigQuery itself normally takes longer to reply that a job is not complete. */
const pollEveryMs = 250;

/**
 * Runs one query: jobs.query, then jobs.getQueryResults as often as needed. A query that completes at once costs one
 * call.
 *
 * @throws GatewayError; the reasons of the deadline's signals
 */
export async function runJob(request: JobRequest): Promise<Rows> {
  let latest: Pick<Completion, 'reply' | 'job'> | undefined;
  try {
    const { reply, job, isPolled } = await waitForCompletion(request, (known) => {
      latest = known;
    });
    await request.beforeRows?.(request.deadline.cancelled);
    const read = await readPages(request, reply, job);
    if (!isPolled || job === undefined) return { ...read, cost: costOf(reply) };
    const { jobs, onBill } = request;
    const cost = await fetchCost(request, job, () => onBill && jobs.bill(job, onBill));
    return { ...read, cost: cost ?? { ...costOf(reply), jobId: job.jobId } };
  } catch (error) {
    if (latest !== undefined) settle(request, latest);
    throw error;
  }
}

/** Of a query that has failed here: BigQuery bills what it has read all the same. */
function settle({ jobs, onBill }: JobRequest, { reply, job }: Pick<Completion, 'reply' | 'job'>): void {
  if (reply.jobComplete !== true) {
    if (job !== undefined) jobs.cancel(job, onBill);
  } else if (reply.totalBytesBilled !== undefined) onBill?.(costOf(reply));
  else if (job !== undefined && onBill !== undefined) jobs.bill(job, onBill);
}

/** A query that is complete. */
interface Completion {
  /** The first page. */
  readonly reply: QueryReply;
  readonly job: Job | undefined;
  /** True if it took more than the first call. */
  readonly isPolled: boolean;
}

/** @param onReply called after each call */
async function waitForCompletion(
  request: JobRequest,
  onReply: (known: Pick<Completion, 'reply' | 'job'>) => void,
): Promise<Completion> {
  const { deadline, bound } = request;
  let reply = await startQuery(request);
  let job: Job | undefined;
  for (let polls = 0; ; polls += 1) {
    job = jobOf(reply, request.location) ?? job;
    onReply({ reply, job });
    deadline.cancelled.throwIfAborted();
    const error = failureOf(reply);
    if (error !== undefined) {
      const { reason, message = '' } = error;
      throw queryFailed({ status: 200, reason, message, retryAfterSeconds: undefined }, bound);
    }
    if (reply.jobComplete === true) return { reply, job, isPolled: polls > 0 };
    if (reply.jobComplete === undefined) throw malformedResponse('jobComplete is missing');
    if (job === undefined) throw malformedResponse('incomplete response without a job reference');

    const calledAt = performance.now();
    reply = await callApi(request, resultsRequest(request, job), deadline.cancelled, queryReply);
    const tookMs = performance.now() - calledAt;
    if (reply.jobComplete !== true && tookMs < pollEveryMs) await pause(pollEveryMs - tookMs, deadline);
  }
}

/** The error of a query that has failed. Beside rows, or before there are some, others are warnings: of rows that were left out. */
function failureOf({ errors = [], jobComplete, schema }: QueryReply) {
  const [first] = errors;
  const hasFailed = jobComplete === true && schema === undefined;
  return errors.find(({ reason }) => reason === 'stopped') ?? (hasFailed ? first : undefined);
}

function startQuery(request: JobRequest): Promise<QueryReply> {
  const { deadline } = request;
  // The same in all attempts; BigQuery may ignore it in queries that only read, and run and bill each attempt.
  const body = {
    ...request.body,
    requestId: randomUUID(),
    jobTimeoutMs: String(Math.ceil(deadline.remainingMs())),
  };
  // Continues when the caller leaves: the job that must be cancelled is known only from the reply.
  return callApi(
    request,
    (timeoutMs) => ({ method: 'POST', path: '/queries', body: { ...body, timeoutMs } }),
    deadline.expired,
    queryReply,
  );
}

/** Reads pages until there are more rows than max rows, or no more pages. */
async function readPages(
  request: JobRequest,
  first: QueryReply,
  job: Job | undefined,
): Promise<Omit<Rows, 'cost'>> {
  const { bound, deadline, turns, owner } = request;
  const { maxRows } = bound.query;
  if (first.schema === undefined) throw malformedResponse('the schema is missing');
  const { fields } = first.schema;
  const isCallers = bound.sql !== undefined;
  const decode = isCallers ? boundedBytes(buildDecodeCallerRow(fields)) : buildDecodeRow(bound.query, fields);
  const rows: string[] = [];
  const add = (page: QueryReply, limit: number) =>
    turns.compute(owner, addRows(rows, page, decode, limit, deadline.cancelled));
  let count = await add(first, maxRows);
  let { pageToken } = first;
  while (pageToken !== undefined && count <= maxRows) {
    if (job === undefined) throw malformedResponse('a page token without a job reference');
    const nextPage = resultsRequest(request, job, pageToken);
    const page = await callApi(request, nextPage, deadline.cancelled, queryReply);
    const added = await add(page, maxRows - count);
    count += added;
    // A page may be empty; a broken server may send empty pages forever.
    if (added === 0) await pause(pollEveryMs, deadline);
    pageToken = page.pageToken;
  }
  if (pageToken === undefined && count < (first.totalRows ?? 0)) {
    throw malformedResponse('fewer rows than totalRows');
  }
  return {
    rows,
    truncated: count > maxRows,
    ...(isCallers && { columns: fields.map(toResultColumn).map(withoutFields) }),
  };
}

/** Callers can make rows of any length. */
function boundedBytes(decode: DecodeRow): DecodeRow {
  let bytes = 0;
  return (row) => {
    const text = decode(row);
    bytes += Buffer.byteLength(text);
    if (bytes > maxCallerResultBytes) throw callerResultTooLarge();
    return text;
  };
}

/** How many rows are decoded in a step of about a millisecond. */
const rowsOfStep = 250;

/**
 * Appends the rows of a page, in steps.
 *
 * @param limit how many rows to append at most
 * @returns how many rows the page has, which may be more
 * @throws the signal's reason once it is aborted
 */
function* addRows(
  rows: string[],
  page: QueryReply,
  decode: DecodeRow,
  limit: number,
  cancelled: AbortSignal,
): Generator<void, number> {
  const found = page.rows ?? [];
  for (const [at, row] of found.slice(0, Math.max(0, limit)).entries()) {
    if (at > 0 && at % rowsOfStep === 0) {
      yield;
      cancelled.throwIfAborted();
    }
    rows.push(decode(row));
  }
  return found.length;
}

function resultsRequest({ bound }: JobRequest, { jobId, location }: Job, pageToken?: string): BuildRequest {
  return (waitMs) => {
    const parameters = new URLSearchParams({
      maxResults: String(bound.query.maxRows + 1),
      timeoutMs: String(waitMs),
      'formatOptions.useInt64Timestamp': 'true',
    });
    if (location !== undefined) parameters.set('location', location);
    if (pageToken !== undefined) parameters.set('pageToken', pageToken);
    return { method: 'GET', path: `/queries/${encodeURIComponent(jobId)}?${parameters}` };
  };
}

function jobOf({ jobReference }: QueryReply, location: string | undefined): Job | undefined {
  const jobId = jobReference?.jobId;
  if (jobId === undefined || jobId === '') return undefined;
  return { jobId, location: jobReference?.location ?? location };
}
