import { z } from 'zod';
import type { Cost } from '../../engine-contract/engine.ts';
import { type CallContext, parseReply, withCallSpan } from './api/call-api.ts';
import type { ApiRequest } from './api/client.ts';
import { count, optional, type QueryReply } from './api/wire.ts';

/** The cost of a query as the reply to jobs.query reports it. */
export function costOf(reply: QueryReply): Cost {
  return {
    bytesProcessed: reply.totalBytesProcessed,
    bytesBilled: reply.totalBytesBilled,
    slotMs: reply.totalSlotMs,
    cacheHit: reply.cacheHit,
    jobId: reply.jobReference?.jobId,
  };
}

/** How long rows that have arrived may wait for their cost. */
const timeoutMs = 1_000;

const jobReply = z.object({
  status: optional(z.object({ state: optional(z.string()) })),
  statistics: z.object({
    totalBytesProcessed: optional(count),
    totalSlotMs: optional(count),
    query: optional(z.object({ totalBytesBilled: optional(count), cacheHit: optional(z.boolean()) })),
  }),
});

/** Identifies a job in later calls. */
export interface Job {
  readonly jobId: string;
  readonly location: string | undefined;
}

/** The request of a job as it is now. */
export function jobRequest({ jobId, location }: Job, fields: string): ApiRequest {
  const parameters = new URLSearchParams({ fields, ...(location !== undefined && { location }) });
  return { method: 'GET', path: `/jobs/${encodeURIComponent(jobId)}?${parameters}` };
}

/** The cost of a job; undefined while it is not final. */
export function finalCost(text: string, job: Job): Cost | undefined {
  const { data } = jobReply.safeParse(JSON.parse(text));
  return data?.status?.state === 'DONE' ? costOfJob(data, job) : undefined;
}

const costOfJob = ({ statistics }: z.output<typeof jobReply>, { jobId }: Job): Cost => ({
  bytesProcessed: statistics.totalBytesProcessed,
  bytesBilled: statistics.query?.totalBytesBilled,
  slotMs: statistics.totalSlotMs,
  cacheHit: statistics.query?.cacheHit,
  jobId,
});

/**
 * The cost of a job that was polled: jobs.getQueryResults does not report all of it.
 *
 * @param onUnread called if BigQuery does not answer now
 * @returns undefined if it does not say it
 */
export async function fetchCost(
  { client, bound, deadline: { cancelled }, span }: CallContext,
  job: Job,
  onUnread: () => void,
): Promise<Cost | undefined> {
  const request = jobRequest(job, 'statistics');
  let isAnswered = false;
  try {
    const jobResponse = await withCallSpan(span, request, (traceparent) =>
      client.call(request, { signal: cancelled, timeoutMs, traceparent }),
    );
    isAnswered = jobResponse.status < 400;
    return costOfJob(parseReply(jobResponse, bound, jobReply), job);
  } catch {
    cancelled.throwIfAborted();
    if (!isAnswered) onUnread();
    return undefined;
  }
}
