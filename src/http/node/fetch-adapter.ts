import { PassThrough, pipeline, Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { Clock } from '../../concurrency/clock.ts';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import { bodyOfFetch } from '../message/body/body.ts';
import type { Handler } from '../handler/handle.ts';
import { headOfFetch, type Reception } from '../message/head.ts';
import { StreamBody } from '../message/stream/stream-body.ts';
import { countSent, withoutBody } from './count-sent.ts';
import { webStreamOf } from './stream-sink.ts';

/**
 * The connection of a request, as a server describes it: `{ address }` with the address of its other end, or the
 * argument that Bun, Deno and hono give to a handler of requests, in which the address is found.
 */
export type Connection = object & { readonly address?: unknown };

interface FetchOptions extends Reception {
  readonly handle: Handler;
  readonly turns: LoopTurns;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The handler as a Fetch handler, for servers other than Node's. */
export function buildFetch(options: FetchOptions) {
  const { handle, turns, clock, log } = options;
  let isReported = false;
  const addressOf = (request: Request, connection: Connection | undefined) => {
    const address = peerAddress(request, connection);
    if (address === undefined && !isReported) log.warn(noAddress);
    isReported ||= address === undefined;
    return address;
  };
  return async (request: Request, connection?: Connection): Promise<Response> => {
    turns.noteArrival();
    const head = headOfFetch(request, () => addressOf(request, connection), options);
    const reply = await handle(head, { arrived: undefined, read: () => bodyOfFetch(request, clock) });
    const { status, body } = reply;
    const raw = reply.headers.raw(reply.requestId);
    const headers = new Headers();
    for (let at = 0; at < raw.length; at += 2) headers.append(raw[at] ?? '', raw[at + 1] ?? '');
    const init = { status, headers };
    if (body instanceof Readable && request.method === 'HEAD') withoutBody(reply, body);
    else if (body instanceof Readable) {
      const bytes = inBytes(body);
      const response = new Response(Readable.toWeb(bytes) as ReadableStream, init);
      countSent(reply, bytes);
      return response;
    }
    if (body instanceof StreamBody) {
      // As over a socket.
      await turns.next(reply.owner);
      return new Response(webStreamOf(body), init);
    }
    const hasBody = request.method !== 'HEAD' && body !== undefined;
    return new Response(hasBody ? new Uint8Array(Buffer.from(body as Uint8Array)) : null, init);
  };
}

/** A stream of texts as one of bytes, which a Response requires. */
const inBytes = (body: Readable): Readable =>
  body.readableObjectMode || body.readableEncoding !== null
    ? pipeline(body, new PassThrough(), () => {})
    : body;

const noAddress =
  'the server does not say the addresses of callers: wrong keys are not slowed down, and keys that are bound to addresses are refused; give fetch { address }';

/** The second argument of a handler, as servers give it. */
interface ServerArgument {
  readonly address?: unknown;
  /** Bun's server. */
  requestIP?(request: Request): { readonly address?: unknown } | null;
  /** Deno's information. */
  readonly remoteAddr?: { readonly hostname?: unknown };
  /** Given by hono's server for Node. */
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: unknown } };
}

function peerAddress(request: Request, given: ServerArgument | null | undefined): string | undefined {
  const connection = given ?? {};
  const { address, remoteAddr, incoming } = connection;
  const found =
    typeof connection.requestIP === 'function'
      ? connection.requestIP(request)?.address
      : (address ?? remoteAddr?.hostname ?? incoming?.socket?.remoteAddress);
  return typeof found === 'string' ? found : undefined;
}
