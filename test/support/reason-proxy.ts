import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReasonProxy {
  readonly endpoint: string;
  close(): Promise<void>;
}

/**
 * Stands before the emulator, which tells every failure as `jobInternalError`, a reason to try again, and tells those
 * of queries as `invalidQuery`, as BigQuery does. Nothing else is changed.
 */
export async function startReasonProxy(target: string): Promise<ReasonProxy> {
  const server = createServer((incoming, outgoing) => {
    const { method, headers } = incoming;
    const upstream = request(`${target}${incoming.url}`, { method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const told = answer.statusCode === 400 ? text.replace('"jobInternalError"', '"invalidQuery"') : text;
        outgoing.writeHead(answer.statusCode ?? 502, { 'content-type': 'application/json' }).end(told);
      });
    });
    upstream.on('error', () => outgoing.destroy());
    outgoing.on('close', () => upstream.destroy());
    incoming.pipe(upstream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
