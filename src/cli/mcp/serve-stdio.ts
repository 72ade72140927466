import { Agent, fetch } from 'undici';
import { readConfig } from '../../config.ts';
import { StartError } from '../../errors.ts';
import { makeKey } from '../../exports/keys.ts';
import { createGateway } from '../../index.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';
import { gatewayOptions } from '../start/gateway-options.ts';
import { missingData, requireNothingMissing } from '../start/missing-for-start.ts';
import { openLog } from '../start/open-log.ts';
import { bridgeStdio, type SendMessage } from './stdio-bridge.ts';

interface Destination {
  readonly send: SendMessage;
  close(): Promise<void>;
}

/**
 * `querygate mcp`: answers agents over standard input and output, until the input ends.
 *
 * @param url of a running gateway; undefined: one runs in this process
 * @throws StartError if it cannot start
 */
export async function serveStdio(settings: LoadedSettings, url: string | undefined): Promise<void> {
  const { send, close } =
    url === undefined ? await openInside(settings) : toGateway(url, settings.values.API_KEY);
  await bridgeStdio({ input: process.stdin, output: process.stdout, send });
  await close();
}

/** @throws StartError if it is not a URL of HTTP */
function toGateway(url: string, apiKey: string | undefined): Destination {
  const gateway = URL.parse(url);
  if (gateway === null || !/^https?:$/.test(gateway.protocol)) {
    const message = `--url: got ${JSON.stringify(url)}; must be the URL of a gateway, as in http://127.0.0.1:4000`;
    throw new StartError('There is no gateway to reach', [{ message }]);
  }
  const target = endpointOf(gateway);
  const dispatcher = new Agent();
  return {
    send: (body, headers, signal) =>
      fetch(target, {
        dispatcher,
        method: 'POST',
        body,
        signal,
        headers: { ...jsonHeaders, ...headers, ...keyHeader(apiKey) },
      }),
    close: () => dispatcher.close(),
  };
}

/** @param gateway the URL of a gateway, or of its endpoint for agents, also that for the queries of a tag */
export function endpointOf(gateway: URL): URL {
  const path = gateway.pathname.replace(/\/$/, '');
  return new URL(/\/mcp(?:\/[a-z][a-z0-9-]*)?$/.test(path) ? path : `${path}/mcp`, gateway);
}

/** No name leads to this gateway. */
const nowhere = 'stdio.invalid';

const jsonHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

const keyHeader = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { authorization: `Bearer ${key}` };

/** A gateway in this process, without a socket. Standard output has messages only: the log is on standard error. */
async function openInside({ values, label, misspelt }: LoadedSettings): Promise<Destination> {
  // Files of this process, and of DuckDB in it, are for its own user only: they can have the rows of all tenants.
  process.umask(0o077);
  const config = readConfig({ ...values, MCP: 'on' }, label);
  requireNothingMissing(missingData(config), misspelt);
  const key = config.apiKey ?? makeKey().text;
  const { log, writeLine } = openLog(config);
  const gateway = await createGateway({ ...(await gatewayOptions(config, key)), log, writeLine });
  return {
    send: (body, headers, signal) =>
      gateway.fetch(
        new Request(`http://${nowhere}/mcp`, {
          method: 'POST',
          body,
          signal,
          headers: { ...jsonHeaders, ...headers, ...keyHeader(key) },
        }),
      ),
    close: () => gateway.close(),
  };
}
