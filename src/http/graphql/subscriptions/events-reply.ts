import { statusOf } from '../../../errors.ts';
import { endMessages, eventFrame, retryLine } from '../../live/events.ts';
import { streamHeaders } from '../../live/negotiate.ts';
import type { StreamKind } from '../../live/stream.ts';
import { variesByFormat } from '../../message/cache-headers.ts';
import type { Reply } from '../../message/reply.ts';
import { Frame } from '../../message/stream/frame.ts';

export const eventsHeaders = { ...streamHeaders, vary: variesByFormat } as const;

/** `EventSource` passes on only events that have data. */
const complete = 'event: complete\ndata: \n\n';

/**
 * A reply as the only result of a stream: what an operation that is not followed gets. Errors in a request are such a
 * result too: `EventSource` does not show the body of another status, and clients would send the request again.
 *
 * @see GraphQL over SSE, "Distinct connections mode"
 * @returns the reply itself if it has events already, or a status that has another reason
 */
export function asEvents(reply: Reply): Reply {
  const { status, headers, body, recycle } = reply;
  const isResult = status === 200 || status === statusOf.BAD_REQUEST;
  const hasEvents = headers['content-type'] === eventsHeaders['content-type'];
  if (!isResult || hasEvents || !(body instanceof Uint8Array || typeof body === 'string')) return reply;
  const events = Buffer.concat([eventFrame('next', undefined, body).bytes, Buffer.from(complete)]);
  recycle?.();
  return {
    status: 200,
    headers: { ...eventsHeaders, 'content-length': String(events.byteLength) },
    body: events,
  };
}

export const subscriptionStreams: StreamKind = {
  endFrame(code) {
    const message = endMessages[code];
    // Without `complete` clients connect again by themselves; an error would end the subscription in most of them.
    if (code === 'SHUTTING_DOWN') return new Frame([retryLine(), `: ${code}: ${message}\n\n`]);
    const body = JSON.stringify({ errors: [{ message, extensions: { code } }] });
    return new Frame([`event: next\ndata: ${body}\n\n`, complete]);
  },
};
