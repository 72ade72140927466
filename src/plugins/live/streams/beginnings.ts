import { type FairShare, type Owner, sharersOf } from '../../../concurrency/fair-share.ts';
import { GatewayError } from '../../../errors.ts';
import type { RequestHead } from '../../../http/message/head.ts';
import { StreamBody } from '../../../http/message/stream/stream-body.ts';
import { ownerOf, type Principal } from '../../../keys/principal.ts';
import type { Delivery } from '../delivery.ts';
import { heartbeat } from '../events/event-frames.ts';
import type { Followed } from '../followed.ts';
import type { LiveStreams } from './live-streams.ts';
import type { Rights } from './rights.ts';
import type { ServedQueries } from './served-queries.ts';
import { stepsOf } from '../step-queue.ts';
import { Stream, type StreamKind, type Subscription } from '../stream.ts';
import type { Subscribers } from '../subscribers.ts';
import type { Beginning, Watches } from '../watches.ts';

interface BeginningsOptions {
  readonly watches: Watches;
  readonly queries: ServedQueries;
  readonly streams: LiveStreams;
  readonly subscribers: Subscribers;
  readonly rights: Rights;
  readonly delivery: Delivery;
  /** How many queries are followed, by which keys. */
  readonly places: FairShare;
}

/** From a request to follow queries to the first events of its stream. */
export class Beginnings {
  readonly #options: BeginningsOptions;
  #state: 'open' | 'closed' = 'open';

  constructor(options: BeginningsOptions) {
    this.#options = options;
  }

  /** Nothing begins any more. */
  close(): void {
    this.#state = 'closed';
  }

  /**
   * Takes what queries need to be followed.
   *
   * @returns to be called when they have begun, or will not
   * @throws GatewayError OVERLOADED
   */
  readonly prepare = (owner: Owner, queries: readonly Beginning[]): (() => void) => {
    const { watches, places } = this.#options;
    if (this.#state === 'closed')
      throw new GatewayError('OVERLOADED', 'The gateway is ending; try again', { retryAfterSeconds: 1 });
    const release = watches.prepare(owner, queries);
    if (places.tryTake(owner, queries.length)) return release;
    release();
    throw new GatewayError(
      'OVERLOADED',
      `${places.used} queries are followed, ${places.heldBy(owner)} of them with ${sharersOf(owner)}, which may not follow more now; close streams, or try again later`,
      { retryAfterSeconds: 5 },
    );
  };

  /** A response with the results of some queries as they change. @throws GatewayError OVERLOADED */
  stream(
    head: RequestHead,
    principal: Principal,
    followed: readonly Followed[],
    kind: StreamKind,
  ): StreamBody {
    const { streams, subscribers, places } = this.#options;
    const owner = ownerOf(principal);
    const count = followed.length;
    const release = this.prepare(owner, followed);
    return new StreamBody({
      begin: (sink, onEnd) => {
        const subscriber = subscribers.of(head, principal);
        const stream = new Stream({ subscriber, principal, owner, kind, places: count, sink, onEnd });
        this.#begin(stream, followed);
        release();
        return streams.leaving(stream);
      },
      discard() {
        release();
        places.giveBack(owner, count);
      },
    });
  }

  #begin(stream: Stream, queries: readonly Followed[]): void {
    const { streams, rights, delivery } = this.#options;
    streams.add(stream);
    for (const frame of stream.kind.firstFrames ?? []) stream.write(frame);
    // One list of their number: one that grows takes room for many.
    stream.subscriptions = queries.map((query) => this.#subscribe(stream, query));
    rights.take(stream);
    delivery.begin(this.#firstEvents(stream));
    // The client sees at once that it is connected.
    if (stream.events === 0) stream.write(heartbeat);
  }

  #subscribe(stream: Stream, { request, call, document }: Followed): Subscription {
    const { owner } = stream;
    const feed = this.#options.watches.of(call.bound, owner, document).feed(request.variant, owner);
    const { digest } = feed.watch.document ?? document;
    const sent = digest === request.knownDigest ? digest : undefined;
    const subscription: Subscription = { stream, request, feed, sent, awaits: undefined };
    feed.subscriptions.add(subscription);
    return subscription;
  }

  *#firstEvents(stream: Stream): Generator<void> {
    const { queries, streams } = this.#options;
    yield* stepsOf([...stream.subscriptions], (subscription) => {
      const { feed, request } = subscription;
      // The look at the caller's rights, for one before it, may have ended it.
      if (!feed.subscriptions.has(subscription)) return;
      if (queries.isCurrent(request)) this.#showFirst(subscription);
      else streams.endOne(subscription, 'QUERY_CHANGED');
    });
    stream.open();
  }

  #showFirst(subscription: Subscription): void {
    const { feed } = subscription;
    const digest = feed.watch.document?.digest;
    if (feed.current?.token !== digest) feed.update();
    if (feed.current?.token === digest) this.#options.delivery.deliver(subscription);
  }
}
