import type { Server } from 'node:http';
import type { Logger } from 'pino';
import type { Connections } from './connections.ts';

/** What is shut down. */
export interface Closable {
  /** Makes `/readyz` answer 503. */
  drain(): void;
  close(): Promise<void>;
}

/** What the process tells whoever watches over it. */
export const exitCode = { ended: 0, cut: 1, badStart: 2, bug: 3 } as const;

/** How long requests in flight may take to finish, in milliseconds. */
const endWithinMs = 10_000;

/** How long it still listens: closing drops connections whose request has come, but was not read yet. */
const stillListenMs = 200;

/** How long a body that is still coming is waited for. */
const bodyWithinMs = 2_000;

/** How long closing may take once everything was cut. */
const closeWithinMs = 2_000;

/**
 * Ends the process on SIGTERM and SIGINT while it opens: nobody has asked it anything yet, and the store outlives any end.
 * Without this the first process of a container would not hear them at all.
 *
 * @returns ends this, where `endInOrder` takes over
 */
export function endAtOnce(): () => void {
  const end = () => process.exit(exitCode.ended);
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  return () => {
    process.off('SIGTERM', end);
    process.off('SIGINT', end);
  };
}

/**
 * Ends the process on SIGTERM and SIGINT: it tells that it is not ready, finishes what is in flight, closes in order. A
 * second signal cuts what is left. A bug that nobody caught ends it in the same order, because what it has left behind is
 * not known, and because other callers' requests have done nothing wrong.
 */
export function endInOrder(server: Server, connections: Connections, app: Closable, log: Logger): void {
  let ending = false;
  const end = (code: number) => {
    ending = true;
    app.drain();
    server.prependListener('request', (_, response) => {
      response.shouldKeepAlive = false;
    });
    setTimeout(() => cut(server, app), endWithinMs).unref();
    setTimeout(() => finish(server, connections, app, code), stillListenMs);
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (ending) return void cut(server, app);
    log.info({ signal }, 'ending: requests in flight may finish');
    end(exitCode.ended);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  process.on('uncaughtException', (err) => {
    log.fatal({ err }, 'a bug in the gateway: ending; requests in flight may finish');
    if (!ending) end(exitCode.bug);
  });
  // Whatever waited for it has its own answer or time-out.
  process.on('unhandledRejection', (err) => log.error({ err }, 'a bug in the gateway'));
}

function finish(server: Server, connections: Connections, app: Closable, code: number): void {
  // Whoever is kept alive, has yet to ask, or never will, would hold the server open.
  const bodiesUntil = performance.now() + bodyWithinMs;
  const closeUnused = () => {
    const waitsForBodies = performance.now() < bodiesUntil;
    for (const [socket, { waiting }] of connections) {
      if (![...waiting].some(({ req }) => req.complete || waitsForBodies)) socket.destroy();
    }
  };
  setInterval(closeUnused, 20).unref();
  server.close(async () => {
    await app.close();
    process.exit(code);
  });
}

/** The process cannot exit while a query runs on one of its threads: closing the engine stops it first. */
async function cut(server: Server, app: Closable): Promise<void> {
  setTimeout(() => process.exit(exitCode.cut), closeWithinMs).unref();
  server.closeAllConnections();
  await app.close();
  process.exit(exitCode.cut);
}
