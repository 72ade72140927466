import { randomUUID } from 'node:crypto';
import type { Rows } from '../engine.ts';
import { type Asking, ask } from './api/call-api.ts';
import { explainRefusal } from './api/errors.ts';
import { unreadable } from './api/malformed-response.ts';
import { pause } from './api/retry.ts';
import { type QueryReply, queryReply } from './api/wire.ts';
import { askCost, costOf } from './cost.ts';
import { buildDecodeRow, type DecodeRow } from './decode-rows.ts';

/** A job as later calls name it. */
export interface Job {
  readonly jobId: string;
  readonly location: string | undefined;
}

export interface Conversation extends Asking {
  /** What jobs.query is sent, but for what belongs to one try. */
  readonly body: object;
  /** Where jobs run, for a job that does not say so itself. */
  readonly location: string | undefined;
  /** Told of a job that goes on although nobody wants its rows any longer. */
  readonly abandon: (job: Job) => void;
}

/** Two answers that a job has not finished are at least this far apart; BigQuery itself takes its time to say so. */
const pollEveryMs = 250;

/**
 * Runs one query: jobs.query, then as many jobs.getQueryResults as it takes. A query that finishes at once costs one call.
 *
 * @throws EngineFailure | GatewayError; the limit's reason
 */
export async function converse(conversation: Conversation): Promise<Rows> {
  let job: Job | undefined;
  let finished = false;
  try {
    const { first, polled } = await untilComplete(conversation, (known, isComplete) => {
      job = known;
      finished = isComplete;
    });
    const { rows, truncated } = await readPages(conversation, first, job);
    const cost = polled && job !== undefined ? await askCost(conversation, job, first) : costOf(first);
    return { rows, truncated, cost };
  } catch (error) {
    if (job !== undefined && !finished) conversation.abandon(job);
    throw error;
  }
}

async function untilComplete(
  conversation: Conversation,
  onJob: (job: Job, isComplete: boolean) => void,
): Promise<{ first: QueryReply; polled: boolean }> {
  const { limit, body, bound } = conversation;
  // One and the same in all tries: BigQuery runs the query once.
  const request = { ...body, requestId: randomUUID(), jobTimeoutMs: String(Math.ceil(limit.remainingMs())) };
  // Not ended when the caller leaves: without an answer nobody knows the job that is to be cancelled.
  let reply = await ask(
    conversation,
    (timeoutMs) => ({ method: 'POST', path: '/queries', body: { ...request, timeoutMs } }),
    limit.over,
    queryReply,
  );
  for (let polls = 0; ; polls += 1) {
    const job = jobOf(reply, conversation.location);
    if (job !== undefined) onJob(job, reply.jobComplete === true);
    limit.gone.throwIfAborted();
    const [problem] = reply.errors ?? [];
    if (problem !== undefined) {
      const { reason, message = '' } = problem;
      throw explainRefusal({ status: 200, reason, message, retryAfterSeconds: undefined }, bound);
    }
    if (reply.jobComplete === true) return { first: reply, polled: polls > 0 };
    if (reply.jobComplete === undefined) throw unreadable('it does not say whether the query is complete');
    if (job === undefined) throw unreadable('the query goes on, but there is no job to ask for');

    const askedAt = performance.now();
    reply = await ask(conversation, resultsCall(conversation, job), limit.gone, queryReply);
    const tookMs = performance.now() - askedAt;
    if (reply.jobComplete !== true && tookMs < pollEveryMs) await pause(pollEveryMs - tookMs, limit);
  }
}

/** Reads on until there is one row more than may be told, or none. */
async function readPages(
  conversation: Conversation,
  first: QueryReply,
  job: Job | undefined,
): Promise<{ rows: readonly string[]; truncated: boolean }> {
  const { bound, limit } = conversation;
  const { maxRows } = bound.query;
  if (first.schema === undefined) throw unreadable('there is no schema');
  const decode = buildDecodeRow(bound.query, first.schema.fields);
  const rows: string[] = [];
  let seen = take(rows, first, decode, maxRows);
  let { pageToken } = first;
  while (pageToken !== undefined && seen <= maxRows) {
    if (job === undefined) throw unreadable('there are more pages, but no job to ask for');
    const page = await ask(conversation, resultsCall(conversation, job, pageToken), limit.gone, queryReply);
    const taken = take(rows, page, decode, maxRows - seen);
    seen += taken;
    // A page may be empty, and a broken server's may all be.
    if (taken === 0) await pause(pollEveryMs, limit);
    pageToken = page.pageToken;
  }
  if (pageToken === undefined && seen < (first.totalRows ?? 0))
    throw unreadable('there are fewer rows than it says');
  return { rows, truncated: seen > maxRows };
}

/** @returns how many rows the reply has, which may be more than are wanted */
function take(rows: string[], reply: QueryReply, decode: DecodeRow, wanted: number): number {
  const found = reply.rows ?? [];
  for (const row of found.slice(0, Math.max(0, wanted))) rows.push(decode(row));
  return found.length;
}

function resultsCall({ bound }: Conversation, { jobId, location }: Job, pageToken?: string) {
  return (waitMs: number) => {
    const parameters = new URLSearchParams({
      maxResults: String(bound.query.maxRows + 1),
      timeoutMs: String(waitMs),
      'formatOptions.useInt64Timestamp': 'true',
    });
    if (location !== undefined) parameters.set('location', location);
    if (pageToken !== undefined) parameters.set('pageToken', pageToken);
    return { method: 'GET' as const, path: `/queries/${encodeURIComponent(jobId)}?${parameters}` };
  };
}

function jobOf({ jobReference }: QueryReply, location: string | undefined): Job | undefined {
  const jobId = jobReference?.jobId;
  if (jobId === undefined || jobId === '') return undefined;
  return { jobId, location: jobReference?.location ?? location };
}
