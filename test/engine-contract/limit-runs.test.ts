import { expect, test } from 'vitest';
import type { Engine } from '../../src/engine-contract/engine.ts';
import { limitRuns } from '../../src/engine-contract/limit-runs.ts';
import type { SavedQuery } from '../../src/catalog/model/saved-query.ts';

test('an engine around an engine of a class can do what that one can', async () => {
  class Versioned implements Engine {
    readonly source = 'versioned';
    readonly #version = '7';
    run = async () => ({ rows: [], truncated: false });
    close = async () => {};
    dataVersionOf() {
      return this.#version;
    }
    async estimateBytes() {
      return Number(this.#version);
    }
    async changes() {
      return { state: this.#version, changed: [] };
    }
  }
  const limits = { concurrency: 1, queueLength: 1, timeoutMs: 1_000 };
  const engine = limitRuns({ limits }, new Versioned());
  const { signal } = new AbortController();
  expect(engine.dataVersionOf?.({} as SavedQuery)).toBe('7');
  expect(await engine.estimateBytes?.({ query: {} as SavedQuery, parameters: {} }, { signal })).toBe(7);
  expect(await engine.changes?.([], undefined, signal)).toEqual({ state: '7', changed: [] });
});
