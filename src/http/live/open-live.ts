import { ownerOf } from '../../keys/principal.ts';
import type { Logger } from 'pino';
import type { Gate } from '../../call/gate.ts';
import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { Catalog } from '../../catalog/model/saved-query.ts';
import type { Clock } from '../../concurrency/clock.ts';
import { type FairShare, type Owner, sharersOf } from '../../concurrency/fair-share.ts';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import { openRepeat } from '../../concurrency/repeat.ts';
import { GatewayError } from '../../errors.ts';
import type { Callers as KeySources } from '../../keys/join-sources.ts';
import type { Follow } from '../../results/followers.ts';
import { StreamBody } from '../message/stream/stream-body.ts';
import { checkEveryMs, StreamCallers } from './callers.ts';
import { beatEveryMs, Delivery } from './delivery.ts';
import { type EndCode, heartbeat } from './events.ts';
import type { Followed, Live, Waiting } from './live.ts';
import type { LiveCounters } from './live-counters.ts';
import { StepQueue, stepsOf } from './step-queue.ts';
import { type EndReason, Feed, Stream, type Subscription } from './stream.ts';
import { Waits } from './waits.ts';
import { type Beginning, Watches } from './watches.ts';

export interface LiveOptions {
  readonly gate: Gate;
  readonly follow: Follow;
  readonly sources: Pick<KeySources, 'find' | 'explain' | 'readsRequest'>;
  /** How many queries are followed, by which keys. */
  readonly places: FairShare;
  /** Bytes of all results that are followed, by the keys that followed each first. */
  readonly memory: FairShare;
  readonly counters: LiveCounters;
  readonly turns: LoopTurns;
  readonly clock: Clock;
  readonly log: Logger;
}

export function openLive(options: LiveOptions): Live {
  const { gate, follow, sources, places, memory, counters, turns, clock, log } = options;
  const onBug = (err: unknown) => log.error({ err }, 'a bug in the gateway');
  const streams = new Set<Stream>();
  let isEnding = false;
  /** undefined before the first reload. */
  let latest: Catalog | undefined;
  const queryOf = ({ endpoint, resolve }: Waiting['request']) =>
    latest === undefined ? endpoint.query : resolve(latest);
  const isCurrent = (request: Waiting['request']) => queryOf(request) === request.endpoint.query;
  /** What ends streams, or lets them follow other results: it does not wait for events to be written. */
  const steps = new StepQueue(turns, 'rights of live streams', onBug);
  const watches: Watches = new Watches({
    follow,
    newFeed: (watch, variant, holding) =>
      new Feed({ watch, variant, holding, broadcast: (feed) => delivery.broadcast(feed), onBug }),
    isCurrent: (query) => latest?.queries.includes(query) ?? true,
    clock,
    memory,
  });

  const leave = (subscription: Subscription) => {
    const { feed } = subscription;
    feed.subscriptions.delete(subscription);
    watches.closeIfUnused(feed.watch, feed);
  };
  const detach = (stream: Stream, reason: EndReason) => {
    stream.sink = undefined;
    streams.delete(stream);
    delivery.forget(stream);
    for (const subscription of stream.subscriptions) leave(subscription);
    stream.caller.streams.delete(stream);
    callers.release(stream.caller);
    places.giveBack(stream.owner, stream.places);
    counters.open -= 1;
    counters.ends[reason] += 1;
    // Skipped are results that were replaced by newer ones before the client took them.
    const { events, skipped, bytes } = stream;
    stream.onEnd({ events, skipped, bytes, end: reason });
    if (streams.size === 0) stopTimers();
  };
  /** For when the client has gone. It is made here so that it does not keep the results with which the stream began. */
  const leaving = (stream: Stream) => () => {
    if (stream.sink !== undefined) detach(stream, 'CLIENT');
  };
  const endStream = (stream: Stream, code: EndCode) => {
    const { sink } = stream;
    if (sink === undefined) return;
    const frame = stream.kind.endFrame(code);
    if (frame !== undefined) stream.write(frame);
    detach(stream, code);
    if (frame === undefined) sink.destroy();
    else sink.end();
  };
  /** Ends one query of a stream, and with the last one the stream. */
  const endSubscription = (subscription: Subscription, code: EndCode) => {
    const { stream } = subscription;
    const { endOfOne } = stream.kind;
    if (stream.subscriptions.length <= 1 || endOfOne === undefined) return endStream(stream, code);
    stream.subscriptions.splice(stream.subscriptions.indexOf(subscription), 1);
    leave(subscription);
    stream.write(endOfOne(code, subscription));
  };

  /** @returns undefined if the caller may not run the query any more, which ends the subscription */
  const bindAgain = (subscription: Subscription): BoundQuery | undefined => {
    const { stream, request } = subscription;
    try {
      return gate.reopen(request.endpoint, stream.caller.principal).bound;
    } catch (error) {
      if (!(error instanceof GatewayError)) onBug(error);
      const isRefused = error instanceof GatewayError && error.refusal !== undefined;
      endSubscription(subscription, isRefused ? 'KEY_REVOKED' : 'QUERY_CHANGED');
      return undefined;
    }
  };
  /** Lets a subscription follow what its request means now, for its caller's rights as they are now. */
  const rebind = (subscription: Subscription) => {
    const { stream, feed, request } = subscription;
    const bound = feed.subscriptions.has(subscription) ? bindAgain(subscription) : undefined;
    if (bound === undefined) return;
    const { watch } = feed;
    if (follow.keyOf(bound) === watch.key) {
      if (isCurrent(request)) watch.renew(bound);
      return;
    }
    const next = watches
      .of(bound, stream.owner, undefined, watch.document)
      .feed(request.variant, stream.owner);
    leave(subscription);
    next.subscriptions.add(subscription);
    subscription.feed = next;
    const token = next.watch.failure ?? next.watch.document?.digest;
    // An update writes to all who follow it.
    if (token !== undefined && next.current?.token === token) delivery.deliver(subscription);
    else next.update();
  };
  /** Binds a stream by the rights that its caller has now. */
  const takeRights = (stream: Stream) => {
    if (stream.principal === stream.caller.principal) return;
    stream.principal = stream.caller.principal;
    for (const one of [...stream.subscriptions]) rebind(one);
  };
  const callers = new StreamCallers({
    sources,
    log,
    onRights: (caller) => steps.each(caller.streams, takeRights, true),
    onEnd: (caller, code) => steps.each(caller.streams, (stream) => endStream(stream, code), true),
  });
  const rebindOutdated = function* () {
    for (const { feeds } of watches.outdated()) {
      for (const { subscriptions } of [...feeds.values()])
        for (const one of [...subscriptions]) {
          if (subscriptions.has(one)) rebind(one);
          yield;
        }
    }
  };
  let isChecking = false;
  const check = function* () {
    try {
      yield* callers.checkAll();
      yield* rebindOutdated();
    } finally {
      isChecking = false;
    }
  };
  const delivery = new Delivery({
    mayReceive(stream) {
      if (!callers.mayReceive(stream.caller)) return false;
      takeRights(stream);
      return true;
    },
    counters,
    turns,
    clock,
    onSlowReader(stream) {
      const { sink } = stream;
      detach(stream, 'SLOW_READER');
      sink?.destroy();
    },
    onBug,
  });

  let timers: readonly { close(): Promise<void> }[] = [];
  const startTimers = () => {
    if (timers.length > 0) return;
    const every = (everyMs: number, work: () => void) =>
      openRepeat({ clock, everyMs, work: async () => work(), onError: onBug });
    timers = [
      every(checkEveryMs, () => {
        if (isChecking) return;
        isChecking = true;
        steps.add(check(), true);
      }),
      every(beatEveryMs, () => delivery.beat(streams)),
    ];
  };
  const stopTimers = () => {
    for (const timer of timers) void timer.close();
    timers = [];
  };

  const showFirst = (subscription: Subscription) => {
    const { feed } = subscription;
    const digest = feed.watch.document?.digest;
    if (feed.current?.token !== digest) feed.update();
    if (feed.current?.token === digest) delivery.deliver(subscription);
  };
  const firstEvents = function* (stream: Stream) {
    yield* stepsOf([...stream.subscriptions], (subscription) => {
      const { feed, request } = subscription;
      // The look at the caller's rights, for one before it, may have ended it.
      if (!feed.subscriptions.has(subscription)) return;
      if (!isCurrent(request)) endSubscription(subscription, 'QUERY_CHANGED');
      else showFirst(subscription);
    });
    stream.isBeginning = false;
  };
  const begin = (stream: Stream, queries: readonly Followed[]) => {
    startTimers();
    streams.add(stream);
    counters.open += 1;
    stream.caller.streams.add(stream);
    for (const frame of stream.kind.firstFrames ?? []) stream.write(frame);
    // One list of their number: one that grows takes room for many.
    stream.subscriptions = queries.map(({ request, call, document }) => {
      const feed = watches.of(call.bound, stream.owner, document).feed(request.variant, stream.owner);
      const { digest } = feed.watch.document ?? document;
      const sent = digest === request.knownDigest ? digest : undefined;
      const subscription: Subscription = { stream, request, feed, sent, awaits: undefined };
      feed.subscriptions.add(subscription);
      return subscription;
    });
    takeRights(stream);
    delivery.begin(firstEvents(stream));
    // The client sees at once that it is connected.
    if (stream.events === 0) stream.write(heartbeat);
  };
  /** Takes what queries need to be followed. @returns is called when they have begun, or will not */
  const prepare = (owner: Owner, queries: readonly Beginning[]) => {
    if (isEnding)
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
  const giveBack = (owner: Owner) => places.giveBack(owner);
  const waits = new Waits({ watches, sources, prepare, giveBack, queryOf, turns, clock });
  return {
    stream(head, { principal }, queries, kind) {
      const owner = ownerOf(principal);
      const count = queries.length;
      const release = prepare(owner, queries);
      return new StreamBody({
        begin(sink, onEnd) {
          const caller = callers.callerOf(head, principal);
          const stream = new Stream({ caller, principal, owner, kind, places: count, sink, onEnd });
          begin(stream, queries);
          release();
          return leaving(stream);
        },
        discard() {
          release();
          places.giveBack(owner, count);
        },
      });
    },
    wait: waits.wait,
    replaceCatalog(catalog) {
      latest = catalog;
      const endChanged = ({ subscriptions }: Stream) => {
        for (const one of [...subscriptions])
          if (!isCurrent(one.request)) endSubscription(one, 'QUERY_CHANGED');
      };
      steps.each(streams, endChanged, true);
      waits.look();
    },
    end() {
      isEnding = true;
      for (const stream of [...streams]) endStream(stream, 'SHUTTING_DOWN');
      watches.wake();
    },
    close() {
      this.end();
      stopTimers();
      watches.close();
    },
  };
}
