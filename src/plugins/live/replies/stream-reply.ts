import type { PluginHost } from '../../../gateway/plugin.ts';
import { streamHeaders } from '../../../http/accepted-stream.ts';
import type { FollowedCall } from '../../../http/following.ts';
import type { Reply } from '../../../http/message/reply.ts';
import { knownDigest } from '../events/event-frames.ts';
import type { Variant } from '../events/variant.ts';
import { requireFollowable } from '../followable.ts';
import type { Live } from '../followed.ts';
import type { StreamKind } from '../stream.ts';

/** Replies with the results of a call, from the one on that the client has. @throws GatewayError NOT_ACCEPTABLE, and as REST does */
export async function replyWithStream(
  live: Live,
  { obtainFollowed }: Pick<PluginHost, 'obtainFollowed'>,
  { head, call, resolve }: FollowedCall,
  variant: Variant,
  kind: StreamKind,
): Promise<Reply> {
  const { endpoint, bound, caller } = call;
  requireFollowable(bound);
  const { document } = await obtainFollowed(call);
  if (head.method === 'HEAD') return { status: 200, headers: streamHeaders, body: undefined };
  const known = knownDigest(document, head.headers['last-event-id']);
  const request = { endpoint, resolve, variant, knownDigest: known };
  const body = live.stream(head, caller.admission, [{ request, call, document }], kind);
  return { status: 200, headers: streamHeaders, body };
}
