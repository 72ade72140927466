import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Frame } from '../message/stream/frame.ts';
import type { Sink, StreamBody } from '../message/stream/stream-body.ts';
import { PreparedResponse } from './prepared-response.ts';

/** Writes events to a response whose head has been sent. */
export function sinkOf(response: ServerResponse): Sink {
  const { socket, chunkedEncoding } = response;
  return response instanceof PreparedResponse && socket !== null && chunkedEncoding
    ? new SocketSink(response, socket)
    : new ResponseSink(response);
}

class ResponseSink implements Sink {
  protected readonly response: ServerResponse;

  constructor(response: ServerResponse) {
    this.response = response;
  }

  get isWaiting(): boolean {
    return this.response.writableLength > 0;
  }

  write({ bytes }: Frame): void {
    this.response.write(bytes);
  }

  end(): void {
    this.response.end();
  }

  destroy(): void {
    this.response.destroy();
  }
}

/**
 * The same past the response, which would write a chunk in three parts, and frame it again for each client. Nothing else
 * writes to a response of the gateway's own server.
 */
class SocketSink extends ResponseSink {
  readonly #socket: Socket;

  constructor(response: ServerResponse, socket: Socket) {
    super(response);
    this.#socket = socket;
  }

  /** The response itself has nothing in memory: to look at it for each event and client takes its time. */
  override get isWaiting(): boolean {
    return this.#socket.writableLength > 0;
  }

  override write({ chunk }: Frame): void {
    if (this.#socket.writable) this.#socket.write(chunk);
  }
}

/** A stream of events as the body of a Fetch response. */
export function webStreamOf(body: StreamBody): ReadableStream<Uint8Array> {
  let onClose = () => {};
  let hasEnded = false;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        onClose = body.begin({
          get isWaiting() {
            // A stream that has ended has no size any more, and does not say when it has been read.
            return !hasEnded && (controller.desiredSize ?? 0) <= 0;
          },
          // A copy: who reads it may write to it, or transfer it.
          write: ({ bytes }) => controller.enqueue(Uint8Array.from(bytes)),
          end() {
            hasEnded = true;
            controller.close();
          },
          destroy: () => controller.error(new Error('the stream was ended')),
        });
      },
      cancel: () => onClose(),
    },
    // One more than what a stream begins with.
    new CountQueuingStrategy({ highWaterMark: 2 }),
  );
}
