import { z } from 'zod';
import type { Cost } from '../engine.ts';
import { openPatience } from './api/attempt-timeout.ts';
import { type Asking, read } from './api/call-api.ts';
import { count, optional, type QueryReply } from './api/wire.ts';

/** What a query cost, as the answer to jobs.query tells. */
export function costOf(reply: QueryReply): Cost {
  return {
    bytesProcessed: reply.totalBytesProcessed,
    bytesBilled: reply.totalBytesBilled,
    slotMs: reply.totalSlotMs,
    cacheHit: reply.cacheHit,
    jobId: reply.jobReference?.jobId,
  };
}

/** Rows that are there do not wait longer for their price. */
const waitMs = 1_000;

const jobReply = z.object({
  statistics: z.object({
    totalBytesProcessed: optional(count),
    totalSlotMs: optional(count),
    query: optional(z.object({ totalBytesBilled: optional(count), cacheHit: optional(z.boolean()) })),
  }),
});

/** The same of a job that was waited for: jobs.getQueryResults does not tell all of it. */
export async function askCost(
  { client, bound, limit }: Asking,
  { jobId, location }: { readonly jobId: string; readonly location: string | undefined },
  reply: QueryReply,
): Promise<Cost> {
  const parameters = new URLSearchParams({ fields: 'statistics' });
  if (location !== undefined) parameters.set('location', location);
  const path = `/jobs/${encodeURIComponent(jobId)}?${parameters}`;
  const patience = openPatience(waitMs, limit.gone);
  try {
    const answer = await client.call({ method: 'GET', path, signal: patience.signal });
    const { statistics } = read(answer, bound, jobReply);
    return {
      bytesProcessed: statistics.totalBytesProcessed,
      bytesBilled: statistics.query?.totalBytesBilled,
      slotMs: statistics.totalSlotMs,
      cacheHit: statistics.query?.cacheHit,
      jobId,
    };
  } catch {
    limit.gone.throwIfAborted();
    return { ...costOf(reply), jobId };
  } finally {
    patience.release();
  }
}
