import { callerGone } from '../errors.ts';
import type { ResultDocument } from '../results/result-document.ts';
import { type Clock, sleep } from './clock.ts';

/** What a flight's work may know of those who wait for it. */
export interface Crew {
  /** Aborted when nobody waits any longer, here or elsewhere. */
  readonly signal: AbortSignal;
  /** How many callers wait here; the warmer is none. */
  readonly callers: () => number;
  /** Set where others wait outside this process: the last one to leave here asks it first. */
  isAwaitedElsewhere: (() => Promise<boolean>) | undefined;
}

/** What a flight brings. */
export interface Landed {
  readonly content: ResultDocument;
  /** kept: another gateway had it. run: our engine ran. followed: another gateway's engine ran for us. */
  readonly source: 'kept' | 'run' | 'followed';
}

/** Gets an answer, or finds that another gateway is getting it and nobody here waits for it: undefined. */
export type Work = (crew: Crew) => Promise<Landed | undefined>;

export interface Flights {
  /** Waits for the flight of a key; where there is none, begins it. `joined` is true for all but who began it. */
  join(key: string, signal: AbortSignal, work: Work): Promise<Landed & { readonly joined: boolean }>;
  /** Begins a flight that no caller waits for yet. @returns undefined where there is one, or it flies elsewhere */
  launch(key: string, signal: AbortSignal, work: Work): Promise<Landed | undefined>;
  has(key: string): boolean;
  /** How many flights callers wait for. */
  awaited(): number;
}

interface Flight extends Crew {
  readonly landed: Promise<Landed | undefined>;
  readonly controller: AbortController;
  waiting: number;
  waitingCallers: number;
  leaving: boolean;
}

/** How often it is asked whether anybody elsewhere still waits. */
const askElsewhereMs = 500;

/** One flight per key in this process: the first one to ask begins it, the last one to leave ends it. */
export function buildFlights(clock: Clock): Flights {
  const flights = new Map<string, Flight>();

  const begin = (key: string, work: Work): Flight => {
    const controller = new AbortController();
    const crew: Crew = {
      signal: controller.signal,
      callers: () => flight.waitingCallers,
      isAwaitedElsewhere: undefined,
    };
    // The work starts a moment later, when the flight that it may ask is complete.
    const landed = Promise.resolve()
      .then(() => work(crew))
      .finally(() => remove(key, flight));
    const flight: Flight = Object.assign(crew, {
      landed,
      controller,
      waiting: 0,
      waitingCallers: 0,
      leaving: false,
    });
    flights.set(key, flight);
    return flight;
  };
  const remove = (key: string, flight: Flight) => {
    if (flights.get(key) === flight) flights.delete(key);
  };

  /** The last one has left: the query ends, unless somebody elsewhere waits, or somebody comes. */
  const leave = async (key: string, flight: Flight) => {
    if (flight.waiting > 0 || flight.leaving) return;
    flight.leaving = true;
    while (flight.waiting === 0 && flights.get(key) === flight && (await flight.isAwaitedElsewhere?.())) {
      await sleep(clock, askElsewhereMs);
    }
    flight.leaving = false;
    if (flight.waiting > 0) return;
    // Whoever asks from now on must not find a flight that is ending.
    remove(key, flight);
    flight.controller.abort();
  };

  const board = (key: string, flight: Flight, signal: AbortSignal, isCaller: boolean) =>
    new Promise<Landed | undefined>((resolve, reject) => {
      const gone = () => {
        off();
        reject(callerGone());
        leave(key, flight);
      };
      const off = () => {
        signal.removeEventListener('abort', gone);
        flight.waiting -= 1;
        if (isCaller) flight.waitingCallers -= 1;
      };
      flight.waiting += 1;
      if (isCaller) flight.waitingCallers += 1;
      signal.addEventListener('abort', gone, { once: true });
      flight.landed.then(
        (landed) => {
          if (!signal.aborted) off();
          resolve(landed);
        },
        (error: unknown) => {
          if (!signal.aborted) off();
          reject(error);
        },
      );
    });

  return {
    async join(key, signal, work) {
      // The signal that an HTTP server gives may not say itself that it is aborted; one made of it does.
      const own = AbortSignal.any([signal]);
      for (;;) {
        if (own.aborted) throw callerGone();
        const known = flights.get(key);
        const landed = await board(key, known ?? begin(key, work), own, true);
        if (landed !== undefined) return { ...landed, joined: known !== undefined };
      }
    },
    launch: async (key, signal, work) =>
      flights.has(key) || signal.aborted ? undefined : board(key, begin(key, work), signal, false),
    has: (key) => flights.has(key),
    awaited: () => [...flights.values()].filter(({ waitingCallers }) => waitingCallers > 0).length,
  };
}
