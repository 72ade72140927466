import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Connections } from './connections.ts';

interface Reader {
  /** How many bytes of whole writes had gone when it was last looked at. */
  readonly gone: number;
  /** Since when no more have. */
  readonly since: number;
}

/**
 * Cuts connections that do not take what was written to them: an answer waits for its reader in memory, and Node lets it
 * wait for ever.
 *
 * @param patienceMs how long one write may take as a whole
 */
export function cutSlowReaders(server: Server, connections: Connections, patienceMs: number): void {
  const readers = new WeakMap<Socket, Reader>();
  const look = () => {
    const now = performance.now();
    for (const socket of connections.keys()) {
      if (socket.writableLength === 0) {
        readers.delete(socket);
        continue;
      }
      const gone = socket.bytesWritten - socket.writableLength;
      const reader = readers.get(socket);
      if (reader?.gone !== gone) readers.set(socket, { gone, since: now });
      else if (now - reader.since > patienceMs) socket.destroy();
    }
  };
  const timer = setInterval(look, patienceMs / 4).unref();
  server.once('close', () => clearInterval(timer));
}
