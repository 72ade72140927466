import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type AddressList, addressGroup } from '../../config/address-list.ts';
import { isKeyed } from '../message/head.ts';
import type { Connections } from './connections.ts';

interface Limits {
  /** Of one address. */
  readonly limit: number;
  /** Over their connections come the requests of many callers: they are not limited. */
  readonly trustedProxies: AddressList | undefined;
}

/**
 * Bounds the connections of each address over which no valid key has been sent: beyond the limit, the oldest one that waits
 * for no response is closed. A new caller from there is still served, and those who hold connections open for nothing lose
 * theirs.
 */
export function limitKeylessConnections(
  server: Server,
  connections: Connections,
  { limit, trustedProxies }: Limits,
): void {
  /** In the order of their arrival; those that have sent a key leave when they are next looked at. */
  const groups = new Map<string, Set<Socket>>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || trustedProxies?.has(remoteAddress) === true) return;
    const group = addressGroup(remoteAddress);
    const sockets = groups.get(group) ?? new Set();
    groups.set(group, sockets);
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0 && groups.get(group) === sockets) groups.delete(group);
    });
    if (sockets.size > limit) makeRoom(sockets, connections);
  });
}

function makeRoom(sockets: Set<Socket>, connections: Connections): void {
  let newest: Socket | undefined;
  for (const socket of sockets) {
    if (isKeyed(socket)) {
      sockets.delete(socket);
      return;
    }
    newest = socket;
    const [pending] = connections.get(socket)?.pending ?? [];
    if (pending !== undefined) continue;
    // It takes its place at once; `close` comes later.
    sockets.delete(socket);
    socket.destroy();
    return;
  }
  newest?.destroy();
}
