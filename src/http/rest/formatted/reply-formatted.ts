import type { LoopTurns } from '../../../concurrency/loop-turns.ts';
import { type Format, formats } from '../../../formats/format.ts';
import type { DerivedStore } from '../../../results/memory-store.ts';
import type { ByteBudget } from '../../message/byte-budget.ts';
import { cacheHeaders, matchesEtag, variesByFormat } from '../../message/cache-headers.ts';
import { chooseCoding } from '../../message/content-coding.ts';
import type { RequestHead } from '../../message/head.ts';
import { httpLimits } from '../../message/http-limits.ts';
import type { Reply } from '../../message/reply.ts';
import { resultHeaders } from '../result-headers.ts';
import { buildConvertWhole } from './convert-whole.ts';
import { ConvertedRows } from './converted-rows.ts';
import { disposition, type FormattedRequest, formatDigest, rowsOf } from './formatted-request.ts';
import { streamRows } from './stream-rows.ts';

export interface FormattedOptions {
  /** Keeps conversions, in the memory for results. */
  readonly derived: DerivedStore;
  readonly budget: ByteBudget;
  readonly turns: LoopTurns;
}

/**
 * Replies with a result in another format than JSON. A result of up to `maxConvertedBytes` is converted as a whole, once for
 * all callers, and kept; a larger one is converted while it is sent, unless it
 * becomes Parquet or Prometheus text.
 *
 * @throws GatewayError OVERLOADED; ENGINE_FAILED if the rows do not fit the format
 */
export type ReplyFormatted = (request: FormattedRequest) => Promise<Reply>;

const { maxConvertedBytes } = httpLimits;

/** What DuckDB has written is complete, and labels must be compared over all rows before any is sent. */
const alwaysWhole: ReadonlySet<Format> = new Set([formats.parquet, formats.prometheus]);

export function buildReplyFormatted(options: FormattedOptions): ReplyFormatted {
  const { derived } = options;
  const convertWhole = buildConvertWhole(options);
  return async (request) => {
    const { format, result, head } = request;
    const rows = rowsOf(request);
    const digest = formatDigest(request, rows);
    const headers: Reply['headers'] = {
      'content-type': format.contentType,
      ...disposition(request),
      ...cacheHeaders([result], digest),
      vary: variesByFormat,
      ...resultHeaders(result),
    };
    // Nothing need be converted for a caller who has the rows, or wants only the headers.
    if (head.method === 'HEAD' || hasRows(headers.etag, head))
      return { status: 200, headers, body: undefined };

    const key = `format ${digest}`;
    const keep = (converted: ConvertedRows) => {
      // No later request gets the rows of a query that is not cached.
      if (result.caching !== 'disabled') derived.set(key, converted, converted.bytes);
    };
    const kept = derived.get(key);
    if (kept instanceof ConvertedRows) return replyWhole(kept, keep, headers, request);
    if (!alwaysWhole.has(format) && rows.identity.byteLength > maxConvertedBytes) {
      const { headers: ofBody, body } = streamRows(rows, request, options);
      return { status: 200, headers: { ...headers, ...ofBody }, body };
    }
    const converted = await convertWhole(digest, rows, request);
    keep(converted);
    return replyWhole(converted, keep, headers, request);
  };
}

function hasRows(etag: string | undefined, { headers }: RequestHead): boolean {
  const ifNoneMatch = headers['if-none-match'];
  return etag !== undefined && ifNoneMatch !== undefined && matchesEtag(etag, ifNoneMatch);
}

/** @param keep called when the conversion has grown */
async function replyWhole(
  converted: ConvertedRows,
  keep: (converted: ConvertedRows) => void,
  headers: Reply['headers'],
  { format, head }: FormattedRequest,
): Promise<Reply> {
  const accepted = format.isCompressed ? undefined : head.headers['accept-encoding'];
  if (accepted !== undefined) await converted.compress(() => keep(converted));
  const coding = accepted === undefined ? 'identity' : chooseCoding(converted.encodings, accepted);
  const body = converted.body(coding);
  return {
    status: 200,
    headers: {
      ...headers,
      ...(coding === 'identity' ? {} : { 'content-encoding': coding }),
      'content-length': String(body.byteLength),
    },
    body,
  };
}
