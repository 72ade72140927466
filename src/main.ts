import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openApp } from './app.ts';
import { type Config, readConfig } from './config.ts';
import { StartError } from './errors.ts';
import { exitCode, exitOnSignal, shutDownOnSignal } from './http/server/graceful-shutdown.ts';
import { openServer } from './http/server/open-server.ts';
import { makeKey } from './keys/key-text.ts';
import { openLog } from './open-log.ts';
import { openProgressLine } from './progress-line.ts';
import { startBanner } from './start-banner.ts';

// Node would open its inspector on this signal, through which every user of the machine could run code in this process.
process.on('SIGUSR1', () => {});
// What this process writes, the rows of all tenants among it, is for its own user only, also what DuckDB writes.
process.umask(0o077);

const removeExitOnSignal = exitOnSignal();
try {
  await serve(readConfig(process.env));
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(exitCode.badStart);
}

async function serve(config: Config): Promise<void> {
  // Every running query occupies a thread of libuv's pool; with the default of four, none would be left to read files.
  process.env.UV_THREADPOOL_SIZE ??= String(config.engineConcurrency + 4);
  const { log, writeLine } = await openLog(config);
  // With a key file or tokens, an additional unrestricted key would be a risk without a use.
  const hasOthers = config.apiKeysFile !== undefined || config.jwt !== undefined;
  const apiKey = config.apiKey ?? (hasOthers ? undefined : makeKey().text);
  const progress = openProgressLine(process.stderr, Date.now);
  const app = await openApp({ config, apiKey, log, writeLine, onProgress: progress.show });
  progress.end();
  const { server, connections } = openServer(app.listener, log, config.trustedProxies);
  await listen(server, config);
  shutDownOnSignal(server, connections, app, log);
  removeExitOnSignal();

  const { port } = server.address() as AddressInfo;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  // A configured key is the operator's secret; a generated key is shown nowhere else.
  const shownKey = config.apiKey === undefined ? (apiKey ?? '$KEY') : '$API_KEY';
  process.stdout.write(startBanner(app.catalog, `http://${host}:${port}`, shownKey, config.graphiql));
}

function listen(server: Server, { port, host }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', ({ message }) => {
      reject(
        new StartError('The gateway cannot listen', [{ message: `PORT ${port}, HOST ${host}: ${message}` }]),
      );
    });
    server.listen(port, host, resolve);
  });
}
