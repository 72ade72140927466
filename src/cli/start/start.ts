import { type AddressInfo, createServer, type Server } from 'node:net';
import type { Logger } from 'pino';
import { withSources } from '../../problems/print-problems.ts';
import { type Config, readConfig } from '../../config.ts';
import { exitCode } from '../../exit-code.ts';
import { makeKey } from '../../exports/keys.ts';
import { openServer } from '../../exports/node.ts';
import { openTracer, type Tracer } from '../../exports/opentelemetry.ts';
import { type MetricsPlugin, metrics, openMetricsServer } from '../../exports/plugins.ts';
import { createGateway, type FilesReport, type Gateway, StartError } from '../../index.ts';
import { signalDelayMs } from '../../author/signal-delay.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';
import { flagOfSetting } from '../settings/setting-keys.ts';
import { nameSettings } from '../settings/name-settings.ts';
import { gatewayOptions } from './gateway-options.ts';
import { exitOnSignal, shutDownOnSignal } from './graceful-shutdown.ts';
import { logOn, openLog } from './open-log.ts';
import { openProgressLine } from './progress-line.ts';
import { missingData, missingKey, requireNothingMissing } from './missing-for-start.ts';
import { startBanner } from './start-banner.ts';

interface StartOptions {
  /** True if problems of saved queries are shown with their source, for people who edit them. */
  readonly showsSource: boolean;
}

/** `querygate start`: runs the gateway until a signal ends it. @throws StartError if it cannot start */
export async function start(
  { values, label, misspelt }: LoadedSettings,
  options: StartOptions,
): Promise<void> {
  // Node would open its inspector on this signal, through which every user of the machine could run code in this process.
  process.on('SIGUSR1', () => {});
  // Files of this process, and of DuckDB in it, are for its own user only: they can have the rows of all tenants.
  process.umask(0o077);
  const removeExitOnSignal = exitOnSignal();
  const hangUp = handleHangUp();
  if (options.showsSource) endWithParent();
  try {
    const config = readConfig(values, label);
    requireNothingMissing([...missingData(config), ...missingKey(config)], misspelt);
    const gateway = await serve(config, { ...options, misspelt }, removeExitOnSignal);
    hangUp.setAction(gateway.reload);
  } catch (error) {
    if (!(error instanceof StartError) || !options.showsSource) throw error;
    process.stderr.write(nameSettings(withSources(error.problems)));
    process.exit(exitCode.badStart);
  }
}

async function serve(
  config: Config,
  { showsSource, misspelt }: StartOptions & Pick<LoadedSettings, 'misspelt'>,
  onSignalsHandled: () => void,
): Promise<Gateway> {
  const { log, writeLine } = openLog(config);
  const address: Address = { setting: 'PORT', port: config.port, host: config.host };
  await requireFree(address);
  if (config.metricsPort !== undefined) await requireFree(ofMetrics(config.metricsPort, config.host));
  for (const warning of misspelt) log.warn(warning);
  // With a key file or tokens, an additional unrestricted key would be a risk without a use.
  const hasOthers = config.apiKeysFile !== undefined || config.jwt !== undefined;
  const apiKey = config.apiKey ?? (hasOthers ? undefined : makeKey().text);
  const progress = openProgressLine({
    stream: process.stderr,
    writeToLog: (line) => log.info(line),
    now: () => performance.now(),
  });
  const tracer = await configuredTracer(process.env, log);
  const metricsPlugin = metrics();
  const options = await gatewayOptions(config, apiKey, { misspelt, metricsPlugin });
  const gateway = await createGateway({
    ...options,
    log,
    writeLine,
    tracer,
    onProgress: progress.show,
    onFiles: showsSource ? showFiles : undefined,
    // An uncaught error ends the process in order, so that its supervisor starts it again.
    onUnusable: (error) =>
      setImmediate(() => {
        throw error;
      }),
  });
  progress.end();
  const { server, connections } = openServer(gateway.listener, {
    log,
    trustedProxies: config.trustedProxies,
  });
  await listen(server, address);
  await listenForMetrics(metricsPlugin, config, log);
  const { shutdownDelaySeconds: delaySeconds } = config;
  shutDownOnSignal({ server, connections, app: gateway, log, delaySeconds });
  onSignalsHandled();

  const { port } = server.address() as AddressInfo;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  const origin = `http://${host}:${port}`;
  // A configured key is the operator's secret; a generated key is shown nowhere else.
  const generatedKey = config.apiKey === undefined ? apiKey : undefined;
  const format = config.logFormat ?? (showsSource || process.stdout.isTTY ? 'pretty' : 'json');
  if (format === 'pretty') {
    const shownKey = config.apiKey === undefined ? (apiKey ?? '$KEY') : '$API_KEY';
    process.stdout.write(startBanner(gateway, origin, shownKey, config));
  } else {
    // Containers and services join both streams: they have one format.
    const rest = gateway.examples.map((path) => `${origin}${path}`);
    logOn(process.stdout, format).info(
      { origin, key: generatedKey, rest, graphql: `${origin}${config.basePath}/graphql` },
      'Querygate is ready',
    );
  }
  return gateway;
}

/** Shows on the terminal which files are broken, each problem at its place in the source, and which are mended. */
function showFiles({ broken, mended }: FilesReport): void {
  const texts = broken.map(
    ({ problems, isServed }) =>
      `${withSources(problems)}${isServed ? 'Its last good version is served.' : 'It is not served.'}\n\n`,
  );
  if (mended.length > 0) texts.push(`No longer broken: ${mended.join(', ')}\n`);
  process.stderr.write(`\n${texts.join('')}`);
}

/**
 * On SIGHUP services read their files again, which a start does anyway: until there is an action, the signal does nothing, so
 * that `systemctl reload` does not end an import. A terminal sends it when it is closed: then it ends the process.
 */
function handleHangUp(): { setAction(action: () => void): void } {
  let act = () => {};
  if (!process.stdin.isTTY && !process.stderr.isTTY) process.on('SIGHUP', () => act());
  return {
    setAction(action) {
      act = action;
    },
  };
}

/** When `dev` ends, or passes a signal on: a moment later, because its terminal may have sent that to this process too. */
function endWithParent(): void {
  let isEnding = false;
  for (const signal of ['SIGTERM', 'SIGINT'])
    process.once(signal, () => {
      isEnding = true;
    });
  process.once('disconnect', () =>
    setTimeout(() => isEnding || process.kill(process.pid, 'SIGTERM'), signalDelayMs),
  );
}

/** As the variables of OpenTelemetry say; nothing of it is loaded if none is set. */
async function configuredTracer(env: NodeJS.ProcessEnv, log: Logger): Promise<Tracer | undefined> {
  const isSet = Object.entries(env).some(([name, value]) => name.startsWith('OTEL_') && value !== '');
  const isValue = (name: string, value: string) => env[name]?.trim().toLowerCase() === value;
  if (!isSet || isValue('OTEL_SDK_DISABLED', 'true') || isValue('OTEL_TRACES_EXPORTER', 'none'))
    return undefined;
  return openTracer(env, log);
}

async function listenForMetrics(
  plugin: MetricsPlugin,
  { metricsPort, host }: Config,
  log: Logger,
): Promise<void> {
  if (metricsPort === undefined) return;
  const server = openMetricsServer(plugin);
  await listen(server, ofMetrics(metricsPort, host));
  log.info({ host, port: (server.address() as AddressInfo).port }, 'metrics are served');
}

interface Address {
  /** The setting that has the port. */
  readonly setting: string;
  readonly port: number;
  readonly host: string;
}

const ofMetrics = (port: number, host: string): Address => ({ setting: 'METRICS_PORT', port, host });

/** Before the engine opens: the rows of the demo take seconds. @throws StartError */
async function requireFree(address: Address): Promise<void> {
  const server = createServer();
  await listen(server, address);
  await new Promise((resolve) => server.close(resolve));
}

function listen(server: Server, { setting, port, host }: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', ({ message, code }: NodeJS.ErrnoException) => {
      const reason = listenReasons[code ?? ''];
      const right = reason === undefined ? '' : `; ${reason} --${flagOfSetting(setting)} takes another port`;
      const problem = { message: `${setting} ${port}, HOST ${host}: ${message}${right}` };
      reject(new StartError('The gateway cannot listen', [problem]));
    });
    // As many as the system allows may wait to be accepted: beyond Node's 511, clients that all come back at once would try
    // again after seconds.
    server.listen({ port, host, backlog: server.maxConnections }, resolve);
  });
}

const listenReasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is another gateway running?',
  EACCES: 'the user of this process may not take one below 1024 (CAP_NET_BIND_SERVICE), and a proxy may:',
};
