import { JoinedCallers } from '../../../concurrency/abort.ts';
import { keyOf, type Owner } from '../../../concurrency/fair-share.ts';
import type { LoopTurns } from '../../../concurrency/loop-turns.ts';
import type { CachedResult } from '../../../results/get-result.ts';
import type { RequestHead } from '../../message/head.ts';
import type { Reply } from '../../message/reply.ts';
import { BodyMemory } from '../../message/body/body-memory.ts';
import type { DerivedCache } from './derived-cache.ts';
import type { OperationRequest } from './operation-request.ts';
import type { RenderBody } from './render-body.ts';
import { RenderedResponse } from './rendered-response.ts';

export interface RenderReplyOptions {
  readonly derived: DerivedCache;
  readonly turns: LoopTurns;
}

/** A response that has to be rendered. */
interface NewResponse {
  readonly key: string;
  readonly request: OperationRequest;
  readonly results: readonly CachedResult[];
  readonly head: RequestHead;
  readonly owner: Owner;
}

/** A rendering that is under way. */
interface Running {
  readonly rendered: Promise<Rendered>;
  readonly callers: JoinedCallers;
  /** Whether several requests wait for it. */
  isShared: boolean;
}

interface Rendered {
  /** undefined if a cell does not fit its type. */
  readonly response: RenderedResponse | undefined;
  /** The memory of the body, if it is to be given back. */
  readonly memory: Buffer | undefined;
}

/** Equal requests of a key that arrive while the response is being rendered wait for it. */
export function buildRenderReply(renderBody: RenderBody, { derived, turns }: RenderReplyOptions) {
  const bodyMemory = new BodyMemory();
  const renderings = new Map<string, Running>();

  const render = async (
    { key, request, results, head, owner }: NewResponse,
    callers: JoinedCallers,
  ): Promise<Rendered> => {
    const isKept = derived.isRepeated(key);
    let memory: Buffer | undefined;
    const allocate = (byteLength: number) => {
      // A small buffer from Node's pool that is kept would keep its whole slab in memory.
      if (isKept) return Buffer.allocUnsafeSlow(byteLength);
      memory = bodyMemory.take(byteLength);
      return memory;
    };
    const body = await renderBody({ request, results, errors: undefined, owner, head: callers, allocate });
    if (body === undefined) return { response: undefined, memory };
    const response = new RenderedResponse(body);
    if (head.method === 'GET' && results.length > 0) await response.hash(turns, owner);
    // A schema is long, and each client requests it once.
    if (results.length === 0 && head.headers['accept-encoding'] !== undefined) await response.compress();
    return { response, memory };
  };
  return async (response: NewResponse): Promise<Reply | undefined> => {
    const { key, head, owner } = response;
    // Another key's share of memory must not decide about this one's.
    const renderingKey = `${keyOf(owner)} ${key}`;
    const known = renderings.get(renderingKey);
    if (known !== undefined && !known.callers.haveGone) {
      known.callers.add(head);
      known.isShared = true;
      return replyWith((await known.rendered).response, response);
    }
    const callers = new JoinedCallers();
    callers.add(head);
    const running: Running = { rendered: render(response, callers), callers, isShared: false };
    renderings.set(renderingKey, running);
    try {
      const { response: made, memory } = await running.rendered;
      const reply = replyWith(made, response);
      if (reply === undefined || memory === undefined || running.isShared) return reply;
      return { ...reply, recycle: () => bodyMemory.giveBack(memory) };
    } finally {
      if (renderings.get(renderingKey) === running) renderings.delete(renderingKey);
    }
  };
}

function replyWith(
  rendered: RenderedResponse | undefined,
  { request, results, head }: NewResponse,
): Reply | undefined {
  return rendered && { ...rendered.reply(head, results), madeOf: rendered.madeOf(head.method, request) };
}
