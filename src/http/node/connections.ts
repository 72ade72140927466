import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  /** Responses that have not been written yet, in the order of their requests. */
  readonly pending: readonly ServerResponse[];
  /** The response to the latest request, written or not. */
  readonly last: ServerResponse | undefined;
}

/** Every open connection of a server. */
export type Connections = ReadonlyMap<Socket, Connection>;

/**
 * How many pipelined requests of a connection may wait before it is no longer read. A connection that is not read is not
 * known to be closed by its client either.
 */
const maxWaiting = 256;

/**
 * Tracks the connections of a server, and passes their requests to a listener: those of one connection one at a time, each
 * when the response before it has been written, and in a later turn of the event loop. Node would pass on all requests that
 * a client has pipelined at once, more than a thousand of one read, and keep all their responses in memory until the client
 * reads.
 */
export function trackConnections(server: Server, listener: RequestListener): Connections {
  const open = new Map<Socket, OpenConnection>();
  server.on('connection', (socket: Socket) => {
    const connection = new OpenConnection(socket, listener);
    open.set(socket, connection);
    socket.once('close', () => {
      open.delete(socket);
      connection.close();
    });
  });
  const onRequest = (message: IncomingMessage, response: ServerResponse) =>
    open.get(message.socket)?.add(message, response);
  server.on('request', onRequest);
  // An unknown expectation may be ignored (RFC 9110, 10.1.1); Node would reject it without a body.
  server.on('checkExpectation', onRequest);
  return open;
}

interface WaitingRequest {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
}

class OpenConnection implements Connection {
  readonly #socket: Socket;
  readonly #listener: RequestListener;
  /** The response that is being written, or was written last. */
  #current: ServerResponse | undefined;
  /** Pipelined requests behind it. */
  readonly #waiting: WaitingRequest[] = [];

  constructor(socket: Socket, listener: RequestListener) {
    this.#socket = socket;
    this.#listener = listener;
    // Node resumes the socket after each response, to skip a body that was not read.
    socket.on('resume', this.#pauseIfFull);
  }

  get pending(): readonly ServerResponse[] {
    const waiting = this.#waiting.map(({ response }) => response);
    return this.#current === undefined || this.#current.closed ? waiting : [this.#current, ...waiting];
  }

  get last(): ServerResponse | undefined {
    return this.#waiting.at(-1)?.response ?? this.#current;
  }

  add(message: IncomingMessage, response: ServerResponse): void {
    if (this.#waiting.length === 0) {
      if (this.#current === undefined || this.#current.closed) {
        this.#begin({ message, response });
        return;
      }
      this.#beginNextAfter(this.#current);
    }
    this.#waiting.push({ message, response });
    this.#pauseIfFull();
  }

  close(): void {
    this.#waiting.length = 0;
  }

  #begin({ message, response }: WaitingRequest): void {
    this.#current = response;
    this.#listener(message, response);
  }

  readonly #pauseIfFull = () => {
    if (this.#waiting.length >= maxWaiting) this.#socket.pause();
  };

  /** A method, not a function that each connection has of its own, because most connections never need it. */
  #beginNextAfter(response: ServerResponse): void {
    response.once('close', () => setImmediate(() => this.#beginNext()));
  }

  #beginNext(): void {
    // Nothing can be written any more: it was closed, or the last response said that it would be.
    if (!this.#socket.writable) this.#waiting.length = 0;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    if (this.#waiting.length > 0) this.#beginNextAfter(next.response);
    // The last request may have a body that is still arriving.
    else if (this.#socket.isPaused()) this.#socket.resume();
    this.#begin(next);
  }
}
