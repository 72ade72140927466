import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Connection {
  /** Responses that have not been written yet, in the order of their requests. */
  readonly pending: ReadonlySet<ServerResponse>;
  /** The response to the latest request, written or not. */
  readonly last: ServerResponse | undefined;
}

/** Every open connection of a server. */
export type Connections = ReadonlyMap<Socket, Connection>;

export function trackConnections(server: Server): Connections {
  const open = new Map<Socket, { pending: Set<ServerResponse>; last: ServerResponse | undefined }>();
  server.on('connection', (socket: Socket) => {
    const pending = new Set<ServerResponse>();
    open.set(socket, { pending, last: undefined });
    socket.once('close', () => {
      open.delete(socket);
      // Node emits `close` only on the response being written; pipelined requests behind it would never be notified.
      for (const response of pending) if (response.socket === null) response.emit('close');
    });
  });
  const track = ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = open.get(socket);
    if (connection === undefined) return;
    connection.last = response;
    connection.pending.add(response);
    response.once('close', () => connection.pending.delete(response));
  };
  server.on('request', track);
  server.on('checkExpectation', track);
  return open;
}
