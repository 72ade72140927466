import type { Caching, Parameter } from './endpoint.ts';
import { GatewayError } from './gateway.ts';
import type { ParameterValues } from './parameters/values.ts';

/** For readers who do not know the site. */
export const whatThisIs =
  'Saved questions to your data: open one, set its parameters, see its chart, and use the same rows from your code.';

/** A time as people say it: `40 ms`, `45 s`, `15 min`, `2 h`. */
export function durationText(seconds: number): string {
  if (seconds > 0 && seconds < 1) return `${Math.ceil(seconds * 1000)} ms`;
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

/** How old the rows are, by the header `Cache-Status` (RFC 9211). */
export function cacheText(cacheStatus: string, ageSeconds: number): string {
  // A proxy took the header away.
  if (cacheStatus === '') return '';
  if (cacheStatus.includes('stale-if-error')) {
    return `Computed ${durationText(ageSeconds)} ago: the query fails at the moment, so these are older rows.`;
  }
  return /;\s*hit/.test(cacheStatus)
    ? `Computed ${durationText(ageSeconds)} ago, from the cache.`
    : 'Computed now.';
}

/** The cost of the run, if the engine reports it, from the header `Querygate-Cost`: structured fields (RFC 9651). */
export function costText(header: string | null): string {
  if (header === null) return '';
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

export function bytesText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), 5);
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${['B', 'KB', 'MB', 'GB', 'TB', 'PB'][power]}`;
}

/** Why a result may be empty: the values of its request, and which of them to change. */
export function emptyText(parameters: readonly Parameter[], values: ParameterValues): string {
  const texts = parameters.flatMap(({ name, fallback }) => {
    const given = values.get(name);
    if (given !== undefined) return [`${name} = ${given.join(', ')}`];
    return fallback.length === 0 ? [] : [`${name} = ${fallback.join(', ')} (default)`];
  });
  if (texts.length === 0) return 'The query has found nothing. It takes no value that could be changed.';
  const moment = parameters.find(({ schema }) => schema.format?.startsWith('date') === true);
  const advice =
    moment === undefined ? 'Try another value.' : `Try another value, for example of ${moment.name}.`;
  return `Nothing was found for ${texts.join('; ')}. ${advice}`;
}

/** Of a request that the gateway has not taken as it was written. */
export function warningText(headers: Headers): string {
  const warning = headers.get('querygate-warning');
  return warning === null ? '' : `${warning}${/[.?]$/.test(warning) ? '' : '.'}`;
}

export const noneMeetConditions = 'The result has no rows that meet the conditions.';

/** How many rows there are, and whether there would be more. */
export function rowsText(count: number, isTruncated: boolean, maxRows: number | undefined): string {
  const rows = `${count.toLocaleString('en')} ${count === 1 ? 'row' : 'rows'}`;
  return isTruncated
    ? `${rows}: the query has more, but at most ${maxRows?.toLocaleString('en')} are returned.`
    : `${rows}.`;
}

/** How many rows of a result meet the conditions. */
export function foundText(count: number, ofRows: number, isTruncated: boolean): string {
  const found = `${count.toLocaleString('en')} of the ${ofRows.toLocaleString('en')} rows of the result.`;
  return isTruncated ? `${found} The query has more, in which is not searched.` : found;
}

/** The problem in the gateway's words, and when to try again if the gateway says so. */
export function problemText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const retry = error instanceof GatewayError ? error.retryAfterSeconds : undefined;
  if (retry === undefined) return message;
  return `${message}${/[.!?]$/.test(message) ? '' : '.'} Try again in ${durationText(retry)}.`;
}
