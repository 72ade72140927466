import { LRUCache } from 'lru-cache';
import type { TableChanges } from '../../engine-contract/engine.ts';
import { getOrAdd } from '../../get-or-add.ts';

/** The changes of tables in one wave. */
interface WaveLooks {
  /** The state that was found first: no run of the wave has begun before. */
  first: string | undefined;
  /** By the state since which they are. */
  readonly since: Map<string, Promise<TableChanges>>;
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
    const wave = getOrAdd<string, WaveLooks>(this.#waves, `${query} ${moment}`, () => ({
      first: undefined,
      since: new Map(),
    }));
    const found = await getOrAdd(wave.since, JSON.stringify(state ?? null), look);
    wave.first ??= found.state;
    return { ...found, state: wave.first };
  }

  /** The state that rows of a wave have at least; empty if it is not known any more. */
  stateAt(query: string, moment: number): string {
    return this.#waves.get(`${query} ${moment}`)?.first ?? '';
  }

  clear(): void {
    this.#waves.clear();
  }
}
