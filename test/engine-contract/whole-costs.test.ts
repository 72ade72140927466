import { expect, test } from 'vitest';
import type { Cost, Engine, Rows } from '../../src/engine-contract/engine.ts';
import { withWholeCosts } from '../../src/engine-contract/whole-costs.ts';

type Counts = Readonly<Record<'bytesProcessed' | 'bytesBilled' | 'slotMs', number | undefined>>;

/** An engine whose runs cost this, which it reports twice. */
const engineOf = (counts: Counts): Engine => ({
  source: 'test',
  async run(_, { onBill }) {
    const cost = { ...counts, cacheHit: undefined, jobId: 'j' };
    onBill?.(cost);
    return { rows: [], truncated: false, cost };
  },
  close: async () => {},
});

test.each<[string, Counts, Counts, readonly string[]]>([
  [
    'fractions are rounded, of bytes up',
    { bytesProcessed: 0.1, bytesBilled: 10.2, slotMs: 1.4 },
    { bytesProcessed: 1, bytesBilled: 11, slotMs: 1 },
    [],
  ],
  [
    'numbers that cannot be counted are left out with one warning',
    { bytesProcessed: -1, bytesBilled: Number.NaN, slotMs: Number.POSITIVE_INFINITY },
    { bytesProcessed: undefined, bytesBilled: undefined, slotMs: undefined },
    ['bytesProcessed: -1', 'bytesBilled: NaN', 'slotMs: Infinity'],
  ],
  [
    'whole numbers and none stay as they are',
    { bytesProcessed: undefined, bytesBilled: 0, slotMs: 2 ** 53 - 1 },
    { bytesProcessed: undefined, bytesBilled: 0, slotMs: 2 ** 53 - 1 },
    [],
  ],
])('%s', async (_, reported, expected, warnings) => {
  const [warned, bills]: [string[], object[]] = [[], []];
  const engine = withWholeCosts(engineOf(reported), (message) => warned.push(message));
  const options = { signal: new AbortController().signal, onBill: (cost: object) => bills.push(cost) };
  const { cost } = await engine.run({ query: {} as never, parameters: {} }, options);
  expect([cost, ...bills]).toEqual([cost, { ...expected, cacheHit: undefined, jobId: 'j' }]);
  expect(cost).toEqual(bills[0]);
  expect(warned).toEqual(warnings.map((text) => `the engine reports ${text}, which is not counted`));
});

test('what is not of its type is left out with one warning', async () => {
  const cost = { bytesProcessed: 1, bytesBilled: 1, slotMs: 1, cacheHit: 'yes', jobId: 7 };
  const engine: Engine = {
    ...engineOf(cost),
    run: async () => ({ rows: [], truncated: false, cost: cost as never }),
  };
  const warned: string[] = [];
  const { run } = withWholeCosts(engine, (message) => warned.push(message));
  for (let count = 0; count < 2; count += 1) {
    const rows = await run({ query: {} as never, parameters: {} }, { signal: new AbortController().signal });
    expect(rows.cost).toEqual({ ...cost, cacheHit: undefined, jobId: undefined });
  }
  expect(warned).toEqual([
    'the engine reports cacheHit: yes, which is not a boolean',
    'the engine reports jobId: 7, which is not a string',
  ]);
});

test('rows whose members are getters of a class keep them', async () => {
  class ClassRows implements Rows {
    get rows() {
      return ['{}'];
    }
    get truncated() {
      return true;
    }
    get computedAt() {
      return 5;
    }
    get state() {
      return 's';
    }
    get cost() {
      return { bytesProcessed: 1.5, bytesBilled: 0, slotMs: 0, cacheHit: undefined, jobId: 'j' };
    }
  }
  const engine = withWholeCosts(
    { source: 'test', close: async () => {}, run: async () => new ClassRows() },
    () => {},
  );
  const found = await engine.run(
    { query: {} as never, parameters: {} },
    { signal: new AbortController().signal },
  );
  expect(found).toMatchObject({ rows: ['{}'], truncated: true, computedAt: 5, state: 's' });
  expect(found.cost?.bytesProcessed).toBe(2);
});

test('a cost whose members are getters keeps them, and rows of a document are not made', async () => {
  class ClassCost implements Cost {
    get bytesProcessed() {
      return 1.5;
    }
    get bytesBilled() {
      return 10;
    }
    get slotMs() {
      return 20;
    }
    get cacheHit() {
      return false;
    }
    get jobId() {
      return 'j';
    }
  }
  let made = 0;
  const document = { parts: [Buffer.from('{"result":[{}]}')], rowCount: 1 };
  const rows = {
    ...{ document, truncated: false, cost: new ClassCost() },
    get rows() {
      made += 1;
      return ['{}'];
    },
  };
  const engine = withWholeCosts({ source: 'test', close: async () => {}, run: async () => rows }, () => {});
  const found = await engine.run(
    { query: {} as never, parameters: {} },
    { signal: new AbortController().signal },
  );
  expect(found.cost).toEqual({ bytesProcessed: 2, bytesBilled: 10, slotMs: 20, cacheHit: false, jobId: 'j' });
  expect([found.document, made]).toEqual([document, 0]);
  expect([found.rows, made]).toEqual([['{}'], 1]);
});
