import type { PluginHost } from '../../../gateway/plugin.ts';
import type { FollowedField, ResultWriter } from '../../../http/following.ts';
import { matchesEtag } from '../../../http/message/cache-headers.ts';
import type { Reply } from '../../../http/message/reply.ts';
import { streamHeaders } from '../../../http/accepted-stream.ts';
import { Frame } from '../../../http/message/stream/frame.ts';
import { endMessages, etagOf, eventFrame, retryLine } from '../events/event-frames.ts';
import type { Variant } from '../events/variant.ts';
import { requireFollowable } from '../followable.ts';
import type { Live } from '../followed.ts';
import type { StreamKind } from '../stream.ts';

/** Replies to a subscription with the results of its field. @throws GatewayError NOT_ACCEPTABLE, and as REST does */
export async function replyToSubscription(
  live: Live,
  { obtainFollowed }: PluginHost,
  { head, call, resolve, writer }: FollowedField,
): Promise<Reply> {
  const { endpoint, bound, caller } = call;
  requireFollowable(bound);
  const { document } = await obtainFollowed(call);
  const lastId = head.headers['last-event-id'];
  const isKnown = lastId !== undefined && matchesEtag(etagOf(document.digest), lastId);
  const knownDigest = isKnown ? document.digest : undefined;
  const request = { endpoint, resolve, variant: resultEvents(writer), knownDigest };
  const body = live.stream(head, caller.admission, [{ request, call, document }], subscriptionStreams);
  return { status: 200, headers: streamHeaders, body };
}

/** An error is a result too: clients go on after it. */
const resultEvents = (writer: ResultWriter): Variant => ({
  id: writer.id,
  whole: async (document) => eventFrame('next', etagOf(document.digest), await writer.write(document)),
  error: (error) => eventFrame('next', undefined, writer.error(error)),
});

/** `EventSource` passes on only events that have data. */
const complete = 'event: complete\ndata: \n\n';

const subscriptionStreams: StreamKind = {
  endFrame(code) {
    const message = endMessages[code];
    // Without `complete` clients connect again by themselves; an error would end the subscription in most of them.
    if (code === 'SHUTTING_DOWN') return new Frame([retryLine(), `: ${code}: ${message}\n\n`]);
    const body = JSON.stringify({ errors: [{ message, extensions: { code } }] });
    return new Frame([`event: next\ndata: ${body}\n\n`, complete]);
  },
};
