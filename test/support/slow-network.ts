import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from './listen.ts';

/** About 100 Mbit/s. */
const bytesOfMs = 12_500;

/** Forwards connections to a port of this machine, slowly. */
export async function openSlowNetwork(to: number) {
  const server = createServer((client) => {
    const target = connect(to, '127.0.0.1');
    forwardSlowly(client, target);
    forwardSlowly(target, client);
  });
  return { port: await listen(server), close: () => void server.close() };
}

async function forwardSlowly(from: Socket, to: Socket): Promise<void> {
  from.on('error', () => {});
  from.on('close', () => to.destroy());
  let freeAt = 0;
  for (;;) {
    await once(from, 'readable').catch(() => from.destroy());
    if (from.destroyed) return;
    for (let chunk: Buffer | null = from.read(); chunk !== null; chunk = from.read()) {
      to.write(chunk);
      freeAt = Math.max(freeAt, performance.now()) + chunk.byteLength / bytesOfMs;
      await sleep(Math.max(0, freeAt - performance.now()));
    }
  }
}
