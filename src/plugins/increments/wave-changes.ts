import { LRUCache } from 'lru-cache';
import type { TableChanges } from '../../engine-contract/engine.ts';
import { getOrAdd } from '../../get-or-add.ts';

/** The changes of tables in one wave. */
interface WaveLooks {
  readonly first: Promise<TableChanges>;
  /** That of the first look, which ends before the others begin: no run of the wave has begun before. */
  state: string | undefined;
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
    const since = JSON.stringify(state ?? null);
    const wave = getOrAdd<string, WaveLooks>(this.#waves, `${query} ${moment}`, () => {
      const first = look();
      return { first, state: undefined, since: new Map([[since, first]]) };
    });
    wave.state ??= (await wave.first).state;
    const found = await getOrAdd(wave.since, since, look);
    return { ...found, state: wave.state };
  }

  /** The state that rows of a wave have at least; empty if it is not known any more. */
  stateAt(query: string, moment: number): string {
    return this.#waves.get(`${query} ${moment}`)?.state ?? '';
  }

  clear(): void {
    this.#waves.clear();
  }
}
