import type { Server } from 'node:http';
import type { Logger } from 'pino';
import { exitCode } from '../../exit-code.ts';
import { type Connections, errorToLog } from '../../exports/node.ts';

/** The part of the app that a shutdown needs. */
interface Closable {
  /** Makes `/readyz` answer 503. */
  drain(): void;
  /** Ends what clients follow: such a response would never finish. */
  endStreams(): void;
  close(): Promise<void>;
}

/** How long requests in flight may take to finish. */
const finishTimeoutMs = 10_000;

/** How long the server listens at least: closing drops connections whose request has arrived but has not been read. */
const minDelayMs = 200;

/** How long to wait for bodies that are still arriving. */
const bodyTimeoutMs = 2_000;

/** How long closing the app may take after all connections were closed by force. */
const closeTimeoutMs = 2_000;

/**
 * Ends the process at once on SIGTERM and SIGINT while it starts: no request has been accepted yet, and the store survives
 * a kill at any time. Without a handler the first process of a container would ignore both signals.
 *
 * @returns removes the handlers, once `shutDownOnSignal` takes over
 */
export function exitOnSignal(): () => void {
  const exit = () => process.exit(exitCode.ok);
  process.on('SIGTERM', exit);
  process.on('SIGINT', exit);
  return () => {
    process.off('SIGTERM', exit);
    process.off('SIGINT', exit);
  };
}

interface ShutdownOptions {
  readonly server: Server;
  readonly connections: Connections;
  readonly app: Closable;
  readonly log: Logger;
  /** How long requests are still served after `/readyz` has ceased to be ready. */
  readonly delaySeconds: number;
}

/**
 * Ends the process on SIGTERM and SIGINT: reports that it is not ready, goes on serving until balancers have noticed,
 * finishes requests in flight, closes the app. A second signal ends them by force. An uncaught exception ends it the same
 * way, without the delay: the state it leaves behind is unknown, but the requests of other callers are not at fault.
 */
export function shutDownOnSignal({ server, connections, app, log, delaySeconds }: ShutdownOptions): void {
  let isEnding = false;
  const end = (code: number, delayMs: number) => {
    isEnding = true;
    app.drain();
    closeAfterResponse(server, connections);
    setTimeout(() => {
      setTimeout(() => forceExit({ server, connections, app, log }), finishTimeoutMs).unref();
      afterReading(() => finishRequests(server, connections, app, code));
    }, delayMs);
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (isEnding) return void forceExit({ server, connections, app, log });
    log.info({ signal, delaySeconds }, 'shutting down; requests in flight may finish');
    end(exitCode.ok, Math.max(delaySeconds * 1000, minDelayMs));
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  process.on('uncaughtException', (err) => {
    log.fatal(
      { err: errorToLog(err, log) },
      'a bug in the gateway: shutting down; requests in flight may finish',
    );
    if (!isEnding) end(exitCode.bug, minDelayMs);
  });
  // Whatever awaited the promise has its own reply or timeout.
  process.on('unhandledRejection', (err) => log.error({ err: errorToLog(err, log) }, 'a bug in the gateway'));
}

/** From now on a response says that its connection closes, so that the client opens its next one at another gateway. */
function closeAfterResponse(server: Server, connections: Connections): void {
  for (const { last } of connections.values()) if (last !== undefined) last.shouldKeepAlive = false;
  server.prependListener('request', (_, response) => {
    response.shouldKeepAlive = false;
  });
}

function finishRequests(server: Server, connections: Connections, app: Closable, code: number): void {
  app.endStreams();
  // Idle connections, and those that never send a complete request, would keep the server open.
  const bodiesUntil = performance.now() + bodyTimeoutMs;
  const closeUnused = () => {
    const mayAwaitBodies = performance.now() < bodiesUntil;
    for (const [socket, { pending }] of connections) {
      if (![...pending].some(({ req }) => req.complete || mayAwaitBodies)) socket.destroy();
    }
  };
  setInterval(() => afterReading(closeUnused), 20).unref();
  // It closes idle connections too.
  server.close(async () => {
    await app.close();
    process.exit(code);
  });
}

/** An immediate runs when all that has arrived has been read: a connection that seems idle then is idle. */
const afterReading = (work: () => void) => setImmediate(work);

/** The process cannot exit while a query runs on one of its threads: closing the engine stops it first. */
async function forceExit({
  server,
  connections,
  app,
  log,
}: Omit<ShutdownOptions, 'delaySeconds'>): Promise<void> {
  setTimeout(() => process.exit(exitCode.forced), closeTimeoutMs).unref();
  const requests = [...connections.values()].reduce((sum, { pending }) => sum + pending.length, 0);
  if (requests > 0) log.warn({ requests }, 'requests were cut off');
  // To a client of HTTP/1.0 any other end of a connection is that of the body.
  for (const [socket, { pending }] of connections)
    if (pending.some(({ req }) => req.httpVersion === '1.0')) socket.resetAndDestroy();
  server.closeAllConnections();
  await app.close();
  process.exit(exitCode.forced);
}
