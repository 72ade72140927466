import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LoopTurns } from '../../../src/concurrency/loop-turns.ts';
import type { Engine } from '../../../src/engine-contract/engine.ts';
import { openRemote } from '../../../src/engine-contract/remote/open-remote.ts';
import { analyzed } from '../../support/engine-host.ts';
import { eventually } from '../../support/eventually.ts';
import { draftQuery } from '../../support/queries.ts';

const queries = ['queued', 'running', 'crash', 'unusable'].map((name) =>
  draftQuery({ name, columns: { x: 'integer' }, sql: 'select 1 as x' }),
);
const never = new AbortController().signal;

let folder: string;
let log: string;
let news: string[];
let engine: Engine;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  log = join(folder, 'log');
  writeFileSync(log, '');
  news = [];
  engine = await openRemote(
    {
      catalog: analyzed({ queries, tables: [] }),
      limits: { concurrency: 2, queueLength: 10, timeoutMs: 20_000 },
      now: () => new Date(),
      events: { problem() {}, news: (text) => void news.push(text) },
      turns: new LoopTurns(),
    },
    {
      program: new URL('./fixtures/faulty-engine.ts', import.meta.url),
      settings: { log },
      memoryBytes: 4e9,
    },
  );
});
afterEach(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

/** The row of each query, or the code of its failure. */
const answers = (names: readonly string[]) =>
  Promise.all(
    queries
      .filter(({ name }) => names.includes(name))
      .map((query) =>
        engine.run({ query, parameters: {} }, { signal: never }).then(
          ({ rows }) => [...rows].join(),
          ({ code }) => code,
        ),
      ),
  );

test('of a process that crashes, the runs that had begun are not repeated', async () => {
  expect(await answers(['queued', 'running', 'crash'])).toEqual([
    '{"x":1}',
    'ENGINE_UNAVAILABLE',
    'ENGINE_UNAVAILABLE',
  ]);
  expect(readFileSync(log, 'utf8')).toBe('queued running crash queued ');
});

test('of a process that is ended because its database is unusable, all runs are repeated', async () => {
  expect(await answers(['running', 'unusable'])).toEqual(['{"x":1}', '{"x":1}']);
});

test('a check that may have crashed the process is not repeated', async () => {
  await expect(engine.updates?.check(analyzed({ queries, tables: [] }))).rejects.toThrow('SIGSEGV');
  expect(readFileSync(log, 'utf8')).toBe('check ');
});

test('the time of the engine goes on between runs', async () => {
  await eventually(() => expect(new Set(news).size).toBeGreaterThan(1));
});
