import type { Readable } from 'node:stream';
import type { LogFields } from '../log-fields.ts';
import type { Frame } from './frame.ts';

/** Where the events of one response are written. */
export interface Sink {
  /** True while a part of what was written is still in memory, because the client does not read. */
  readonly isWaiting: boolean;
  write(frame: Frame): void;
  /** Ends the response. */
  end(): void;
  /** Closes the connection. */
  destroy(): void;
}

/** How a stream ended and its length, for the metrics; further fields are for the log. */
export interface StreamSummary extends LogFields {
  readonly end: string;
  readonly bytes: number;
}

interface StreamStart {
  /** Called when the head has been sent. @returns is called when the client has disconnected */
  begin(sink: Sink, onEnd: (summary: StreamSummary) => void): () => void;
  /** Called instead, if the body will not be sent. */
  discard(): void;
}

/** A body that is written while events, or parts of an answer, come. */
export class StreamBody {
  /** undefined once it was used: it may hold large results, and streams last for hours. */
  #start: StreamStart | undefined;
  /** Resolves when nothing runs for it any more; undefined if its request is not in flight while it is written. */
  readonly done: Promise<unknown> | undefined;
  #onEnd: (summary: StreamSummary) => void = () => {};

  constructor(start: StreamStart, done?: Promise<unknown>) {
    this.#start = start;
    this.done = done;
  }

  /** @param onEnd called once, if it begins */
  onEnd(onEnd: (summary: StreamSummary) => void): void {
    this.#onEnd = onEnd;
  }

  /** @throws TypeError if it has begun or was discarded */
  begin(sink: Sink): () => void {
    const start = this.#start;
    if (start === undefined) throw new TypeError('a stream begins once');
    this.#start = undefined;
    return start.begin(sink, this.#onEnd);
  }

  discard(): void {
    this.#start?.discard();
    this.#start = undefined;
  }
}

/** Ends a stream that is not sent. An error without a listener would end the process. */
export const discardStream = (body: Readable): void => void body.on('error', () => {}).destroy();
