import { hash } from 'node:crypto';
import type { Admission, Caller } from '../../call/caller.ts';
import type { Answers } from '../../answers/answers.ts';
import { copyOf, toOwnMemory } from '../../results/encodings.ts';
import type { RequestHead } from '../message/head.ts';
import type { PreparedRequest } from '../message/prepared-request.ts';
import type { MadeOf, Reply } from '../message/reply.ts';
import type { ReadBody, Route } from '../message/route.ts';
import { KeptReply } from './kept-reply.ts';

/** Replies of one version of the catalog that are sent again. */
export type KeptReplies = Answers<KeptReply>;

interface ReplyCaller extends Caller {
  readonly head: RequestHead;
}

/** Bytes of a body; a longer one is hardly sent twice. */
const maxKeyedBytes = 16_384;

/** Characters of `Accept`; more are hardly sent twice. */
const maxAcceptLength = 500;

/**
 * The key of a kept reply: all that decides the answer to a request, except its caller's rights.
 *
 * @param body of a request by POST; before it has arrived, the text only says that a reply may be kept
 * @returns undefined if none is
 * @throws GatewayError as `isKept` of its route does
 */
export function keyOfRequest(
  { isKept }: Route,
  head: RequestHead,
  { noCache }: Admission,
  body: Uint8Array | undefined,
): string | undefined {
  const { accept = '' } = head.headers;
  if (noCache || accept.length > maxAcceptLength || isKept?.(head) !== true) return undefined;
  // No header has a line break.
  const key = `${accept}\n${head.url}`;
  if (body === undefined) return key;
  // Measured: as a part of the key, a body takes longer to compare than its digest to compute.
  return body.byteLength > maxKeyedBytes ? undefined : `POST ${hash('sha256', body, 'base64url')}\n${key}`;
}

/** @returns a promise for the first caller who accepts a coding; undefined if none is kept that may be sent now */
export function findReply(
  replies: KeptReplies,
  key: string,
  caller: ReplyCaller,
): Reply | Promise<Reply> | undefined {
  const found = replies.find(key, caller);
  if (found === undefined) return undefined;
  const { value, results } = found;
  const accepted = caller.head.headers['accept-encoding'];
  return value.reply(results, accepted, () => replies.grow(key, caller, { value, bytes: value.bytes }));
}

/** The reply of a route, which is kept if it may be. */
export async function answerNew(
  { answer }: Pick<Route, 'answer'>,
  replies: KeptReplies,
  key: string,
  caller: ReplyCaller,
  request: PreparedRequest,
  readBody: ReadBody,
): Promise<Reply> {
  const { head, admission } = caller;
  return keepReply(await answer(head, request, admission, readBody), key, caller, replies);
}

function keepReply(reply: Reply, key: string, caller: ReplyCaller, replies: KeptReplies): Reply {
  const { madeOf } = reply;
  if (madeOf === undefined) return reply;
  const make = () => {
    const { results = [] } = caller.head;
    const [first] = results;
    const isOfDocument = results.length === 1 && first?.result.document.encodings === madeOf.encodings;
    const value = new KeptReply(reply, isOfDocument ? madeOf : withOwnMemory(madeOf, reply), isOfDocument);
    return { value, bytes: value.bytes };
  };
  replies.keep(key, caller, make, madeOf.isCostly);
  return reply;
}

/** The memory of a body may be a part of a larger one, or be used for another body when it was sent. */
function withOwnMemory(madeOf: MadeOf, { recycle }: Reply): MadeOf {
  const { encodings } = madeOf;
  if ('zstd' in encodings) return madeOf;
  const { identity } = encodings;
  const own = recycle === undefined ? toOwnMemory(identity) : copyOf(identity);
  return { ...madeOf, encodings: { identity: own } };
}
