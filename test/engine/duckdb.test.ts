import { describe, expect, test } from 'vitest';
import type { SavedQuery } from '../../src/catalog/saved-query.ts';
import { readConfig } from '../../src/config.ts';
import { openDuckdb } from '../../src/engine/duckdb/open-duckdb.ts';
import { draftQuery } from '../support/queries.ts';
import { engineContract } from './contract.ts';

const open = (queries: readonly SavedQuery[], env: Record<string, string> = {}) =>
  openDuckdb({
    catalog: { queries, tables: [] },
    config: readConfig({
      ENGINE_TIMEOUT_MS: '500',
      ENGINE_CONCURRENCY: '2',
      DATA_DIR: 'test',
      STORE_FILE: ':memory:',
      ...env,
    }),
    now: () => new Date(),
    listener: { problem: () => {}, news: () => {} },
  });

engineContract('duckdb', { open });

describe('slow queries', () => {
  const slow = draftQuery({
    name: 'slow',
    columns: { x: 'integer' },
    sql: 'select sum(a * b * c) as x from unnest(generate_array(1, 4000)) as a, unnest(generate_array(1, 4000)) as b, unnest(generate_array(1, 50)) as c',
  });

  test('wait in a bounded queue', async () => {
    const settings = { ENGINE_TIMEOUT_MS: '60000', ENGINE_CONCURRENCY: '1', ENGINE_QUEUE_LENGTH: '2' };
    const engine = await open([slow], settings);
    const leave = new AbortController();
    const codes = Array.from({ length: 5 }, () =>
      engine.run({ query: slow, parameters: {} }, { signal: leave.signal }).then(
        () => 'ended',
        ({ code, retryAfterSeconds }) => `${code} ${retryAfterSeconds}`,
      ),
    );
    expect(await Promise.all(codes.slice(3))).toEqual(['ENGINE_BUSY 1', 'ENGINE_BUSY 1']);
    leave.abort();
    expect(await Promise.all(codes.slice(0, 3))).toEqual(Array(3).fill('CANCELLED undefined'));
    await engine.close();
  });

  test('fill the queue for those that are slow too, and for no others', async () => {
    const quick = draftQuery({ name: 'quick', columns: { x: 'integer' }, sql: 'select 1 as x' });
    const engine = await open([slow, quick], {
      ENGINE_TIMEOUT_MS: '60000',
      ENGINE_CONCURRENCY: '3',
      ENGINE_QUEUE_LENGTH: '3',
      DUCKDB_THREADS: '2',
    });
    const leave = new AbortController();
    const ask = (query: SavedQuery, { signal } = new AbortController()) =>
      engine.run({ query, parameters: {} }, { signal }).then(
        () => 'ended',
        ({ code }) => code,
      );
    const slowRuns = Array.from({ length: 5 }, () => ask(slow, leave));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await Promise.all(Array.from({ length: 4 }, () => ask(quick)))).toEqual(Array(4).fill('ended'));
    leave.abort();
    await Promise.all(slowRuns);
    await engine.close();
  });

  test('never make a quick one wait, however many there are', async () => {
    const quick = draftQuery({ name: 'quick', columns: { x: 'integer' }, sql: 'select 1 as x' });
    const engine = await open([slow, quick], { ENGINE_TIMEOUT_MS: '60000', ENGINE_CONCURRENCY: '3' });
    const leave = new AbortController();
    const slowRuns = Array.from({ length: 6 }, () =>
      engine.run({ query: slow, parameters: {} }, { signal: leave.signal }).then(
        () => 'ended',
        () => 'left',
      ),
    );
    for (let i = 0; i < 3; i += 1) {
      const run = engine.run({ query: quick, parameters: {} }, { signal: new AbortController().signal });
      expect(await Promise.race([run, ...slowRuns])).toMatchObject({ rows: ['{"x":1}'] });
    }
    leave.abort();
    await Promise.all(slowRuns);
    await engine.close();
  });
});

describe('duckdb at start', () => {
  test.each([
    ['a file function', "select * from read_csv('/etc/passwd')", 'x: string', /draft\.sql:9/],
    ['a setting', 'select getvariable(1) as x', 'x: string', /draft\.sql:9:8 .*getvariable/i],
    [
      'an unknown function',
      'select 1 as x,\n frobnicate(2) as y',
      'x: integer',
      /draft\.sql:10:2 .*frobnicate/i,
    ],
    ['a table that is not declared', 'select x from nowhere', 'x: integer', /draft\.sql:9:15 .*nowhere/],
    ['more than one statement', 'select 1 as x; select 2 as x', 'x: integer', /draft\.sql:9:16/],
    ['a statement that writes', 'drop table x', 'x: integer', /draft\.sql:9/],
    ['no SQL at all', 'selec 1', 'x: integer', /draft\.sql:9/],
    [
      'another type than declared',
      "select 'a' as x",
      'x: integer',
      /columns\.x: declared integer, but the SQL returns string/,
    ],
    [
      'a list where one is declared',
      'select [1] as x',
      'x: integer',
      /columns\.x: .* returns repeated integer/,
    ],
    [
      'a column too few',
      'select 1 as y',
      'x: integer',
      /columns\.x: declared, but the SQL returns no such column/,
    ],
    [
      'a column too many',
      'select 1 as x, 2 as y',
      'x: integer',
      /returns a column y that the header does not declare/,
    ],
  ])('%s is refused with file and line', async (_, sql, column, expected) => {
    const [name = '', type = ''] = column.split(': ');
    await expect(open([draftQuery({ columns: { [name]: type }, sql })])).rejects.toThrow(expected);
  });

  test('the problems of all queries are told at once', async () => {
    const bad = (name: string) => draftQuery({ name, columns: { x: 'integer' }, sql: 'select nope() as x' });
    await expect(open([bad('one'), bad('two')])).rejects.toMatchObject({
      problems: [{ line: 9 }, { line: 9 }],
    });
  });
});
