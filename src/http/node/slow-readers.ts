import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Connections } from './connections.ts';
import { cutOff } from './cut-off.ts';

interface Progress {
  /** Bytes of completed writes at the last check. */
  readonly sentBytes: number;
  /** Since when that number has not changed. */
  readonly sinceMs: number;
}

/**
 * Closes connections whose client does not read what was written: a response waits for its reader in memory, and Node
 * would let it wait forever.
 *
 * @param timeoutMs how long a single write may take
 */
export function closeSlowReaders(server: Server, connections: Connections, timeoutMs: number): void {
  const readers = new WeakMap<Socket, Progress>();
  const check = () => {
    const now = performance.now();
    for (const socket of connections.keys()) {
      if (socket.writableLength === 0) {
        readers.delete(socket);
        continue;
      }
      const sentBytes = socket.bytesWritten - socket.writableLength;
      const progress = readers.get(socket);
      if (progress?.sentBytes !== sentBytes) readers.set(socket, { sentBytes, sinceMs: now });
      else if (now - progress.sinceMs > timeoutMs) cutOff(socket);
    }
  };
  const timer = setInterval(check, timeoutMs / 4).unref();
  server.once('close', () => clearInterval(timer));
}
