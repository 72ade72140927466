import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { type FinishedReply, requestIdName, SentHeaders } from '../message/reply.ts';

declare module 'node:http' {
  interface OutgoingMessage {
    /** The head, once it was put together. */
    _header: string | null;
    /** Puts the head together: the status line, the headers given, and those that Node adds itself. */
    _storeHeader(statusLine: string, headers: unknown): void;
  }
}

type Prepared = Pick<FinishedReply, 'status' | 'headers' | 'requestId'>;

/**
 * A response whose header lines were checked and put together before. Node does both for each header of each response,
 * which takes longer than all else that a cached reply needs.
 *
 * Node has no public way to do it: lines behind the status line come into the head as they are, by the one method to which
 * `writeHead` passes it. Node still adds `Date`, `Connection` and `Keep-Alive`, and decides how the body is framed.
 * `sendsPreparedLines` finds out whether the running version of Node does it in this way.
 */
export class PreparedResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  #lines = '';

  writePrepared({ status, headers, requestId }: Prepared): this {
    this.#lines = headers.lines;
    if (requestId !== undefined) this.#lines += `${requestIdName}: ${requestId}\r\n`;
    return this.writeHead(status, headers.rawForNode as string[]);
  }

  /** Keeps no text of the head, which was sent: Node only looks whether there is one. A stream lasts. */
  forgetHead(): void {
    this.#lines = '';
    this._header = 'sent';
  }

  override _storeHeader(statusLine: string, headers: unknown): void {
    super._storeHeader(statusLine + this.#lines, headers);
  }
}

/**
 * True if Node sends a response with prepared lines as it sends one without them. Otherwise the server has to use
 * Node's own `writeHead`, which only takes longer. The responses are sent to memory, in a fraction of a millisecond.
 */
export function sendsPreparedLines(Prepared: typeof PreparedResponse = PreparedResponse): boolean {
  const headers = new SentHeaders({ 'x-check': 'one', 'content-length': '2' });
  const reply = { status: 200, headers, requestId: 'id' };
  try {
    const prepared = sentLines(Prepared, (response) => response.writePrepared(reply).end('{}'));
    const ordinary = sentLines(ServerResponse, (response) =>
      response.writeHead(200, headers.raw(reply.requestId)).end('{}'),
    );
    return ordinary.includes('x-check: one') && prepared.join() === ordinary.join();
  } catch {
    return false;
  }
}

/** The status line, and after it the other lines of a response in the order of the alphabet. */
function sentLines<Response extends ServerResponse>(
  Response: new (request: IncomingMessage) => Response,
  send: (response: Response) => void,
): readonly string[] {
  const socket = new MemorySocket();
  const response = new Response(new IncomingMessage(socket));
  // The time may differ.
  response.sendDate = false;
  response.assignSocket(socket);
  send(response);
  response.detachSocket(socket);
  const [status = '', ...others] = socket.sent.split('\r\n');
  return [status, ...others.sort()];
}

/** A socket without a peer. It collects the bytes that are written. */
class MemorySocket extends Socket {
  sent = '';

  override _write(chunk: unknown, _: BufferEncoding, done: () => void): void {
    this.sent += String(chunk);
    done();
  }

  override _writev(chunks: readonly { readonly chunk: unknown }[], done: () => void): void {
    for (const { chunk } of chunks) this.sent += String(chunk);
    done();
  }
}
