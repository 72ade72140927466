import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import { httpLimits } from '../message/http-limits.ts';
import type { StreamCallers } from './callers.ts';
import { heartbeat } from './events.ts';
import type { LiveCounters } from './live-counters.ts';
import type { Feed, Stream, Subscription } from './stream.ts';
import { StreamWriter } from './writer.ts';

interface DeliveryOptions {
  readonly mayReceive: StreamCallers['mayReceive'];
  readonly counters: LiveCounters;
  readonly turns: LoopTurns;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The client has not read for so long that its stream is closed. */
  readonly onSlowReader: (stream: Stream) => void;
  readonly onBug: (error: unknown) => void;
}

/** Clients to which is written in one step. */
const perStep = 16;

const { slowReaderTimeoutMs } = httpLimits;

/** How often it is looked which streams are quiet. */
export const beatEveryMs = 1_000;

/**
 * Sends what is new. A client has at most one event in its socket; what comes meanwhile is not kept: when it has read, it
 * gets the newest.
 */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #writer: StreamWriter;
  /** Streams with something newer that cannot be written now. */
  readonly #behind = new Set<Stream>();

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#writer = new StreamWriter(options.turns, options.onBug);
  }

  deliver(subscription: Subscription): void {
    const { stream, feed, request } = subscription;
    const { current } = feed;
    if (stream.sink === undefined || current === undefined || subscription.sent === current.token) return;
    const isBlocked = stream.sink.isWaiting && !stream.isBeginning;
    const mayReceive = !isBlocked && this.#options.mayReceive(stream.caller);
    // The look at the caller's rights may have ended it, or let it follow another result.
    if (!feed.subscriptions.has(subscription)) return;
    if (!mayReceive) {
      this.#postpone(subscription);
      return;
    }
    const patch = current.patch?.from === subscription.sent ? current.patch?.frame : undefined;
    subscription.sent = current.token;
    subscription.awaits = undefined;
    stream.events += 1;
    this.#options.counters.events += 1;
    stream.write(patch ?? current.whole, request.head);
  }

  /** The same for all clients of a feed, in turns of the event loop. */
  broadcast(feed: Feed): void {
    this.#inTurns(feed.subscriptions, (subscription) => this.deliver(subscription));
  }

  /** Writes a sign of life to each stream to which nothing was written for long: to be called every `beatEveryMs`. */
  beat(streams: Iterable<Stream>): void {
    this.#inTurns(streams, (stream) => {
      stream.quietBeats += 1;
      if (stream.quietBeats < httpLimits.heartbeatMs / beatEveryMs) return;
      if (stream.sink?.isWaiting) this.#behind.add(stream);
      else stream.write(heartbeat);
    });
  }

  /** Writes to those who have read meanwhile. */
  look(): void {
    const now = this.#options.now();
    // Copies: a stream that still cannot be written is added again, and a query that ends is taken out.
    for (const stream of [...this.#behind]) {
      if (stream.sink?.isWaiting) {
        stream.waitingSince ??= now;
        if (now - stream.waitingSince > slowReaderTimeoutMs) this.#options.onSlowReader(stream);
        continue;
      }
      this.forget(stream);
      for (const subscription of [...stream.subscriptions]) this.deliver(subscription);
    }
  }

  forget(stream: Stream): void {
    stream.waitingSince = undefined;
    this.#behind.delete(stream);
  }

  #postpone(subscription: Subscription): void {
    const { stream, feed, awaits } = subscription;
    const token = feed.current?.token;
    if (awaits !== undefined && awaits !== token) {
      stream.skipped += 1;
      this.#options.counters.skipped += 1;
    }
    subscription.awaits = token;
    this.#behind.add(stream);
  }

  #inTurns<T>(items: Iterable<T>, work: (item: T) => void): void {
    this.#writer.add(steps(items, work));
  }
}

function* steps<T>(items: Iterable<T>, work: (item: T) => void): Generator<void> {
  let done = 0;
  for (const item of items) {
    work(item);
    done += 1;
    if (done % perStep === 0) yield;
  }
}
