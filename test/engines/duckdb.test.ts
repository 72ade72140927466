import { hash } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import type { SavedQuery } from '../../src/catalog/model/saved-query.ts';
import { readConfig } from '../../src/config.ts';
import { checkQueries } from '../../src/engines/duckdb/check-queries.ts';
import { withDefaults } from '../../src/engines/duckdb/duckdb-options.ts';
import { openDuckdb } from '../../src/engines/duckdb/open-duckdb.ts';
import type { Engine } from '../../src/engine-contract/engine.ts';
import { analyzed, engineHost } from '../support/engine-host.ts';
import { eventually } from '../support/eventually.ts';
import { draftQuery } from '../support/queries.ts';
import { testEngine } from '../../src/engine-contract/test-suite/test-engine.ts';
import { duckdb } from '../../src/engines/duckdb/duckdb.ts';

interface OpenOptions {
  readonly problem?: (message: string) => void;
  readonly queueLength?: number;
  readonly threads?: number;
}

const open = (
  queries: readonly SavedQuery[],
  env: Record<string, string> = {},
  { problem = () => {}, queueLength, threads }: OpenOptions = {},
) => {
  const config = readConfig({
    ENGINE_TIMEOUT_MS: '60000',
    ENGINE_CONCURRENCY: '2',
    DATA_DIR: 'test',
    STORE_FILE: ':memory:',
    ...env,
  });
  const host = engineHost({
    catalog: { queries, tables: [] },
    config: { ...config, engineQueueLength: queueLength ?? config.engineQueueLength },
    events: { problem },
  });
  return openDuckdb(host, withDefaults({ ...config.duckdb, threads }));
};

for (const isolate of [true, false])
  testEngine({ test, engine: duckdb({ dataDir: 'test', storeFile: ':memory:', isolate }) });

test('a query that only DuckDB refuses is reported after the start, and refused by check-queries', async () => {
  // Columns of both sides of an outer join, in a subquery of its condition.
  const refused = draftQuery({
    name: 'refused',
    columns: { x: 'integer' },
    sql: 'select a as x from unnest([1]) as a full join unnest([2]) as b on a = b and exists (select 1 from unnest([3]) as c where c = b)',
  });
  const ready = draftQuery({ name: 'ready', columns: { x: 'integer' }, sql: 'select 1 as x' });
  const problems: string[] = [];
  const engine = await open([refused, ready], {}, { problem: (message) => problems.push(message) });
  const { signal } = new AbortController();
  await expect(engine.run({ query: refused, parameters: {} }, { signal })).rejects.toMatchObject({
    code: 'ENGINE_FAILED',
  });
  expect(await engine.run({ query: ready, parameters: {} }, { signal })).toMatchObject({ rows: ['{"x":1}'] });
  await expect.poll(() => problems.length).toBe(1);
  expect(problems[0]).toContain('refused answers ENGINE_FAILED until its SQL is corrected');
  expect(problems[0]).toContain(`${refused.source.file}:${refused.source.line}`);
  // What DuckDB says is about its own SQL: it is for the log.
  expect(problems[0]).toContain(
    `SQL with the SHA-256 ${hash('sha256', refused.sql)}: Not implemented Error: `,
  );
  await engine.close();

  const config = readConfig({ DATA_DIR: 'test', STORE_FILE: ':memory:' });
  const catalog = analyzed({ queries: [refused, ready], tables: [] });
  expect(await checkQueries(catalog, withDefaults(config.duckdb))).toMatchObject([
    { file: refused.source.file },
  ]);
});

describe('slow queries', () => {
  const slow = draftQuery({
    name: 'slow',
    columns: { x: 'integer' },
    sql: 'select sum(a * b * c) as x from unnest(generate_array(1, 4000)) as a, unnest(generate_array(1, 4000)) as b, unnest(generate_array(1, 50)) as c',
  });

  let engine: Engine | undefined;
  // Also after a failure: queries that go on would slow down the next test.
  afterEach(() => engine?.close());
  const openEngine = async (
    queries: readonly SavedQuery[],
    concurrency: number,
    options: Omit<OpenOptions, 'problem'> = {},
  ) => {
    const env = { ENGINE_TIMEOUT_MS: '60000', ENGINE_CONCURRENCY: String(concurrency) };
    engine = await open(queries, env, options);
    return engine;
  };

  test('wait in a bounded queue', async () => {
    const engine = await openEngine([slow], 1, { queueLength: 2 });
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

  const quick = draftQuery({ name: 'quick', columns: { x: 'integer' }, sql: 'select 1 as x' });
  const run = (engine: Engine, query: SavedQuery, { signal } = new AbortController()) =>
    engine.run({ query, parameters: {} }, { signal }).then(
      () => 'ended',
      ({ code }) => code,
    );
  /** Five slow queries, of which two run and three are put back into the queue; one of three workers is idle. */
  const runFiveSlow = async (queueLength: number) => {
    const engine = await openEngine([slow, quick], 3, { queueLength, threads: 4 });
    // It is known to be quick before the slow ones begin.
    expect(await run(engine, quick)).toBe('ended');
    const leave = new AbortController();
    const slowRuns = Array.from({ length: 5 }, () => run(engine, slow, leave));
    // The idle worker and the rest of the queue are for so many quick ones, once the slow ones have their places.
    const places = queueLength - 2;
    await eventually(async () => {
      const runs = Array.from({ length: places + 1 }, () => run(engine, quick));
      expect(await Promise.all(runs)).toEqual([...Array(places).fill('ended'), 'ENGINE_BUSY']);
    });
    return {
      engine,
      async leave() {
        leave.abort();
        const codes = await Promise.all(slowRuns);
        await engine.close();
        return codes;
      },
    };
  };

  test('that wait leave an idle worker and the rest of the queue to quick ones', async () => {
    const { engine, leave } = await runFiveSlow(6);
    const runs = Array.from({ length: 4 }, () => run(engine, quick));
    expect(await Promise.all(runs)).toEqual(Array(4).fill('ended'));
    await leave();
  });

  test('and quick ones share one bound of the queue; a query that was begun is never refused', async () => {
    const { engine, leave } = await runFiveSlow(3);
    // One worker is idle, and the queue is full of slow queries.
    const runs = Array.from({ length: 4 }, () => run(engine, quick));
    expect(await Promise.all(runs)).toEqual(['ended', ...Array(3).fill('ENGINE_BUSY')]);
    expect(await run(engine, quick)).toBe('ended');
    expect(await run(engine, slow)).toBe('ENGINE_BUSY');
    expect(await leave()).toEqual(Array(5).fill('CANCELLED'));
  });

  test('of one key make another key wait for one of them, not for all', async () => {
    const engine = await openEngine([slow, quick], 1, { queueLength: 16 });
    const ended: string[] = [];
    const { signal } = new AbortController();
    const runFor = (owner: string | undefined, name: string) =>
      engine.run({ query: quick, parameters: {} }, { signal, owner }).then(
        () => void ended.push(name),
        ({ code }) => code,
      );
    const runs = [runFor('a', 'a'), runFor(undefined, 'refresh')];
    runs.push(...Array.from({ length: 20 }, () => runFor('a', 'a')), runFor('b', 'b'));
    const codes = await Promise.all(runs);
    expect(codes).toContain('ENGINE_BUSY');
    expect(ended.indexOf('b')).toBeLessThanOrEqual(2);
    expect(ended.at(-1)).toBe('refresh');
    await engine.close();
  });

  test('never make a quick one wait, however many there are', async () => {
    const engine = await openEngine([slow, quick], 3);
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

test('a text that DuckDB joins from a list is no integer, as which DuckDB plans it without values', async () => {
  const query = draftQuery({
    columns: { x: 'string' },
    parameters: { list: '{ type: integer, repeated: true, description: L. }' },
    sql: "select concat(cast(array_length(@list) as string), ' values') as x",
  });
  const catalog = analyzed({ queries: [query], tables: [] });
  expect(await checkQueries(catalog, withDefaults(readConfig({}).duckdb))).toEqual([]);
  const engine = await open([query]);
  const { signal } = new AbortController();
  const { rows } = await engine.run({ query, parameters: { list: ['1', '2'] } }, { signal });
  expect(rows).toEqual(['{"x":"2 values"}']);
  await engine.close();
});

test('a query whose types DuckDB resolves only with values is checked by the types that the compiler knows', async () => {
  const parameters = { list: '{ type: string, description: L. }' };
  const sql = "select x from unnest(split(@list, ',')) as x order by x";
  const valid = draftQuery({ columns: { x: 'string' }, parameters, sql });
  const wrong = draftQuery({ columns: { x: 'integer' }, parameters, sql });
  const check = (query: SavedQuery) =>
    checkQueries(analyzed({ queries: [query], tables: [] }), withDefaults(readConfig({}).duckdb));
  expect(await check(valid)).toEqual([]);
  // DuckDB folds a NULL in a text to NULL, which is INTEGER.
  const repeated = { list: '{ type: integer, repeated: true, description: L. }' };
  const folded = "select concat('a', cast(array_length(@list) as string)) as x";
  expect(await check(draftQuery({ columns: { x: 'string' }, parameters: repeated, sql: folded }))).toEqual(
    [],
  );
  expect(await check(draftQuery({ columns: { x: 'string' }, sql: "select concat('a', null) as x" }))).toEqual(
    [],
  );
  expect(await check(wrong)).toMatchObject([
    { message: 'columns.x: declared integer, but the SQL returns string' },
  ]);
  const engine = await open([valid]);
  const { signal } = new AbortController();
  const { rows } = await engine.run({ query: valid, parameters: { list: 'b,a' } }, { signal });
  expect(rows).toEqual(['{"x":"a"}', '{"x":"b"}']);
  await engine.close();
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
      'a column too few, which a clause names',
      'select * from (select 1 as y) order by x',
      'x: integer',
      /draft\.sql:9:40 no column is named x[\s\S]*columns\.x: declared, but the SQL returns no such column/,
    ],
    [
      'a column too many',
      'select 1 as x, 2 as y',
      'x: integer',
      /returns a column y that the header does not declare/,
    ],
    [
      'a RANGE in a record',
      "select [struct(range(date '2026-01-01', null) as s)] as x",
      'x: { type: record, repeated: true, description: X }',
      /columns\.x\.s: is RANGE<DATE>, which a result of DuckDB cannot have; CAST it/,
    ],
    [
      'an INTERVAL in a record of any fields',
      'select struct(struct([interval 1 day] as i) as s) as x',
      'x: { type: record, description: X, fields: any }',
      /columns\.x\.s\.i: is INTERVAL, which a result of DuckDB cannot have; CAST it/,
    ],
    [
      'a name that JavaScript reserves',
      'select struct(1 as `__proto__`) as x',
      'x: { type: record, description: X }',
      /columns\.x\.__proto__: is reserved in JavaScript; choose another name/,
    ],
  ])('%s is rejected with file and line', async (_, sql, column, expected) => {
    const [, name = '', type = ''] = /^(\w+): (.*)$/.exec(column) ?? [];
    await expect(open([draftQuery({ columns: { [name]: type }, sql })])).rejects.toThrow(expected);
  });

  test('the problems of all queries are reported at once', async () => {
    const bad = (name: string) => draftQuery({ name, columns: { x: 'integer' }, sql: 'select nope() as x' });
    await expect(open([bad('one'), bad('two')])).rejects.toMatchObject({
      problems: [{ line: 9 }, { line: 9 }],
    });
  });
});
