import type { Caching } from './endpoint.ts';
import { GatewayError } from './gateway.ts';

/** A time as people say it: `45 s`, `15 min`, `2 h`. */
export function durationText(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds * 10) / 10} s`;
  const [unit, size] =
    seconds < 7200
      ? (['min', 60] as const)
      : seconds < 172_800
        ? (['h', 3600] as const)
        : (['days', 86_400] as const);
  return `${Math.round((seconds / size) * 10) / 10} ${unit}`;
}

/** How long results are cached. */
export function cachingText(caching: Caching | undefined): string {
  if (caching === undefined) return 'Each request runs the query: results are not kept.';
  const { ttl, warming } = caching;
  return `A result is kept for ${durationText(ttl)}${
    warming === undefined ? '' : `, and refreshed every ${durationText(warming)} while it is used`
  }.`;
}

/** Where the rows came from, by the header `Cache-Status` (RFC 9211). */
export function cacheText(cacheStatus: string, ageSeconds: number): string {
  // A proxy took the header away.
  if (cacheStatus === '') return '';
  if (cacheStatus.includes('stale-if-error')) {
    return `From the cache, computed ${durationText(ageSeconds)} ago: the query fails at the moment, so these are older rows.`;
  }
  if (/;\s*hit/.test(cacheStatus)) return `From the cache, computed ${durationText(ageSeconds)} ago.`;
  if (cacheStatus.includes('collapsed')) return 'Computed now, for several equal requests at once.';
  if (cacheStatus.includes('stored')) return 'Computed now, and kept for the next request.';
  return 'Computed now, and not kept.';
}

/** What the run cost, by the header `Querygate-Cost`: a dictionary of structured fields (RFC 9651). */
export function costText(header: string | null): string {
  if (header === null || header === '') return 'The engine reports no cost.';
  const parts = new Map(
    header.split(/,\s*/).map((part) => {
      const at = part.indexOf('=');
      return [part.slice(0, at), part.slice(at + 1)] as const;
    }),
  );
  const bytes = (name: string, text: string) =>
    parts.has(name) ? `${bytesText(Number(parts.get(name)))} ${text}` : '';
  const texts = [
    bytes('bytes-processed', 'read'),
    bytes('bytes-billed', 'billed'),
    parts.has('slot-ms') ? `${durationText(Number(parts.get('slot-ms')) / 1000)} of slots` : '',
    parts.get('cache-hit') === '?1' ? "from the engine's own cache" : '',
  ].filter((text) => text !== '');
  return texts.length === 0 ? '' : `The run cost: ${texts.join(', ')}.`;
}

function bytesText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), 5);
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${['B', 'KB', 'MB', 'GB', 'TB', 'PB'][power]}`;
}

/** How many rows there are, and whether there would be more. */
export function rowsText(count: number, isTruncated: boolean, maxRows: number | undefined): string {
  const rows = `${count.toLocaleString('en')} ${count === 1 ? 'row' : 'rows'}`;
  return isTruncated
    ? `${rows}: the query has more, but at most ${maxRows?.toLocaleString('en')} are returned.`
    : `${rows}.`;
}

/** What went wrong, in the gateway's words, and when to try again if the gateway says so. */
export function problemText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const retry = error instanceof GatewayError ? error.retryAfterSeconds : undefined;
  if (retry === undefined) return message;
  return `${message}${/[.!?]$/.test(message) ? '' : '.'} Try again in ${durationText(retry)}.`;
}
