import type { Cost } from '../../engine-contract/engine.ts';
import type { CachedResult } from '../../results/get-result.ts';
import type { Reply } from '../message/reply.ts';

/** The metadata that GraphQL returns beside the rows, as headers, because REST's body is the rows alone. */
export function resultHeaders({ document: { computedAt, metadata } }: CachedResult): Reply['headers'] {
  const { rowCount, ofRows, truncated, cost, dataVersion } = metadata;
  const costs = cost === undefined ? '' : costText(cost);
  return {
    'querygate-row-count': String(rowCount),
    ...(ofRows === undefined ? {} : { 'querygate-of-rows': String(ofRows) }),
    'querygate-truncated': String(truncated),
    'querygate-computed-at': new Date(computedAt).toISOString(),
    ...(dataVersion === undefined ? {} : { 'querygate-data-version': dataVersion }),
    ...(costs === '' ? {} : { 'querygate-cost': costs }),
  };
}

/** A dictionary of structured fields, without what the engine does not report. @see RFC 9651 */
function costText({ bytesProcessed, bytesBilled, slotMs, cacheHit, jobId }: Cost): string {
  return Object.entries({
    'bytes-processed': bytesProcessed,
    'bytes-billed': bytesBilled,
    'slot-ms': slotMs,
    'cache-hit': cacheHit === undefined ? undefined : `?${cacheHit ? 1 : 0}`,
    'job-id': jobId === undefined ? undefined : `"${jobId.replaceAll(/[^\x20-\x7e]|["\\]/g, '')}"`,
  })
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
    .join(', ');
}
