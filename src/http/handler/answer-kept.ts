import { hash } from 'node:crypto';
import type { Admission, Caller } from '../../call/caller.ts';
import type { Answers, FoundAnswer } from '../../answers/answers.ts';
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

/**
 * Answers an admitted request with a reply that was kept, or as its route does.
 *
 * @returns not a promise if it was kept and the request has no body; the first caller who accepts a coding waits for it
 */
export function answerKept(
  { answer, keptBy }: Pick<Route, 'answer' | 'keptBy'>,
  replies: KeptReplies,
  ...[head, request, admission, readBody]: [RequestHead, PreparedRequest, Admission, ReadBody]
): Reply | Promise<Reply> {
  const headers = admission.noCache ? undefined : keptBy?.(head);
  if (headers === undefined) return answer(head, request, admission, readBody);
  const caller = { head, admission };
  const find = (key: string, read: ReadBody) => {
    const found = replies.find(key, caller);
    if (found !== undefined) return sendAgain(found, key, caller, replies);
    const keep = (reply: Reply) => keepReply(reply, key, caller, replies);
    const reply = answer(head, request, admission, read);
    return reply instanceof Promise ? reply.then(keep) : keep(reply);
  };
  // No header has a line break.
  const key = `${headers}\n${head.url}`;
  if (head.method !== 'POST') return find(`${head.method}\n${key}`, readBody);
  return readBody().then((body) => {
    const read = () => Promise.resolve(body);
    if (body.byteLength > maxKeyedBytes) return answer(head, request, admission, read);
    return find(`POST ${hash('sha256', body, 'base64url')}\n${key}`, read);
  });
}

function sendAgain(
  { value, results }: FoundAnswer<KeptReply>,
  key: string,
  caller: ReplyCaller,
  replies: KeptReplies,
): Reply | Promise<Reply> {
  const accepted = caller.head.headers['accept-encoding'];
  // Not every caller accepts a coding, and then it would be work for nothing.
  const compressed = accepted === undefined ? undefined : value.compress();
  if (compressed === undefined) return value.replyAt(results, accepted);
  return compressed.then(() => {
    replies.keep(key, caller, () => ({ value, bytes: value.bytes }));
    return value.replyAt(results, accepted);
  });
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
