import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { createClient } from '@keyv/redis';
import { openLoopTicks } from '../concurrency/loop-ticks.ts';
import { openReplyWatch, type ReplyWatch } from './reply-watch.ts';
import { checkServer } from './server-replies.ts';

/** The client of one connection. */
export type Client = ReturnType<typeof createConnectionClient>;

/** One connection to Redis. Once it is dropped it stays so; a new one takes its place. */
export interface Connection {
  readonly client: Client;
  /** @returns whether Redis responds and can be used; otherwise the connection is dropped */
  connect(): Promise<boolean>;
  /** Follows a call, as `ReplyWatch` does; the connection is dropped when its reply is overdue. */
  readonly track: ReplyWatch['track'];
  drop(reason: unknown): void;
}

/** How long connecting may take: Redis may be far away or starting, and no request waits for it. */
const connectMs = 1_000;
const connectTickMs = 50;

/** @param onDropped called once, with the first error, or the reason that was given to `drop` */
export function openConnection(url: string, onDropped: (reason: unknown) => void): Connection {
  const closing = new AbortController();
  const client = createConnectionClient(url, closing.signal);
  let isDropped = false;
  const drop = (reason: unknown) => {
    if (isDropped) return;
    isDropped = true;
    replies.close();
    if (client.isOpen) client.destroy();
    // `destroy` does not reach a socket that is still connecting.
    closing.abort();
    onDropped(reason);
  };
  let hasReceived = () => false;
  const replies = openReplyWatch(drop, () => hasReceived());
  client.on('error', drop);

  return {
    client,
    track: replies.track,
    drop,
    async connect() {
      const [connecting, socket] = socketOf(() => client.connect());
      if (socket !== undefined) hasReceived = watchReceived(socket);
      const connected = connecting.then(() => checkServer(client));
      await withinLoopTime(connectMs, connected).catch(drop);
      return !isDropped;
    },
  };
}

function createConnectionClient(url: string, signal: AbortSignal) {
  return createClient({
    url,
    // An offline queue would hold calls for as long as the connection is down.
    disableOfflineQueue: true,
    // Our own time limit replaces `connectTimeout`, which fires before the event loop reads what has arrived.
    socket: { connectTimeout: 0, reconnectStrategy: false, signal },
  });
}

/** @throws when the promise takes longer than this, not counting time in which the event loop was blocked */
function withinLoopTime<R>(ms: number, promise: Promise<R>): Promise<R> {
  return new Promise((resolve, reject) => {
    let elapsedMs = 0;
    const stop = openLoopTicks(connectTickMs, () => {
      elapsedMs += connectTickMs;
      if (elapsedMs < ms) return;
      stop();
      reject(new Error(`no connection within ${ms} ms`));
    });
    promise.finally(stop).then(resolve, reject);
  });
}

/** The socket that a client creates at once when it connects: the client does not give it to anybody. */
function socketOf<R>(connect: () => R): readonly [R, Socket | undefined] {
  let socket: Socket | undefined;
  const onSocket = (message: unknown) => {
    ({ socket } = message as { socket: Socket });
  };
  subscribe('net.client.socket', onSocket);
  try {
    return [connect(), socket];
  } finally {
    unsubscribe('net.client.socket', onSocket);
  }
}

/** @returns true if bytes have been received since it was called last */
function watchReceived(socket: Socket): () => boolean {
  let received = 0;
  return () => {
    const before = received;
    received = socket.bytesRead;
    return received > before;
  };
}
