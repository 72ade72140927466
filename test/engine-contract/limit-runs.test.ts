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

test('a run whose turn comes as the engine closes does not start', async () => {
  const started: unknown[] = [];
  const engine: Engine = {
    source: 'closing',
    run: async (_, { signal }) => {
      started.push(signal);
      return { rows: [], truncated: false };
    },
    close: async () => {},
  };
  const limited = limitRuns({ limits: { concurrency: 1, queueLength: 1, timeoutMs: 1_000 } }, engine);
  const { signal } = new AbortController();
  const run = limited.run({ query: {} as SavedQuery, parameters: {} }, { signal });
  const ended = expect(run).rejects.toMatchObject({ code: 'CANCELLED' });
  await limited.close();
  await ended;
  expect(started).toEqual([]);
});
