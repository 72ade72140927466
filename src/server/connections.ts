import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Every open connection of a server, each with the last response that was begun on it. */
export type Connections = ReadonlyMap<Socket, ServerResponse | undefined>;

export function trackConnections(server: Server): Connections {
  const open = new Map<Socket, ServerResponse | undefined>();
  server.on('connection', (socket: Socket) => {
    open.set(socket, undefined);
    socket.once('close', () => open.delete(socket));
  });
  const note = ({ socket }: { socket: Socket }, response: ServerResponse) => void open.set(socket, response);
  server.on('request', note);
  server.on('checkExpectation', note);
  return open;
}

/** True where an answer is yet to be written, of a request that has come as far as its body. */
export function isAnswering(response: ServerResponse | undefined): response is ServerResponse {
  return response?.writableFinished === false;
}
