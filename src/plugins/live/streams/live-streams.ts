import type { FairShare } from '../../../concurrency/fair-share.ts';
import type { Subscribers } from '../subscribers.ts';
import type { Delivery } from '../delivery.ts';
import type { EndCode } from '../events/event-frames.ts';
import type { LiveCounters } from '../live-metrics.ts';
import type { EndReason, Stream, Subscription } from '../stream.ts';
import type { Watches } from '../watches.ts';

interface LiveStreamsOptions {
  readonly watches: Pick<Watches, 'closeIfUnused'>;
  readonly delivery: Pick<Delivery, 'forget'>;
  readonly subscribers: Pick<Subscribers, 'release'>;
  readonly places: Pick<FairShare, 'giveBack'>;
  readonly counters: LiveCounters;
  /** Run while there are streams. */
  readonly timers: { start(): void; stop(): void };
}

/** The streams that have begun and have not ended, and every way in which one ends. */
export class LiveStreams {
  readonly #options: LiveStreamsOptions;
  readonly #all = new Set<Stream>();

  constructor(options: LiveStreamsOptions) {
    this.#options = options;
  }

  [Symbol.iterator](): IterableIterator<Stream> {
    return this.#all.values();
  }

  add(stream: Stream): void {
    this.#options.timers.start();
    this.#all.add(stream);
    this.#options.counters.open += 1;
    stream.subscriber.streams.add(stream);
  }

  /** Ends a stream for a reason of the gateway, which it sends to its client. @param frame default: that of all its queries */
  end(stream: Stream, code: EndCode, frame = stream.kind.endFrame(code)): void {
    const { sink } = stream;
    if (sink === undefined) return;
    if (frame !== undefined) stream.write(frame);
    this.#remove(stream, code);
    if (frame === undefined) sink.destroy();
    else sink.end();
  }

  /** Closes the connection of a client that does not read. */
  cutOff(stream: Stream): void {
    const { sink } = stream;
    this.#remove(stream, 'SLOW_READER');
    sink?.destroy();
  }

  /** @returns to be called when the client has gone; it does not keep the results with which the stream began */
  leaving(stream: Stream): () => void {
    return () => {
      if (stream.state !== 'ended') this.#remove(stream, 'CLIENT');
    };
  }

  /** Ends one query of a stream, and with the last one the stream. */
  endOne(subscription: Subscription, code: EndCode): void {
    const { stream } = subscription;
    const ofOne = stream.kind.endOfOne?.(code, subscription);
    if (stream.subscriptions.length <= 1 || ofOne === undefined) {
      this.end(stream, code, ofOne);
      return;
    }
    stream.subscriptions.splice(stream.subscriptions.indexOf(subscription), 1);
    this.leaveFeed(subscription);
    stream.write(ofOne);
  }

  leaveFeed(subscription: Subscription): void {
    const { feed } = subscription;
    feed.subscriptions.delete(subscription);
    this.#options.watches.closeIfUnused(feed.watch, feed);
  }

  #remove(stream: Stream, reason: EndReason): void {
    const { delivery, subscribers, places, counters, timers } = this.#options;
    stream.end();
    this.#all.delete(stream);
    delivery.forget(stream);
    for (const subscription of stream.subscriptions) this.leaveFeed(subscription);
    stream.subscriber.streams.delete(stream);
    subscribers.release(stream.subscriber);
    places.giveBack(stream.owner, stream.places);
    counters.open -= 1;
    counters.ends[reason] += 1;
    // Skipped are results that were replaced by newer ones before the client took them.
    const { events, skipped, bytes } = stream;
    stream.onEnd({ events, skipped, bytes, end: reason });
    if (this.#all.size === 0) timers.stop();
  }
}
