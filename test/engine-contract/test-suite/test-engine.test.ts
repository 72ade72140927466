import { expect, test } from 'vitest';
import type { Engine, Rows } from '../../../src/engine-contract/engine.ts';
import type { EngineFactory } from '../../../src/engine-contract/engine-factory.ts';
import { type CaseName, cases } from '../../../src/engine-contract/test-suite/cases.ts';
import { testEngine } from '../../../src/engine-contract/test-suite/test-engine.ts';

const cost = { bytesProcessed: 1, bytesBilled: 0, slotMs: 1.5, cacheHit: undefined, jobId: undefined };
const document = (text: string, rowCount: number) => ({ parts: [Buffer.from(text)], rowCount });

/** The failure of one test of the suite, of an engine whose runs give this. */
async function failureOf(
  title: string,
  rows: Partial<Rows>,
  more: { readonly engine?: Partial<Engine>; readonly sql?: unknown } = {},
): Promise<string | undefined> {
  const tests = new Map<string, () => Promise<void>>();
  const declare = (name: string, run: () => Promise<void>) => tests.set(name, run);
  const engine: EngineFactory = {
    name: 'wrong',
    sql: (more.sql ?? 'native') as 'native',
    open: async () => ({
      source: 'test',
      run: async () => ({ rows: ['{"said":"x"}'], truncated: false, ...rows }),
      close: async () => {},
      ...more.engine,
    }),
  };
  testEngine({
    test: Object.assign(declare, { skip: () => {} }),
    engine,
    statements: { echo: 'select ?' },
    omit: (Object.keys(cases) as CaseName[]).filter((name) => name !== 'echo'),
    limits: { timeoutMs: 10 },
  });
  const run = tests.get(`wrong: ${title}`);
  if (run === undefined) throw new Error(`no test ${title}`);
  return run().then(
    () => undefined,
    (error: Error) => error.message,
  );
}

const echo = 'rows wait for beforeRows, if the engine calls it';
const sources = 'engines over the same data have the same source';
const kinds = 'its SQL is of one of two kinds';

test('an engine that keeps the contract passes', async () => {
  expect(await failureOf(echo, { document: document('{"result":[{"said":"x"}]}', 1) })).toBeUndefined();
  for (const title of [echo, sources, kinds]) expect(await failureOf(title, {})).toBeUndefined();
});

test('fractions in a cost are found', async () => {
  const title = 'a cost, if the engine reports it, is of whole numbers from 0 on';
  expect(await failureOf(title, { cost })).toBe('slotMs is 1.5');
});

test('a document of other rows, or of another number of them, is found', async () => {
  expect(await failureOf(echo, { document: document('{"result":[{"said":"x"}]}', 99) })).toContain(
    'rowCount',
  );
  expect(await failureOf(echo, { document: document('{"result":[{"said":"y"}]}', 1) })).toContain(
    "said: 'y'",
  );
});

test('an SQL that is not one of two kinds is found', async () => {
  expect(await failureOf(kinds, {}, { sql: 'mysql' })).toBe('sql is mysql');
});

test('an engine that never closes is found', async () => {
  const close = () => new Promise<never>(() => {});
  expect(await failureOf(sources, {}, { engine: { close } })).toBe('not closed after 50 ms');
});
