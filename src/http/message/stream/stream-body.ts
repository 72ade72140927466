import type { LogFields } from '../log-fields.ts';
import type { Frame } from './frame.ts';

/** Where the events of one response are written. */
export interface Sink {
  /** Whether a part of what was written is still in memory, because the client does not read. */
  readonly isWaiting: boolean;
  write(frame: Frame): void;
  /** Ends the response. */
  end(): void;
  /** Closes the connection. */
  destroy(): void;
}

/** What became of a stream, for the metrics; further fields are for the log. */
export interface StreamSummary extends LogFields {
  readonly end: string;
  readonly bytes: number;
}

/** A body that is written while events, or parts of an answer, come. */
export class StreamBody {
  readonly #begin: (sink: Sink, onEnd: (summary: StreamSummary) => void) => () => void;
  readonly #discard: () => void;
  /** Resolves when nothing runs for it any more; undefined if its request is not in flight while it is written. */
  readonly done: Promise<unknown> | undefined;
  #onEnd: (summary: StreamSummary) => void = () => {};

  /**
   * @param begin called when the head has been sent. @returns is called when the client has disconnected
   * @param discard called instead, if the body will not be sent
   */
  constructor(
    begin: (sink: Sink, onEnd: (summary: StreamSummary) => void) => () => void,
    discard: () => void,
    done?: Promise<unknown>,
  ) {
    this.#begin = begin;
    this.#discard = discard;
    this.done = done;
  }

  /** @param onEnd called once, if it begins */
  onEnd(onEnd: (summary: StreamSummary) => void): void {
    this.#onEnd = onEnd;
  }

  begin(sink: Sink): () => void {
    return this.#begin(sink, this.#onEnd);
  }

  discard(): void {
    this.#discard();
  }
}
