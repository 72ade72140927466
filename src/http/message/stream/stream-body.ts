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

/** What became of a stream of events, for the log and the metrics. */
export interface StreamSummary {
  readonly events: number;
  /** Results that were replaced by newer ones before the client took them. */
  readonly skipped: number;
  readonly end: string;
  readonly bytes: number;
}

/** A body that is written while events come. */
export class StreamBody {
  readonly #begin: (sink: Sink, onEnd: (summary: StreamSummary) => void) => () => void;
  readonly #discard: () => void;
  #onEnd: (summary: StreamSummary) => void = () => {};

  /**
   * @param begin called when the head has been sent. @returns is called when the client has disconnected
   * @param discard called instead, if the body will not be sent
   */
  constructor(
    begin: (sink: Sink, onEnd: (summary: StreamSummary) => void) => () => void,
    discard: () => void,
  ) {
    this.#begin = begin;
    this.#discard = discard;
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
