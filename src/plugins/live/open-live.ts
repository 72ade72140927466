import type { FairShare, Owner } from '../../concurrency/fair-share.ts';
import type { PluginHost } from '../../gateway/plugin.ts';
import { Beginnings } from './streams/beginnings.ts';
import { CheckTimers } from './streams/check-timers.ts';
import { Delivery } from './delivery.ts';
import type { Live } from './followed.ts';
import type { LiveCounters } from './live-metrics.ts';
import { LiveStreams } from './streams/live-streams.ts';
import { Rights } from './streams/rights.ts';
import { ServedQueries } from './streams/served-queries.ts';
import { StepQueue } from './step-queue.ts';
import { Feed } from './stream.ts';
import { Subscribers } from './subscribers.ts';
import { Waits } from './waits.ts';
import { Watches } from './watches.ts';

export interface LiveOptions
  extends Pick<PluginHost, 'reopen' | 'follow' | 'callerOf' | 'turns' | 'clock' | 'log'> {
  /** How many queries are followed, by which keys. */
  readonly places: FairShare;
  /** Bytes of all results that are followed, by the keys that followed each first. */
  readonly memory: FairShare;
  readonly counters: LiveCounters;
}

/** Serves those who follow results. Its parts call each other through the functions that are given here. */
export function openLive(options: LiveOptions): Live {
  const { reopen, follow, callerOf, places, memory, counters, turns, clock, log } = options;
  const onBug = (err: unknown) => log.error({ err }, 'a bug in the gateway');
  const queries = new ServedQueries();
  /** Work that ends streams, or lets them follow other results: it does not wait for events to be written. */
  const steps = new StepQueue(turns, 'rights of live streams', onBug);
  const watches = new Watches({
    follow,
    newFeed: (watch, variant, holding) =>
      new Feed({ watch, variant, holding, broadcast: (feed) => delivery.broadcast(feed), onBug }),
    isCurrent: (query) => queries.has(query),
    clock,
    memory,
  });
  const subscribers = new Subscribers({
    callerOf,
    log,
    onRights: (subscriber) => steps.each(subscriber.streams, (stream) => rights.take(stream), true),
    onEnd: (subscriber, code) => steps.each(subscriber.streams, (stream) => streams.end(stream, code), true),
  });
  const delivery: Delivery = new Delivery({
    mayReceive(stream) {
      if (!subscribers.mayReceive(stream.subscriber)) return false;
      rights.take(stream);
      return true;
    },
    counters,
    turns,
    clock,
    onSlowReader: (stream) => streams.cutOff(stream),
    onBug,
  });
  const timers = new CheckTimers({
    *check() {
      yield* subscribers.checkAll();
      yield* rights.rebindOutdated();
    },
    beat: () => delivery.beat(streams),
    steps,
    clock,
    onBug,
  });
  const streams: LiveStreams = new LiveStreams({ watches, delivery, subscribers, places, counters, timers });
  const rights: Rights = new Rights({ reopen, follow, watches, queries, streams, delivery, onBug });
  const beginnings = new Beginnings({ watches, queries, streams, subscribers, rights, delivery, places });
  const { prepare } = beginnings;
  const giveBack = (owner: Owner) => places.giveBack(owner);
  const waits = new Waits({ watches, callerOf, prepare, giveBack, queryOf: queries.of, turns, clock });
  return {
    stream: (head, { principal }, followed, kind) => beginnings.stream(head, principal, followed, kind),
    wait: waits.wait,
    replaceCatalog(catalog) {
      queries.replace(catalog);
      steps.each(streams, (stream) => rights.endChanged(stream), true);
      waits.look();
    },
    end() {
      beginnings.close();
      for (const stream of [...streams]) streams.end(stream, 'SHUTTING_DOWN');
      watches.wake();
    },
    close() {
      this.end();
      timers.stop();
      watches.close();
    },
  };
}
