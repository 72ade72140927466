import { createServer, request } from 'node:http';
import { listen } from './listen.ts';

export interface ReasonProxy {
  readonly endpoint: string;
  close(): Promise<void>;
}

/**
 * A proxy for the emulator, which reports every failure as `jobInternalError`, a reason to retry. It reports those of
 * queries as `invalidQuery`, as BigQuery does, and changes nothing else.
 */
export async function startReasonProxy(target: string): Promise<ReasonProxy> {
  const server = createServer((incoming, outgoing) => {
    const { method, headers } = incoming;
    const upstream = request(`${target}${incoming.url}`, { method, headers }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const body = reply.statusCode === 400 ? text.replace('"jobInternalError"', '"invalidQuery"') : text;
        outgoing.writeHead(reply.statusCode ?? 502, { 'content-type': 'application/json' }).end(body);
      });
    });
    upstream.on('error', () => outgoing.destroy());
    outgoing.on('close', () => upstream.destroy());
    incoming.pipe(upstream);
  });
  const port = await listen(server);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
