import type { Logger } from 'pino';
import { StartError } from '../errors.ts';
import { type Client, type Connection, openConnection } from './connection.ts';
import type { CallOptions } from './reply-watch.ts';
import { checkWrites, endsConnection, replyCode, UnsupportedServer } from './server-replies.ts';

/** A connection that no call waits for when it is down or no longer responds. */
export interface CircuitBreaker<T> {
  /**
   * Resolves when the first attempt to connect has succeeded or failed.
   *
   * @throws StartError if the server is one that gateways cannot share
   */
  readonly ready: Promise<void>;
  isUp(): boolean;
  /** True if it is up and has rejected no command in the last minute, as a Redis does that is full. */
  isServing(): boolean;
  /** @returns undefined at once while the connection is down, and when the call fails or is passed over */
  call<R>(work: (connected: T) => Promise<R>, options?: CallOptions<NoInfer<R>>): Promise<R | undefined>;
  /** Replaces a connection that is up: the server may be another one now. */
  renew(): void;
  close(): Promise<void>;
}

interface CircuitBreakerOptions<T> {
  readonly url: string;
  /** The purpose of the connection, as the log names it: `the shared cache`. */
  readonly name: string;
  readonly log: Logger;
  /** Builds what calls work with, for each connection. */
  readonly build: (client: Client) => T;
  /** Called each time that a connection has been made. */
  readonly onConnected?: () => void;
  /** True if it only listens: such a connection can do nothing else. */
  readonly listens?: true;
}

const retryMs = 500;

/** How often it is checked that the server can still be written: reads and silence do not show that it cannot. */
const checkEveryMs = 2_000;

/** How often the log repeats what is still wrong. */
const warnEveryMs = 60_000;

/**
 * A circuit breaker around one connection to Redis. The first failure, a silence of the connection, or a reply that says
 * that this server cannot serve it, opens it: the connection is dropped, and all calls return at once. A new connection is
 * tried in the background until Redis responds.
 */
export function openCircuitBreaker<T>(options: CircuitBreakerOptions<T>): CircuitBreaker<T> {
  const { url, name, log, build, onConnected, listens } = options;
  let state: 'starting' | 'up' | 'down' | 'closed' = 'starting';
  let connection: Connection;
  let connected: T | undefined;
  let retry: NodeJS.Timeout | undefined;
  let checks: NodeJS.Timeout | undefined;
  let upSince = 0;
  let unsupported: UnsupportedServer | undefined;
  let rejectedAt = Number.NEGATIVE_INFINITY;
  const warn = buildWarn(log);

  const connect = async () => {
    const attempt = openConnection(url, onDropped);
    connection = attempt;
    if (!(await attempt.connect())) return;
    connected = build(attempt.client);
    state = 'up';
    rejectedAt = Number.NEGATIVE_INFINITY;
    upSince = performance.now();
    log.info(`connected to ${name}`);
    if (listens !== true)
      checks = setInterval(async () => {
        const rejection = await checkWrites(attempt.client).catch(attempt.drop);
        if (rejection !== undefined) noteRejection(rejection);
      }, checkEveryMs).unref();
    onConnected?.();
  };
  const onDropped = (reason: unknown) => {
    connected = undefined;
    clearInterval(checks);
    if (state === 'closed') return;
    if (state === 'starting' && reason instanceof UnsupportedServer) unsupported = reason;
    const isRefusal = reason instanceof UnsupportedServer || replyCode(reason) !== undefined;
    const what = isRefusal ? `refuses: ${messageOf(reason)}` : 'does not respond';
    if (reason !== renewed)
      warn(messageOf(reason), `${name} ${what}; continuing without it`, state !== 'down');
    // The failure may have been transient: the first attempt to reconnect is made at once.
    const waitMs = state === 'up' && performance.now() - upSince > retryMs ? 0 : retryMs;
    state = 'down';
    retry = setTimeout(connect, waitMs).unref();
  };

  const noteRejection = (error: unknown) => {
    rejectedAt = performance.now();
    warn(messageOf(error), `${name} rejects commands`);
  };

  const ready = connect().then(() => {
    if (unsupported === undefined) return;
    throw new StartError('The gateway cannot start', [{ message: `${name}: ${unsupported.message}` }]);
  });
  // Not everything that is opened is waited for.
  ready.catch(() => {});
  return {
    ready,
    isUp: () => state === 'up',
    isServing: () => state === 'up' && performance.now() - rejectedAt > warnEveryMs,
    async call(work, options) {
      const current = connection;
      if (connected === undefined) return undefined;
      try {
        return await current.track(work(connected), options);
      } catch (error) {
        if (endsConnection(error)) current.drop(error);
        // The key holds foreign data, which is an ordinary miss.
        else if (replyCode(error) !== 'WRONGTYPE') noteRejection(error);
        return undefined;
      }
    },
    renew() {
      if (state === 'up') connection.drop(renewed);
    },
    async close() {
      state = 'closed';
      clearTimeout(retry);
      connection.drop('closed');
    },
  };
}

const renewed = Symbol('renewed');

/** @returns logs a reason, at most once a minute if Redis's code in it is the same, or if it has none, unless it `isNew` */
function buildWarn(log: Logger): (reason: string, message: string, isNew?: boolean) => void {
  const warnedAt = new Map<string, number>();
  return (reason, message, isNew = false) => {
    const kind = `${message} ${/^[A-Z]{2,}(?= )/.exec(reason)}`;
    const now = performance.now();
    if (!isNew && now < (warnedAt.get(kind) ?? Number.NEGATIVE_INFINITY) + warnEveryMs) return;
    warnedAt.set(kind, now);
    log.warn({ reason }, message);
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
