import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Connection {
  /** The responses that are yet to be written on it, in their order. */
  readonly waiting: ReadonlySet<ServerResponse>;
  /** The one that was asked for last, written or not. */
  readonly last: ServerResponse | undefined;
}

/** Every open connection of a server. */
export type Connections = ReadonlyMap<Socket, Connection>;

export function trackConnections(server: Server): Connections {
  const open = new Map<Socket, { waiting: Set<ServerResponse>; last: ServerResponse | undefined }>();
  server.on('connection', (socket: Socket) => {
    const waiting = new Set<ServerResponse>();
    open.set(socket, { waiting, last: undefined });
    socket.once('close', () => {
      open.delete(socket);
      // Node tells the response whose turn it is; those of requests that were sent behind it would never know.
      for (const response of waiting) if (response.socket === null) response.emit('close');
    });
  });
  const note = ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = open.get(socket);
    if (connection === undefined) return;
    connection.last = response;
    connection.waiting.add(response);
    response.once('close', () => connection.waiting.delete(response));
  };
  server.on('request', note);
  server.on('checkExpectation', note);
  return open;
}
