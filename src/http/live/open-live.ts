import type { Logger } from 'pino';
import type { Gate } from '../../call/gate.ts';
import type { Clock } from '../../concurrency/clock.ts';
import type { FairShare, Owner } from '../../concurrency/fair-share.ts';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import type { Callers as KeySources } from '../../keys/join-sources.ts';
import { ownerOf } from '../../keys/principal.ts';
import type { Follow } from '../../results/followers.ts';
import { StreamBody } from '../message/stream/stream-body.ts';
import { Beginnings } from './streams/beginnings.ts';
import { StreamCallers } from './callers.ts';
import { CheckTimers } from './streams/check-timers.ts';
import { Delivery } from './delivery.ts';
import type { Live } from './live.ts';
import type { LiveCounters } from './live-counters.ts';
import { LiveStreams } from './streams/live-streams.ts';
import { Rights } from './streams/rights.ts';
import { ServedQueries } from './streams/served-queries.ts';
import { StepQueue } from './step-queue.ts';
import { Feed, Stream } from './stream.ts';
import { Waits } from './waits.ts';
import { Watches } from './watches.ts';

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

/** Puts together what serves those who follow results. Its parts call each other through the functions that are given here. */
export function openLive(options: LiveOptions): Live {
  const { gate, follow, sources, places, memory, counters, turns, clock, log } = options;
  const onBug = (err: unknown) => log.error({ err }, 'a bug in the gateway');
  const queries = new ServedQueries();
  /** What ends streams, or lets them follow other results: it does not wait for events to be written. */
  const steps = new StepQueue(turns, 'rights of live streams', onBug);
  const watches = new Watches({
    follow,
    newFeed: (watch, variant, holding) =>
      new Feed({ watch, variant, holding, broadcast: (feed) => delivery.broadcast(feed), onBug }),
    isCurrent: (query) => queries.has(query),
    clock,
    memory,
  });
  const callers = new StreamCallers({
    sources,
    log,
    onRights: (caller) => steps.each(caller.streams, (stream) => rights.take(stream), true),
    onEnd: (caller, code) => steps.each(caller.streams, (stream) => streams.end(stream, code), true),
  });
  const delivery: Delivery = new Delivery({
    mayReceive(stream) {
      if (!callers.mayReceive(stream.caller)) return false;
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
      yield* callers.checkAll();
      yield* rights.rebindOutdated();
    },
    beat: () => delivery.beat(streams),
    steps,
    clock,
    onBug,
  });
  const streams: LiveStreams = new LiveStreams({ watches, delivery, callers, places, counters, timers });
  const rights: Rights = new Rights({ gate, follow, watches, queries, streams, delivery, onBug });
  const beginnings = new Beginnings({ watches, queries, streams, rights, delivery, places });
  const { prepare } = beginnings;
  const giveBack = (owner: Owner) => places.giveBack(owner);
  const waits = new Waits({ watches, sources, prepare, giveBack, queryOf: queries.of, turns, clock });
  return {
    stream(head, { principal }, followed, kind) {
      const owner = ownerOf(principal);
      const count = followed.length;
      const release = prepare(owner, followed);
      return new StreamBody({
        begin(sink, onEnd) {
          const caller = callers.callerOf(head, principal);
          const stream = new Stream({ caller, principal, owner, kind, places: count, sink, onEnd });
          beginnings.begin(stream, followed);
          release();
          return streams.leaving(stream);
        },
        discard() {
          release();
          places.giveBack(owner, count);
        },
      });
    },
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
