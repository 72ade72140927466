import { LRUCache } from 'lru-cache';
import type { TableChanges } from '../../engine-contract/engine.ts';
import { getOrAdd } from '../../get-or-add.ts';

/** The changes of tables in one wave. */
interface WaveLooks {
  /** By the state since which they are, in the order in which the looks began. */
  readonly since: Map<string, Promise<TableChanges>>;
  /** That of the first look that has one. No run of the wave begins before it is known, and a later look would miss changes. */
  state: Promise<string> | undefined;
}

/** How many waves are known at once, of all queries. */
const maxWaves = 100;

/**
 * Looks at tables once for the refreshes of a wave. They read the same part of the time, so that one run can be for many tenants;
 * and as its rows may be older than the last refresh of the wave, the state of all of them is the first one.
 */
export class WaveChanges {
  readonly #waves = new LRUCache<string, WaveLooks>({ max: maxWaves });

  /** @param look never rejects */
  async since(
    query: string,
    moment: number,
    state: string | undefined,
    look: () => Promise<TableChanges>,
  ): Promise<TableChanges> {
    const since = JSON.stringify(state ?? null);
    const wave = getOrAdd<string, WaveLooks>(this.#waves, `${query} ${moment}`, () => ({
      since: new Map(),
      state: undefined,
    }));
    const looked = getOrAdd(wave.since, since, async () => {
      const found = await look();
      // The next refresh looks again.
      if (found.state === '') wave.since.delete(since);
      return found;
    });
    wave.state ??= firstState(wave.since);
    return { ...(await looked), state: await wave.state };
  }

  /** The state that rows of a wave have at least; empty if it is not known any more. */
  async stateAt(query: string, moment: number): Promise<string> {
    return (await this.#waves.get(`${query} ${moment}`)?.state) ?? '';
  }

  clear(): void {
    this.#waves.clear();
  }
}

/** @returns an empty one if no look has a state, also for looks that begin later: a run may have begun before them */
async function firstState(looks: WaveLooks['since']): Promise<string> {
  for (const look of looks.values()) {
    const { state } = await look;
    if (state !== '') return state;
  }
  return '';
}
