import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import { memoize } from '../../memoize.ts';
import { encode } from '../../results/encodings.ts';
import type { ByteBudget } from '../message/byte-budget.ts';
import { matchesEtag } from '../message/cache-headers.ts';
import { codedBody, codingFor } from '../message/content-coding.ts';
import { isRead, type RequestHead } from '../message/head.ts';
import { httpLimits } from '../message/http-limits.ts';
import type { Reply } from '../message/reply.ts';
import { headersOfRows } from './reply-result.ts';
import { resultHeaders } from './result-headers.ts';
import { disposition, type RenderRequest, renderedDigest, rowsOf } from './render-request.ts';
import { buildRenderWhole } from './render-whole.ts';
import { streamRows } from './stream-rows.ts';

interface RenderedOptions {
  readonly budget: ByteBudget;
  readonly turns: LoopTurns;
}

/**
 * Replies with a result in another form than it is kept in. One of up to `maxConvertedBytes` is rendered as a whole; a larger one
 * while it is sent, if the form allows it.
 *
 * @throws GatewayError OVERLOADED; ENGINE_FAILED if the rows do not fit the form
 */
export type ReplyRendered = (request: RenderRequest) => Promise<Reply>;

const { maxConvertedBytes } = httpLimits;

export function buildReplyRendered(options: RenderedOptions): ReplyRendered {
  const renderWhole = buildRenderWhole(options);
  return async (request) => {
    const { renderer, result, head } = request;
    const rows = rowsOf(request);
    const digest = renderedDigest(request, rows);
    const headersAt = headersOfRows(digest);
    const headers: Reply['headers'] = {
      'content-type': renderer.contentType,
      ...disposition(request),
      ...headersAt([result]),
      ...resultHeaders(result),
    };
    // Nothing need be rendered for a caller who has the rows, or wants only the headers.
    if (head.method === 'HEAD' || hasRows(headers.etag, head))
      return { status: 200, headers, body: undefined };

    const isSentInParts = renderer.parts !== undefined && renderer.isWhole !== true;
    if (isSentInParts && rows.identity.byteLength > maxConvertedBytes) {
      const { headers: ofBody, body } = streamRows(rows, request, options);
      return { status: 200, headers: { ...headers, ...ofBody }, body };
    }
    const rendered = await renderWhole(digest, rows, request);
    const accepted = renderer.isCompressed ? undefined : head.headers['accept-encoding'];
    const encodings = accepted === undefined ? { identity: rendered } : await encodeOnce(rendered);
    const { headers: ofBody, body } = codedBody(encodings, codingFor(encodings, accepted));
    const madeOf = { encodings, headersAt, isPacked: renderer.isCompressed, isCostly: true } as const;
    return { status: 200, headers: { ...headers, ...ofBody }, body, madeOf };
  };
}

/** Compresses off the event loop, once for all who waited for a body. */
const encodeOnce = memoize(encode);

/** Of a POST, a plug-in may remove the tag, without which it does not become 304. */
function hasRows(etag: string | undefined, head: RequestHead): boolean {
  const ifNoneMatch = head.headers['if-none-match'];
  return isRead(head) && etag !== undefined && ifNoneMatch !== undefined && matchesEtag(etag, ifNoneMatch);
}
