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
 * Answers an admitted request with a reply that was kept, or as its route does.
 *
 * @returns not a promise if it was kept and the request has no body; the first caller who accepts a coding waits for it
 */
export function answerKept(
  route: Pick<Route, 'answer' | 'isKept'>,
  replies: KeptReplies,
  ...[head, request, admission, readBody]: [RequestHead, PreparedRequest, Admission, ReadBody]
): Reply | Promise<Reply> {
  const { accept = '' } = head.headers;
  const isShort = accept.length <= maxAcceptLength;
  if (admission.noCache || !isShort || route.isKept?.(head) !== true)
    return route.answer(head, request, admission, readBody);
  const caller = { head, admission };
  // No header has a line break.
  const key = `${accept}\n${head.url}`;
  if (head.method !== 'POST') {
    const found = replyKept(replies, key, caller);
    return found ?? answerNew(route, replies, key, caller, request, readBody);
  }
  return readBody().then((body) => {
    const read = () => Promise.resolve(body);
    if (body.byteLength > maxKeyedBytes) return route.answer(head, request, admission, read);
    const keyOfBody = `POST ${hash('sha256', body, 'base64url')}\n${key}`;
    const found = replyKept(replies, keyOfBody, caller);
    return found ?? answerNew(route, replies, keyOfBody, caller, request, read);
  });
}

function replyKept(
  replies: KeptReplies,
  key: string,
  caller: ReplyCaller,
): Reply | Promise<Reply> | undefined {
  const found = replies.find(key, caller);
  if (found === undefined) return undefined;
  const { value, results } = found;
  const keepGrown = () => replies.grow(key, caller, { value, bytes: value.bytes });
  return value.reply(results, caller.head.headers['accept-encoding'], keepGrown);
}

async function answerNew(
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
