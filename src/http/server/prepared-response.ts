import { type IncomingMessage, ServerResponse } from 'node:http';
import type { SentHeaders } from '../reply.ts';

declare module 'node:http' {
  interface OutgoingMessage {
    /** Puts the head together: the status line, the headers given, and those that Node adds itself. */
    _storeHeader(statusLine: string, headers: unknown): void;
  }
}

/**
 * A response whose header lines were checked and put together before. Node does both for each header of each response,
 * which takes longer than all else that a cached reply needs.
 *
 * Node has no public way to do it: lines behind the status line come into the head as they are, by the one method to which
 * `writeHead` passes it. Node still adds `Date`, `Connection` and `Keep-Alive`, and decides how the body is framed. The
 * tests read the bytes on the wire: a version of Node that does it in another way would be noticed.
 */
export class PreparedResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  #lines = '';

  writePrepared(status: number, headers: SentHeaders): this {
    this.#lines = headers.lines;
    return this.writeHead(status, headers.rawLength as string[]);
  }

  override _storeHeader(statusLine: string, headers: unknown): void {
    super._storeHeader(statusLine + this.#lines, headers);
  }
}
