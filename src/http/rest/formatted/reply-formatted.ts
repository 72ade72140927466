import type { LoopTurns } from '../../../concurrency/loop-turns.ts';
import { type Format, formats } from '../../../formats/format.ts';
import { memoize } from '../../../memoize.ts';
import { encode } from '../../../results/encodings.ts';
import type { ByteBudget } from '../../message/byte-budget.ts';
import { matchesEtag } from '../../message/cache-headers.ts';
import { codedBody, codingFor } from '../../message/content-coding.ts';
import type { RequestHead } from '../../message/head.ts';
import { httpLimits } from '../../message/http-limits.ts';
import type { Reply } from '../../message/reply.ts';
import { headersOfRows } from '../reply-result.ts';
import { resultHeaders } from '../result-headers.ts';
import { buildConvertWhole } from './convert-whole.ts';
import { disposition, type FormattedRequest, formatDigest, rowsOf } from './formatted-request.ts';
import { streamRows } from './stream-rows.ts';

export interface FormattedOptions {
  readonly budget: ByteBudget;
  readonly turns: LoopTurns;
}

/**
 * Replies with a result in another format than JSON. A result of up to `maxConvertedBytes` is converted as a whole; a larger
 * one is converted while it is sent, unless it becomes Parquet or Prometheus text.
 *
 * @throws GatewayError OVERLOADED; ENGINE_FAILED if the rows do not fit the format
 */
export type ReplyFormatted = (request: FormattedRequest) => Promise<Reply>;

const { maxConvertedBytes } = httpLimits;

/** What DuckDB has written is complete, and labels must be compared over all rows before any is sent. */
const alwaysWhole: ReadonlySet<Format> = new Set([formats.parquet, formats.prometheus]);

export function buildReplyFormatted(options: FormattedOptions): ReplyFormatted {
  const convertWhole = buildConvertWhole(options);
  return async (request) => {
    const { format, result, head } = request;
    const rows = rowsOf(request);
    const digest = formatDigest(request, rows);
    const headersAt = headersOfRows(digest);
    const headers: Reply['headers'] = {
      'content-type': format.contentType,
      ...disposition(request),
      ...headersAt([result]),
      ...resultHeaders(result),
    };
    // Nothing need be converted for a caller who has the rows, or wants only the headers.
    if (head.method === 'HEAD' || hasRows(headers.etag, head))
      return { status: 200, headers, body: undefined };

    if (!alwaysWhole.has(format) && rows.identity.byteLength > maxConvertedBytes) {
      const { headers: ofBody, body } = streamRows(rows, request, options);
      return { status: 200, headers: { ...headers, ...ofBody }, body };
    }
    const converted = await convertWhole(digest, rows, request);
    const accepted = format.isCompressed ? undefined : head.headers['accept-encoding'];
    const encodings = accepted === undefined ? { identity: converted } : await encodeOnce(converted);
    const { headers: ofBody, body } = codedBody(encodings, codingFor(encodings, accepted));
    const madeOf = { encodings, headersAt, isPacked: format.isCompressed, isCostly: true } as const;
    return { status: 200, headers: { ...headers, ...ofBody }, body, madeOf };
  };
}

/** Compresses off the event loop, once for all who waited for a conversion. */
const encodeOnce = memoize(encode);

function hasRows(etag: string | undefined, { headers }: RequestHead): boolean {
  const ifNoneMatch = headers['if-none-match'];
  return etag !== undefined && ifNoneMatch !== undefined && matchesEtag(etag, ifNoneMatch);
}
