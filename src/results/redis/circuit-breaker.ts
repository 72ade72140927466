import { createClient } from '@keyv/redis';
import type { Logger } from 'pino';
import { openLoopTicks } from '../../concurrency/loop-ticks.ts';
import { openReplyWatch, type ReplyWatch } from './reply-watch.ts';

/** The client of one connection. */
export type Client = ReturnType<typeof createConnection>['client'];

/** A connection that no call waits for when it is down or no longer responds. */
export interface CircuitBreaker<T> {
  /** Resolves when the first attempt to connect has succeeded or failed. */
  readonly ready: Promise<void>;
  /** @returns undefined at once while the connection is down, and when the call fails */
  call<R>(work: (connected: T) => Promise<R>): Promise<R | undefined>;
  close(): Promise<void>;
}

interface CircuitBreakerOptions<T> {
  readonly url: string;
  readonly log: Logger;
  /** Builds what calls work with, for each connection. */
  readonly build: (client: Client) => T;
  /** Called each time that a connection has been made. */
  readonly onConnected: () => void;
}

interface Connection<T> {
  readonly client: Client;
  readonly connected: T;
  readonly replies: ReplyWatch;
  hasLoggedRejection: boolean;
}

/** How long connecting may take: Redis may be far away or starting, and no request waits for it. */
const connectMs = 1_000;

const retryMs = 500;

/**
 * A circuit breaker around one connection to Redis. The first failure, or a silence of the connection, opens it: the
 * connection is dropped, and all calls return at once. A new connection is tried in the background until Redis responds.
 */
export function openCircuitBreaker<T>(options: CircuitBreakerOptions<T>): CircuitBreaker<T> {
  const { url, log, build, onConnected } = options;
  let connection: Connection<T> | undefined;
  let dropCurrent = (_reason: unknown) => {};
  let state: 'starting' | 'up' | 'down' | 'closed' = 'starting';
  let retry: NodeJS.Timeout | undefined;

  const connect = async () => {
    const { client, destroy } = createConnection(url);
    let isDropped = false;
    const drop = (reason: unknown) => {
      if (isDropped) return;
      isDropped = true;
      connection?.replies.close();
      connection = undefined;
      destroy();
      if (state === 'closed') return;
      if (state !== 'down') {
        log.warn({ reason: messageOf(reason) }, 'the shared cache does not respond; continuing without it');
      }
      // The cause may have been an accident: the first attempt to reconnect is made at once.
      const waitMs = state === 'up' ? 0 : retryMs;
      state = 'down';
      retry = setTimeout(connect, waitMs).unref();
    };
    dropCurrent = drop;
    client.on('error', drop);
    try {
      await withinLoopTime(
        connectMs,
        client.connect().then(() => client.ping()),
      );
    } catch (error) {
      return drop(error);
    }
    if (isDropped) return;
    connection = {
      client,
      connected: build(client),
      replies: openReplyWatch(drop),
      hasLoggedRejection: false,
    };
    state = 'up';
    log.info('connected to the shared cache');
    onConnected();
  };

  const ready = connect();
  return {
    ready,
    async call(work) {
      const current = connection;
      if (current === undefined) return undefined;
      try {
        return await current.replies.track(work(current.connected));
      } catch (error) {
        if (!isErrorReply(error)) {
          if (current === connection) dropCurrent(error);
        } else if (!current.hasLoggedRejection && !messageOf(error).startsWith('WRONGTYPE')) {
          // Redis responds, but is full or read-only. WRONGTYPE: the key holds foreign data, which is a miss.
          current.hasLoggedRejection = true;
          log.warn({ reason: messageOf(error) }, 'the shared cache rejects commands');
        }
        return undefined;
      }
    },
    async close() {
      state = 'closed';
      clearTimeout(retry);
      dropCurrent(undefined);
    },
  };
}

function createConnection(url: string) {
  const closing = new AbortController();
  const client = createClient({
    url,
    // An offline queue would hold calls for as long as the connection is down.
    disableOfflineQueue: true,
    // Our own time limit replaces its connectTimeout, which fires before the event loop reads what has arrived.
    socket: { connectTimeout: 0, reconnectStrategy: false, signal: closing.signal },
  });
  return {
    client,
    destroy() {
      if (client.isOpen) client.destroy();
      // `destroy` does not reach a socket that is not connected yet.
      closing.abort();
    },
  };
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

const connectTickMs = 50;

/** Redis's own errors begin with a word in capitals, e.g. `OOM command not allowed…`. */
function isErrorReply(error: unknown): boolean {
  return error instanceof Error && /^[A-Z]{2,} /.test(error.message);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
