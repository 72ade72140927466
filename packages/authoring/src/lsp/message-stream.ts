import type { Readable, Writable } from 'node:stream';

/** A message of JSON-RPC 2.0: a request has an id and a method, a notification no id, a response no method. */
export interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: unknown;
}

/** Why a request has no result, with its code of JSON-RPC or of the Language Server Protocol. */
export class RequestError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const separator = '\r\n\r\n';

/** More than any document has that an editor opens as text. */
const maxBytes = 64 * 1024 * 1024;

/**
 * The messages of a stream, each below a header with its length in bytes.
 *
 * @throws RequestError if the stream is of another protocol: where the next message begins is not known
 * @see https://microsoft.github.io/language-server-protocol/specifications/base/0.9/specification
 */
export async function* readMessages(input: Readable): AsyncGenerator<Message> {
  let chunks: Buffer[] = [];
  let received = 0;
  /** Bytes of the message that has begun; 0 if its header has not arrived. */
  let awaited = 0;
  for await (const chunk of input as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    received += chunk.length;
    // To join the chunks each time takes time that grows with the square of their number.
    if (received < awaited) continue;
    let buffer = Buffer.concat(chunks);
    awaited = 0;
    for (;;) {
      const end = buffer.indexOf(separator);
      if (end < 0) {
        if (buffer.length > 4096) throw new RequestError(-32700, 'a message has no header');
        break;
      }
      const length = Number(/^content-length: *(\d+)\r?$/im.exec(buffer.toString('ascii', 0, end))?.[1]);
      if (!(length <= maxBytes)) throw new RequestError(-32700, 'a message has no Content-Length');
      const start = end + separator.length;
      if (buffer.length < start + length) {
        awaited = start + length;
        break;
      }
      const text = buffer.toString('utf8', start, start + length);
      buffer = buffer.subarray(start + length);
      yield parseMessage(text);
    }
    chunks = [buffer];
    received = buffer.length;
  }
}

function parseMessage(text: string): Message {
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === 'object' && message !== null ? (message as Message) : {};
  } catch {
    return {};
  }
}

/** Writes messages of the same form. */
export const messageWriter = (output: Writable) => (message: object) => {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
  output.write(`Content-Length: ${body.length}${separator}`);
  output.write(body);
};
