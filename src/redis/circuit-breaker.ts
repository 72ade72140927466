import type { Logger } from 'pino';
import { type Client, type Connection, openConnection } from './connection.ts';

/** A connection that no call waits for when it is down or no longer responds. */
export interface CircuitBreaker<T> {
  /** Resolves when the first attempt to connect has succeeded or failed. */
  readonly ready: Promise<void>;
  isUp(): boolean;
  /** @returns undefined at once while the connection is down, and when the call fails */
  call<R>(work: (connected: T) => Promise<R>): Promise<R | undefined>;
  close(): Promise<void>;
}

interface CircuitBreakerOptions<T> {
  readonly url: string;
  /** What the connection is for, as the log names it: `the shared cache`. */
  readonly name: string;
  readonly log: Logger;
  /** Builds what calls work with, for each connection. */
  readonly build: (client: Client) => T;
  /** Called each time that a connection has been made. */
  readonly onConnected?: () => void;
}

const retryMs = 500;

/**
 * A circuit breaker around one connection to Redis. The first failure, or a silence of the connection, opens it: the
 * connection is dropped, and all calls return at once. A new connection is tried in the background until Redis responds.
 */
export function openCircuitBreaker<T>(options: CircuitBreakerOptions<T>): CircuitBreaker<T> {
  const { url, name, log, build, onConnected } = options;
  let state: 'starting' | 'up' | 'down' | 'closed' = 'starting';
  let connection: Connection;
  let connected: T | undefined;
  let retry: NodeJS.Timeout | undefined;

  const connect = async () => {
    const attempt = openConnection(url, onDropped);
    connection = attempt;
    if (!(await attempt.connect())) return;
    connected = build(attempt.client);
    state = 'up';
    log.info(`connected to ${name}`);
    onConnected?.();
  };
  const onDropped = (reason: unknown) => {
    connected = undefined;
    if (state === 'closed') return;
    if (state !== 'down') {
      log.warn({ reason: messageOf(reason) }, `${name} does not respond; continuing without it`);
    }
    // The failure may have been transient: the first attempt to reconnect is made at once.
    const waitMs = state === 'up' ? 0 : retryMs;
    state = 'down';
    retry = setTimeout(connect, waitMs).unref();
  };
  const logRejection = buildLogRejection(name, log);

  const ready = connect();
  return {
    ready,
    isUp: () => state === 'up',
    async call(work) {
      const current = connection;
      if (connected === undefined) return undefined;
      try {
        return await current.track(work(connected));
      } catch (error) {
        if (isErrorReply(error)) logRejection(current, messageOf(error));
        else current.drop(error);
        return undefined;
      }
    },
    async close() {
      state = 'closed';
      clearTimeout(retry);
      connection.drop('closed');
    },
  };
}

/** Logs that Redis responds, but is full or read-only; once for each connection. */
function buildLogRejection(name: string, log: Logger): (connection: Connection, reason: string) => void {
  const logged = new WeakSet<Connection>();
  return (connection, reason) => {
    // The key holds foreign data, which is an ordinary miss.
    if (reason.startsWith('WRONGTYPE') || logged.has(connection)) return;
    logged.add(connection);
    log.warn({ reason }, `${name} rejects commands`);
  };
}

/** Redis's own errors begin with a word in capitals, e.g. `OOM command not allowed…`. */
function isErrorReply(error: unknown): boolean {
  return error instanceof Error && /^[A-Z]{2,} /.test(error.message);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
