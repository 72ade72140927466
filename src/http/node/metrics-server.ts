import { createServer, type Server } from 'node:http';
import type { Metrics } from '../../metrics/open-registry.ts';
import { metricsPath } from '../message/paths.ts';

/**
 * Metrics on a port of their own, without a key: the port is not published. It serves nothing else, and does not keep the
 * process alive.
 */
export function openMetricsServer({ contentType, render }: Metrics): Server {
  const server = createServer(async ({ method, url }, response) => {
    if ((method !== 'GET' && method !== 'HEAD') || url?.split('?')[0] !== metricsPath) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end(`Not found; GET ${metricsPath}\n`);
      return;
    }
    const text = await render();
    response.writeHead(200, { 'content-type': contentType }).end(text);
  });
  // Scrapers are few; a client that sends nothing is dropped soon.
  server.headersTimeout = 5_000;
  server.maxConnections = 100;
  return server.unref();
}
