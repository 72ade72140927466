import { createServer, type Server, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Logger, pino } from 'pino';
import { type App, openApp } from './app.ts';
import { type Config, readConfig } from './config.ts';
import { welcome } from './doors/welcome.ts';
import { openProgressLine } from './engine/duckdb/import/progress.ts';
import { StartError } from './errors.ts';
import { makeKey } from './keys/key-text.ts';

const exitCode = { ended: 0, endedLate: 1, badStart: 2 } as const;

/** How long requests in flight may take to finish after SIGTERM. */
const endWithinMs = 10_000;

/** How long it still listens: closing drops connections whose request has come, but was not read yet. */
const stillListenMs = 200;

try {
  await serve(readConfig(process.env));
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(exitCode.badStart);
}

async function serve(config: Config): Promise<void> {
  // Every running query holds one of libuv's workers; of the default four, none would be left to read a file.
  process.env.UV_THREADPOOL_SIZE ??= String(config.engineConcurrency + 12);
  const log = await openLog(config);
  // With a key file nobody needs one more, who could read everything.
  const apiKey = config.apiKey ?? (config.apiKeysFile === undefined ? makeKey().text : undefined);
  const progress = openProgressLine(process.stderr, Date.now);
  const app = await openApp({ config, apiKey, log, onImport: progress.show });
  progress.end();
  const server = createServer(app.listener);
  server.on('clientError', refuseBytes);
  await listen(server, config);
  endOnSignal(server, app, log);

  const { port } = server.address() as AddressInfo;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  // A configured key is a secret of the operator's; one that was made here must be told somewhere.
  const shownKey = config.apiKey === undefined ? (apiKey ?? '$KEY') : '$API_KEY';
  process.stdout.write(welcome(app.catalog, `http://${host}:${port}`, shownKey));
}

/** Lines for people on a terminal, JSON elsewhere; on standard error, which keeps the welcome apart. */
async function openLog({ logLevel: level }: Config): Promise<Logger> {
  if (!process.stderr.isTTY) return pino({ level }, pino.destination(2));
  const { default: pretty } = await import('pino-pretty');
  return pino({ level }, pretty({ destination: 2, sync: true, ignore: 'pid,hostname' }));
}

/** Bytes that are no HTTP request never reach a door; they are told in the one body shape too. */
function refuseBytes({ code }: NodeJS.ErrnoException, socket: Duplex): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const status = code === 'HPE_HEADER_OVERFLOW' ? 431 : code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const body = JSON.stringify({
    error: { code: 'BAD_REQUEST', message: 'This is no HTTP request that can be read' },
  });
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json`;
  socket.end(`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
}

function listen(server: Server, { port, host }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', ({ message }) => {
      reject(
        new StartError('The service cannot listen', [{ message: `PORT ${port}, HOST ${host}: ${message}` }]),
      );
    });
    server.listen(port, host, resolve);
  });
}

function endOnSignal(server: Server, app: App, log: Logger): void {
  let ending = false;
  const end = (signal: NodeJS.Signals) => {
    if (ending) return cut(server, app);
    ending = true;
    log.info({ signal }, 'ending: requests in flight may finish');
    app.drain();
    setTimeout(() => cut(server, app), endWithinMs).unref();
    setTimeout(() => finish(server, app), stillListenMs);
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
}

function finish(server: Server, app: App): void {
  // Connections that are kept alive would hold the server open after their last answer.
  setInterval(() => server.closeIdleConnections(), 20).unref();
  server.close(async () => {
    await app.close();
    process.exit(exitCode.ended);
  });
}

/** The process cannot exit while a query runs on one of its threads: closing the engine stops it first. */
async function cut(server: Server, app: App): Promise<void> {
  server.closeAllConnections();
  await app.close();
  process.exit(exitCode.endedLate);
}
