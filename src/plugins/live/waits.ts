import type { Owner } from '../../concurrency/fair-share.ts';
import { ownerOf } from '../../keys/principal.ts';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import type { PluginHost } from '../../gateway/plugin.ts';
import type { Live, Waiting } from './followed.ts';
import type { Beginning, Watches } from './watches.ts';

interface WaitsOptions {
  readonly watches: Watches;
  readonly callerOf: PluginHost['callerOf'];
  /** Takes what it needs to follow queries. @returns is called when they are followed */
  readonly prepare: (owner: Owner, queries: readonly Beginning[]) => () => void;
  /** Gives the place of one query back. */
  readonly giveBack: (owner: Owner) => void;
  /** The query that a request means now; undefined if it means none. */
  readonly queryOf: (request: Waiting['request']) => SavedQuery | undefined;
  readonly turns: PluginHost['turns'];
  readonly clock: PluginHost['clock'];
}

/** Requests that wait for another result than they have. */
export class Waits {
  readonly #options: WaitsOptions;
  /** Functions that look whether a reload has changed the query for which a request waits. */
  readonly #looks = new Set<() => void>();

  constructor(options: WaitsOptions) {
    this.#options = options;
  }

  /** To be called when the catalog has changed. */
  look(): void {
    for (const look of this.#looks) look();
  }

  readonly wait: Live['wait'] = async (head, { principal }, { request, call, document }, ms) => {
    const { watches, callerOf, prepare, giveBack, queryOf, turns, clock } = this.#options;
    const owner = ownerOf(principal);
    const isCurrent = () => queryOf(request) === request.endpoint.query;
    const release = prepare(owner, [{ call, document, request: {} }]);
    const { bound } = call;
    const watch = watches.of(bound, owner, document);
    const { promise, resolve } = Promise.withResolvers<void>();
    // Values that are relative to the time mean something else then.
    const { validUntil = Number.POSITIVE_INFINITY } = bound;
    const cancel = clock.after(Math.min(ms, validUntil - clock.now().getTime()), resolve);
    const { signal } = head;
    signal.addEventListener('abort', () => resolve(), { once: true });
    watch.waiting.add(resolve);
    release();
    const look = () => isCurrent() || resolve();
    this.#looks.add(look);
    try {
      if (!signal.aborted && isCurrent() && watch.document?.digest === document.digest) await promise;
      // Many may have waited for one result.
      await turns.wait(owner);
    } finally {
      cancel();
      watch.waiting.delete(resolve);
      this.#looks.delete(look);
      watches.closeIfUnused(watch);
      giveBack(owner);
    }
    return { principal: await callerOf(head).find(), query: queryOf(request) };
  };
}
