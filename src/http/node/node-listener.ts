import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import { buildCors, type Cors } from '../access/cors.ts';
import type { Handler } from '../handler/handle.ts';
import { arrivedBody, bodyOfNode } from '../message/body/body.ts';
import type { ByteBudget, ByteCharge } from '../message/byte-budget.ts';
import { NodeRequestHead, type Reception } from '../message/head.ts';
import { type FinishedReply, logUnexpected } from '../message/reply.ts';
import { StreamBody } from '../message/stream/stream-body.ts';
import { countSent, withoutBody } from './count-sent.ts';
import { cutOff } from './cut-off.ts';
import { PreparedResponse } from './prepared-response.ts';
import { sinkOf } from './stream-sink.ts';

interface ListenerOptions extends Reception {
  /** As in `GatewayOptions`. Default: none. */
  readonly corsOrigins?: readonly string[] | '*';
  readonly handle: Handler;
  readonly budget: ByteBudget;
  readonly turns: LoopTurns;
  readonly log: Logger;
}

/** The handler as a listener of Node's server, without Request and Response: they would cost more than a cached reply. */
export function buildNodeListener(options: ListenerOptions): RequestListener {
  const { handle, budget, turns, log } = options;
  /** @returns a promise if the response has to wait for its turn */
  const send = (reply: FinishedReply, response: ServerResponse): Promise<void> | undefined => {
    const { body, owner } = reply;
    if (body instanceof Readable) {
      stream(reply, body, response, log);
      return undefined;
    }
    if (body instanceof StreamBody) {
      // Many may wait for one result.
      const turn = turns.next(owner);
      if (turn !== undefined) return turn.then(() => beginStream(reply, body, response));
      beginStream(reply, body, response);
      return undefined;
    }
    if (!(body instanceof Uint8Array) || body.byteLength <= budget.largeBytes) {
      write(reply, response);
      return undefined;
    }
    // No `close` would follow any more.
    if (response.destroyed) return undefined;
    // The system copies the body, which takes its time too.
    const turn = turns.next(owner);
    if (turn !== undefined) return sendInTurn(reply, response, turn, budget.hold(owner, body));
    write(reply, response);
    if (isWaiting(response)) releaseOnClose(response, budget.hold(owner, body));
    return undefined;
  };
  const answer = (message: IncomingMessage, response: ServerResponse) => {
    const onBug = (err: unknown) => {
      response.destroy();
      logUnexpected(err, log);
    };
    try {
      const arrived = message.method === 'POST' ? arrivedBody(message) : undefined;
      const head = new NodeRequestHead(message, response, options);
      const read = () => {
        headOf.set(message, head);
        return bodyOfNode(message);
      };
      const reply = handle(head, { arrived, read });
      if (reply instanceof Promise) reply.then((later) => send(later, response)).catch(onBug);
      else send(reply, response)?.catch(onBug);
    } catch (error) {
      onBug(error);
    }
  };
  const listener: RequestListener = (message, response) => {
    turns.noteArrival();
    // A body that came in one packet with the head is there then: neither events nor a promise are needed to read it.
    if (message.method === 'POST') process.nextTick(answer, message, response);
    else answer(message, response);
  };
  corsOf.set(listener, buildCors(options.corsOrigins ?? []));
  return listener;
}

/** Of listeners, for a server that replies to what its parser has rejected. */
export const corsOf = new WeakMap<RequestListener, Cors>();

/** Of requests whose body is read, for the reply to a body that the parser rejects. */
export const headOf = new WeakMap<IncomingMessage, NodeRequestHead>();

/** @param charge of the body, while it waits for its turn and until the client has taken it */
async function sendInTurn(
  reply: FinishedReply,
  response: ServerResponse,
  turn: Promise<unknown>,
  charge: ByteCharge,
): Promise<void> {
  await turn;
  if (response.destroyed) return charge.release();
  releaseOnClose(response, charge);
  write(reply, response);
}

/** Sends a body as fast as the client takes it. One that cannot be completed ends with the connection, so that the client notices. */
function stream(reply: FinishedReply, body: Readable, response: ServerResponse, log: Logger): void {
  writeHead(reply, response);
  const { req, socket } = response;
  if (req.method === 'HEAD') {
    withoutBody(reply, body);
    response.end();
    return;
  }
  if (req.httpVersion === '1.0' && socket !== null) body.once('error', () => cutOff(socket));
  pipeline(body, response, (err) => {
    if (err !== undefined && err !== null && err.code !== 'ERR_STREAM_PREMATURE_CLOSE') {
      logUnexpected(err, log);
    }
  });
  countSent(reply, body);
}

function beginStream(reply: FinishedReply, body: StreamBody, response: ServerResponse): void {
  if (response.destroyed) {
    body.discard();
    return;
  }
  const { socket } = response;
  socket?.cork();
  writeHead(reply, response).flushHeaders();
  const onClose = body.begin(sinkOf(response));
  socket?.uncork();
  if (response instanceof PreparedResponse) response.forgetHead();
  response.once('close', onClose);
}

/** True while a part of the response is still in memory: the system takes as much as it can at once. */
function isWaiting(response: ServerResponse): boolean {
  return response.writableLength > 0;
}

/** Emitted when the system has taken the last byte, and when the connection is closed. */
function releaseOnClose(response: ServerResponse, charge: ByteCharge): void {
  response.once('close', () => charge.release());
}

function writeHead(reply: FinishedReply, response: ServerResponse): ServerResponse {
  if (response instanceof PreparedResponse) return response.writePrepared(reply);
  return response.writeHead(reply.status, reply.headers.raw(reply.requestId));
}

/** Node omits the body of a response to HEAD. */
function write(reply: FinishedReply, response: ServerResponse): void {
  const { body, recycle } = reply;
  writeHead(reply, response).end(body as Exclude<typeof body, StreamBody>);
  if (recycle === undefined) return;
  if (isWaiting(response)) response.once('close', recycle);
  else recycle();
}
