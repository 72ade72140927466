import type { PluginHost } from '../../gateway/plugin.ts';
import { httpLimits } from '../../http/message/http-limits.ts';
import { heartbeat } from './events/event-frames.ts';
import { liveLimits } from './live-limits.ts';
import type { LiveCounters } from './live-metrics.ts';
import type { Feed, Stream, Subscription } from './stream.ts';
import { StepQueue } from './step-queue.ts';

interface DeliveryOptions {
  /** True if something may be sent to a client now; the check may end its stream. */
  readonly mayReceive: (stream: Stream) => boolean;
  readonly counters: LiveCounters;
  readonly turns: PluginHost['turns'];
  readonly clock: PluginHost['clock'];
  /** The client has not read for so long that its stream is closed. */
  readonly onSlowReader: (stream: Stream) => void;
  readonly onBug: (error: unknown) => void;
}

const { slowReaderTimeoutMs } = httpLimits;

/** How often the gateway looks for clients that have read what was written, while some have not. */
const lookEveryMs = 50;

/** How often the gateway looks for quiet streams. */
export const beatEveryMs = 1_000;

/**
 * Sends what is new. A client has at most one event in its socket; what comes meanwhile is not kept: when it has read, it
 * gets the newest.
 */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #steps: StepQueue;
  /** Streams with something newer that cannot be written now. */
  readonly #behind = new Set<Stream>();
  #isLooking = false;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#steps = new StepQueue(options.turns, 'live streams', options.onBug);
  }

  deliver(subscription: Subscription): void {
    const { stream, feed, request } = subscription;
    const { current } = feed;
    if (stream.state === 'ended' || current === undefined || subscription.sent === current.token) return;
    const mayReceive = !stream.isBlocked && this.#options.mayReceive(stream);
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

  /** Begins a stream: many may begin at the same moment, each with a large result. */
  begin(piece: Iterator<void, unknown>): void {
    this.#steps.add(piece, true);
  }

  /** Delivers to all clients of a feed, in turns of the event loop. */
  broadcast(feed: Feed): void {
    this.#steps.each(feed.subscriptions, (subscription) => this.deliver(subscription));
  }

  /**
   * Writes a sign of life to each stream to which nothing was written for long, and finds clients that have not read what
   * was written last: to be called every `beatEveryMs`.
   */
  beat(streams: Iterable<Stream>): void {
    this.#steps.each(streams, (stream) => {
      stream.quietBeats += 1;
      if (stream.sink?.isWaiting) this.#wait(stream);
      else if (stream.quietBeats >= liveLimits.heartbeatMs / beatEveryMs) stream.write(heartbeat);
    });
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
    this.#wait(stream);
  }

  #wait(stream: Stream): void {
    this.#behind.add(stream);
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#options.clock.after(lookEveryMs, this.#look);
  }

  /** Writes to those who have read meanwhile. */
  readonly #look = () => {
    this.#isLooking = false;
    const now = this.#options.clock.elapsedMs();
    const ready: Stream[] = [];
    for (const stream of this.#behind) {
      if (!stream.sink?.isWaiting) {
        this.forget(stream);
        ready.push(stream);
        continue;
      }
      stream.waitingSince ??= now;
      if (now - stream.waitingSince > slowReaderTimeoutMs) this.#options.onSlowReader(stream);
      else this.#wait(stream);
    }
    if (ready.length === 0) return;
    // One that cannot be written after all is behind again; a query that ends is taken out of the list.
    this.#steps.each(
      ready.flatMap(({ subscriptions }) => subscriptions),
      (subscription) => this.deliver(subscription),
    );
  };
}
