import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Connection {
  /** Responses that have not been written yet, in the order of their requests. */
  readonly pending: ReadonlySet<ServerResponse>;
  /** The response to the latest request, written or not. */
  readonly last: ServerResponse | undefined;
}

/** Every open connection of a server. */
export type Connections = ReadonlyMap<Socket, Connection>;

interface OpenConnection extends Connection {
  readonly pending: Set<ServerResponse>;
  last: ServerResponse | undefined;
  /** Starts each pipelined request that has not been started yet, in order. */
  readonly waiting: (() => void)[];
}

/**
 * How many pipelined requests of a connection may wait before it is no longer read. A connection that is not read is not
 * known to be closed by its client either.
 */
const maxWaiting = 256;

/**
 * Tracks the connections of a server, and passes their requests to a listener: those of one connection one at a time, each
 * when the response before it has been written. Node would pass on all requests that a client has pipelined at once, and
 * keep all their responses in memory until the client reads.
 */
export function trackConnections(server: Server, listener: RequestListener): Connections {
  const open = new Map<Socket, OpenConnection>();
  server.on('connection', (socket: Socket) => {
    const pending = new Set<ServerResponse>();
    open.set(socket, { pending, last: undefined, waiting: [] });
    socket.once('close', () => {
      open.delete(socket);
      // Node emits `close` only on the response being written; pipelined requests behind it would never be notified.
      for (const response of pending) if (response.socket === null) response.emit('close');
    });
  });
  const onRequest = (message: IncomingMessage, response: ServerResponse) => {
    const { socket } = message;
    const connection = open.get(socket);
    if (connection === undefined) return;
    connection.last = response;
    connection.pending.add(response);
    response.once('close', () => {
      connection.pending.delete(response);
      startNext(socket, connection);
    });
    if (connection.pending.size === 1) return listener(message, response);
    connection.waiting.push(() => listener(message, response));
    if (connection.waiting.length === maxWaiting) socket.pause();
  };
  server.on('request', onRequest);
  // An unknown expectation may be ignored (RFC 9110, 10.1.1); Node would reject it without a body.
  server.on('checkExpectation', onRequest);
  return open;
}

function startNext(socket: Socket, { waiting }: OpenConnection): void {
  // Nothing can be written any more: it was closed, or the last response said that it would be.
  if (!socket.writable) waiting.length = 0;
  const start = waiting.shift();
  if (start === undefined) return;
  // The last request may have a body that is still arriving.
  if (waiting.length === 0 && socket.isPaused()) socket.resume();
  start();
}
