import type { Socket } from 'node:net';

const keyed = new WeakSet<Socket>();

/** Notes that a valid key was sent over a connection. */
export function markKeyed(socket: Socket): void {
  if (!keyed.has(socket)) keyed.add(socket);
}

export const isKeyed = (socket: Socket): boolean => keyed.has(socket);
