import { createServer, type Server } from 'node:http';
import { isLoopback } from '../../config/loopback.ts';
import type { MetricsPlugin } from './metrics.ts';
import { metricsPath } from './metrics-route.ts';
import { textFormatType } from './text-format.ts';

/**
 * Metrics on a port of their own, without a key: the port is not published. It serves nothing else, and does not keep the
 * process alive.
 */
export function openMetricsServer({ render }: Pick<MetricsPlugin, 'render'>): Server {
  const server = createServer(({ method, url, headers }, response) => {
    if (headers.origin !== undefined || !isOwnName(headers.host, server.address())) {
      response.writeHead(403, { 'content-type': 'text/plain' }).end(forbidden);
      return;
    }
    if ((method !== 'GET' && method !== 'HEAD') || url?.split('?')[0] !== metricsPath) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end(`Not found; GET ${metricsPath}\n`);
      return;
    }
    response.writeHead(200, { 'content-type': textFormatType }).end(render());
  });
  // Scrapers are few; a client that sends nothing is dropped soon.
  server.headersTimeout = 5_000;
  server.maxConnections = 100;
  return server.unref();
}

const forbidden =
  'Pages may not read metrics. On a loopback address, request localhost or 127.0.0.1; a proxy must send that as Host\n';

/** False if a page of another site may have sent a request to this machine, by a name that leads to it. */
function isOwnName(host: string | undefined, address: ReturnType<Server['address']>): boolean {
  const isOnLoopback = typeof address === 'object' && address !== null && isLoopback(address.address);
  if (host === undefined || !isOnLoopback) return true;
  return isLoopback(URL.parse(`http://${host}`)?.hostname ?? '');
}
