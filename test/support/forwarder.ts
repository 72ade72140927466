import { connect, createServer, type Socket } from 'node:net';
import { listen } from './listen.ts';

/** Forwards connections to a port that can be changed: those that are open stay where they are. */
export interface Forwarder {
  readonly port: number;
  /** How many connections were accepted. */
  connections: number;
  to: number;
  /** Resets the connections that are open. */
  reset(): void;
  close(): void;
}

export async function openForwarder(to: number): Promise<Forwarder> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    forwarder.connections += 1;
    const target = connect(forwarder.to, '127.0.0.1');
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        (socket === client ? target : client).destroy();
      });
    }
    client.pipe(target);
    target.pipe(client);
  });
  const forwarder: Forwarder = {
    port: await listen(server),
    connections: 0,
    to,
    reset() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
  return forwarder;
}
