import { createClient } from '@keyv/redis';
import type { Logger } from 'pino';

/** One connection's client. */
export type Client = ReturnType<typeof openClient>;

/** A connection that is there or not, and of which no call waits longer than the deadline. */
export interface Link<T> {
  /** Resolves when the first attempt to connect has ended, well or not. */
  readonly tried: Promise<void>;
  /** @returns undefined at once while the connection is down, and where the call fails */
  call<R>(work: (connected: T) => Promise<R>): Promise<R | undefined>;
  close(): Promise<void>;
}

export interface LinkOptions<T> {
  readonly url: string;
  readonly log: Logger;
  /** What is built on each connection. */
  readonly build: (client: Client) => T;
  /** Called each time that a connection has come. */
  readonly onUp: () => void;
}

/** What one call may cost a request, and only the first that meets a Redis that has stopped to answer. */
export const deadlineMs = 100;

/** How long a connection may take; Redis is far away or starting, and no request waits for it. */
const connectMs = 1_000;

const retryMs = 500;

/**
 * A breaker around one connection: the first call that fails or is late drops the connection, and every other one goes on
 * without; a new one is tried in the background until Redis answers on it.
 */
export function openLink<T>({ url, log, build, onUp }: LinkOptions<T>): Link<T> {
  let client: Client | undefined;
  let connected: T | undefined;
  let state: 'starting' | 'up' | 'down' | 'closed' = 'starting';
  let retry: NodeJS.Timeout | undefined;

  const connect = async () => {
    const fresh = openClient(url);
    client = fresh;
    fresh.on('error', (error: Error) => drop(fresh, error));
    try {
      await within(connectMs, fresh.connect());
      await within(connectMs, fresh.ping());
    } catch (error) {
      return drop(fresh, error);
    }
    if (client !== fresh) return;
    connected = build(fresh);
    state = 'up';
    log.info('the shared cache answers');
    onUp();
  };

  const drop = (dropped: Client, error: unknown) => {
    if (client !== dropped) return;
    client = undefined;
    connected = undefined;
    if (dropped.isOpen) dropped.destroy();
    if (state !== 'down')
      log.warn({ reason: reasonOf(error) }, 'the shared cache does not answer; going on without it');
    // A call that was late may be an accident: the first attempt to come back is made at once.
    const waitMs = state === 'up' ? 0 : retryMs;
    state = 'down';
    retry = setTimeout(connect, waitMs).unref();
  };

  const tried = connect();
  let refusedBy: Client | undefined;
  return {
    tried,
    async call(work) {
      const [current, on] = [client, connected];
      if (current === undefined || on === undefined) return undefined;
      try {
        return await within(deadlineMs, work(on));
      } catch (error) {
        // Redis has answered, if only to refuse: it is full or read-only, or something else stands there (WRONGTYPE).
        if (!isReply(error)) drop(current, error);
        else if (refusedBy !== current && !reasonOf(error).startsWith('WRONGTYPE')) {
          refusedBy = current;
          log.warn({ reason: reasonOf(error) }, 'the shared cache refuses what is asked of it');
        }
        return undefined;
      }
    },
    async close() {
      state = 'closed';
      clearTimeout(retry);
      const last = client;
      client = undefined;
      connected = undefined;
      if (last?.isOpen) last.destroy();
    },
  };
}

function openClient(url: string) {
  // Without a queue for calls that wait for a connection: they would wait for as long as it is away.
  return createClient({
    url,
    disableOfflineQueue: true,
    socket: { connectTimeout: connectMs, reconnectStrategy: false },
  });
}

/** Late only where no reply stands in the socket yet: a busy event loop fires timers before it reads. */
function within<R>(ms: number, reply: Promise<R>): Promise<R> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(() => reject(new Error(`no reply within ${ms} ms`))), ms);
    reply.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Redis's own errors begin with a word in capitals, as in `OOM command not allowed…`. */
function isReply(error: unknown): boolean {
  return error instanceof Error && /^[A-Z]{2,} /.test(error.message);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
