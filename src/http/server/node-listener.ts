import type { RequestListener, ServerResponse } from 'node:http';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import type { AddressList } from '../../config/address-list.ts';
import { bodyOfNode } from '../body.ts';
import type { ByteBudget } from '../byte-budget.ts';
import type { Handler } from '../handle.ts';
import { headOfNode } from '../head.ts';
import type { FinishedReply } from '../reply.ts';

interface ListenerOptions {
  readonly handle: Handler;
  readonly budget: ByteBudget;
  readonly turns: LoopTurns;
  /** Their X-Forwarded-For is believed. */
  readonly trustedProxies: AddressList | undefined;
}

/** The handler as a listener of Node's server, without Request and Response: they would cost more than a cached reply. */
export function buildNodeListener({
  handle,
  budget,
  turns,
  trustedProxies,
}: ListenerOptions): RequestListener {
  return async (message, response) => {
    const reply = await handle(headOfNode(message, response, trustedProxies), () => bodyOfNode(message));
    const { status, rawHeaders, body } = reply;
    if (typeof body === 'object' && budget.isLarge(body.byteLength)) {
      return sendLarge(reply, body, response, budget, turns);
    }
    // Node omits the body of a response to HEAD.
    response.writeHead(status, rawHeaders as string[]).end(body);
  };
}

/** Sends a body that is charged until its client has taken it. The system copies it, which takes its time too. */
async function sendLarge(
  { status, rawHeaders, keyId }: FinishedReply,
  body: Uint8Array,
  response: ServerResponse,
  budget: ByteBudget,
  turns: LoopTurns,
): Promise<void> {
  const charge = budget.hold(keyId, body);
  const turn = turns.next(keyId);
  if (turn !== undefined) await turn;
  if (response.destroyed) return charge.release();
  // Emitted when the system has taken the last byte, and when the connection is closed.
  response.once('close', () => charge.release());
  response.writeHead(status, rawHeaders as string[]).end(body);
}
