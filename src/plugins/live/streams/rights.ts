import type { BoundQuery } from '../../../catalog/binding/bind.ts';
import { GatewayError } from '../../../errors.ts';
import type { PluginHost } from '../../../gateway/plugin.ts';
import type { Follow } from '../../../results/followers.ts';
import type { Delivery } from '../delivery.ts';
import type { LiveStreams } from './live-streams.ts';
import type { ServedQueries } from './served-queries.ts';
import type { Stream, Subscription } from '../stream.ts';
import type { Watches } from '../watches.ts';

interface RightsOptions {
  readonly reopen: PluginHost['reopen'];
  readonly follow: Follow;
  readonly watches: Watches;
  readonly queries: ServedQueries;
  readonly streams: LiveStreams;
  readonly delivery: Delivery;
  readonly onBug: (error: unknown) => void;
}

/** Binds again the queries that open streams follow, when their callers have other rights or the time makes it another key. */
export class Rights {
  readonly #options: RightsOptions;

  constructor(options: RightsOptions) {
    this.#options = options;
  }

  /** Binds a stream by the rights that its caller has now. */
  take(stream: Stream): void {
    if (stream.principal === stream.subscriber.principal) return;
    stream.principal = stream.subscriber.principal;
    for (const one of [...stream.subscriptions]) this.#rebind(one);
  }

  /** Ends the subscriptions of a stream whose requests mean another query now. */
  endChanged({ subscriptions }: Stream): void {
    const { queries, streams } = this.#options;
    for (const one of [...subscriptions])
      if (!queries.isCurrent(one.request)) streams.endOne(one, 'QUERY_CHANGED');
  }

  /** Binds what depends on the time and is outdated, one subscription in each step. */
  *rebindOutdated(): Generator<void> {
    for (const { feeds } of this.#options.watches.outdated()) {
      for (const { subscriptions } of [...feeds.values()])
        for (const one of [...subscriptions]) {
          if (subscriptions.has(one)) this.#rebind(one);
          yield;
        }
    }
  }

  /** Lets a subscription follow what its request means now, for its caller's rights as they are now. */
  #rebind(subscription: Subscription): void {
    const { follow, watches, queries, streams, delivery } = this.#options;
    const { stream, feed, request } = subscription;
    const bound = feed.subscriptions.has(subscription) ? this.#bindAgain(subscription) : undefined;
    if (bound === undefined) return;
    const { watch } = feed;
    if (follow.keyOf(bound) === watch.key) {
      if (queries.isCurrent(request)) watch.renew(bound);
      return;
    }
    const next = watches
      .of(bound, stream.owner, undefined, watch.document)
      .feed(request.variant, stream.owner);
    streams.leaveFeed(subscription);
    next.subscriptions.add(subscription);
    subscription.feed = next;
    const token = next.watch.failure ?? next.watch.document?.digest;
    // An update writes to all who follow it.
    if (token !== undefined && next.current?.token === token) delivery.deliver(subscription);
    else next.update();
  }

  /** @returns undefined if the caller may not run the query any more, which ends the subscription */
  #bindAgain(subscription: Subscription): BoundQuery | undefined {
    const { reopen, streams, onBug } = this.#options;
    const { stream, request } = subscription;
    try {
      return reopen(request.endpoint, stream.subscriber.principal).bound;
    } catch (error) {
      if (!(error instanceof GatewayError)) onBug(error);
      const isRefused = error instanceof GatewayError && error.refusal !== undefined;
      streams.endOne(subscription, isRefused ? 'KEY_REVOKED' : 'QUERY_CHANGED');
      return undefined;
    }
  }
}
