import type { PluginHost } from '../../../gateway/plugin.ts';
import type { FollowedField, ResultWriter } from '../../../http/following.ts';
import type { Reply } from '../../../http/message/reply.ts';
import { completeEvent } from '../../../http/accepted-stream.ts';
import { Frame } from '../../../http/message/stream/frame.ts';
import { endMessages, etagOf, eventFrame, retryLine } from '../events/event-frames.ts';
import type { Variant } from '../events/variant.ts';
import type { Live } from '../followed.ts';
import type { StreamKind } from '../stream.ts';
import { replyWithStream } from './stream-reply.ts';

/** Replies to a subscription with the results of its field. @throws GatewayError NOT_ACCEPTABLE, and as REST does */
export function replyToSubscription(live: Live, host: PluginHost, field: FollowedField): Promise<Reply> {
  return replyWithStream(live, host, field, resultEvents(field.writer), subscriptionStreams);
}

/** An error is a result too: clients go on after it. */
const resultEvents = (writer: ResultWriter): Variant => ({
  id: writer.id,
  whole: async (document) => eventFrame('next', etagOf(document.digest), await writer.write(document)),
  error: (error) => eventFrame('next', undefined, writer.error(error)),
});

const subscriptionStreams: StreamKind = {
  endFrame(code) {
    const message = endMessages[code];
    // Without `complete` clients connect again by themselves; an error would end the subscription in most of them.
    if (code === 'SHUTTING_DOWN') return new Frame([retryLine(), `: ${code}: ${message}\n\n`]);
    const body = JSON.stringify({ errors: [{ message, extensions: { code } }] });
    return new Frame([`event: next\ndata: ${body}\n\n`, completeEvent]);
  },
};
