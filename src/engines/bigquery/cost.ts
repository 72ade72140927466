import { z } from 'zod';
import type { Cost } from '../../engine-contract/engine.ts';
import { type CallContext, parseReply, withCallSpan } from './api/call-api.ts';
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
  statistics: z.object({
    totalBytesProcessed: optional(count),
    totalSlotMs: optional(count),
    query: optional(z.object({ totalBytesBilled: optional(count), cacheHit: optional(z.boolean()) })),
  }),
});

/**
 * The cost of a job that was polled: jobs.getQueryResults does not report all of it.
 *
 * @param reply is used if the job's statistics cannot be read
 */
export async function fetchCost(
  { client, bound, deadline: { cancelled }, span }: CallContext,
  { jobId, location }: { readonly jobId: string; readonly location: string | undefined },
  reply: QueryReply,
): Promise<Cost> {
  const parameters = new URLSearchParams({ fields: 'statistics' });
  if (location !== undefined) parameters.set('location', location);
  const path = `/jobs/${encodeURIComponent(jobId)}?${parameters}`;
  try {
    const request = { method: 'GET', path } as const;
    const jobResponse = await withCallSpan(span, request, (traceparent) =>
      client.call(request, { signal: cancelled, timeoutMs, traceparent }),
    );
    const { statistics } = parseReply(jobResponse, bound, jobReply);
    return {
      bytesProcessed: statistics.totalBytesProcessed,
      bytesBilled: statistics.query?.totalBytesBilled,
      slotMs: statistics.totalSlotMs,
      cacheHit: statistics.query?.cacheHit,
      jobId,
    };
  } catch {
    cancelled.throwIfAborted();
    return { ...costOf(reply), jobId };
  }
}
