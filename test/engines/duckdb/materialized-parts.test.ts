import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bind, plainParameters } from '../../../src/catalog/binding/bind.ts';
import { parseCatalog } from '../../../src/catalog/folder/load-catalog.ts';
import type { Catalog } from '../../../src/catalog/model/saved-query.ts';
import { readConfig } from '../../../src/config.ts';
import type { Engine, RunOptions, Wave } from '../../../src/engine-contract/engine.ts';
import { withDefaults } from '../../../src/engines/duckdb/duckdb-options.ts';
import { openDuckdb } from '../../../src/engines/duckdb/open-duckdb.ts';
import { analyzed, engineHost } from '../../support/engine-host.ts';
import { eventually } from '../../support/eventually.ts';
import { partText, queryText } from '../../support/queries.ts';

const logs: TableSchema = {
  name: 'logs',
  fields: [
    { name: 'project', type: 'STRING', mode: 'REQUIRED' },
    { name: 'timestamp', type: 'TIMESTAMP', mode: 'REQUIRED' },
    { name: 'status', type: 'INTEGER', mode: 'NULLABLE' },
    { name: 'text', type: 'STRING', mode: 'NULLABLE' },
  ],
};
const now = new Date('2026-03-10T12:00:00Z');
const materialize = ['materialize: refresh'];

let folder: string;
let engine: Engine | undefined;
let catalog: Catalog;
let problems: string[];
/** The statements that have run, and those that have dropped tables. */
let statements: string[];
let dropped: string[];
/** A statement that is interrupted when it is done. */
let interrupted: string | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  problems = [];
  statements = [];
  dropped = [];
  interrupted = undefined;
  const { prepare, run } = DuckDBConnection.prototype;
  vi.spyOn(DuckDBConnection.prototype, 'prepare').mockImplementation(async function (
    this: DuckDBConnection,
    sql: string,
  ) {
    const statement = await prepare.call(this, sql);
    const runIt = statement.run.bind(statement);
    statement.run = () => {
      statements.push(sql);
      return sql === interrupted ? runIt().then(() => Promise.reject(new Error('INTERRUPT Error'))) : runIt();
    };
    return statement;
  });
  vi.spyOn(DuckDBConnection.prototype, 'run').mockImplementation(function (
    this: DuckDBConnection,
    ...args: Parameters<DuckDBConnection['run']>
  ) {
    if (args[0].startsWith('DROP TABLE IF EXISTS memory.')) dropped.push(args[0]);
    // Statements without parameters.
    if (/^(?:SELECT|WITH|CREATE TABLE memory\.)/.test(args[0])) statements.push(args[0]);
    return run.apply(this, args);
  });
});
afterEach(async () => {
  await engine?.close();
  engine = undefined;
  rmSync(folder, { recursive: true, force: true });
  vi.restoreAllMocks();
});

const row = (project: string, status: number | null, secondsAgo = 60, text = '') =>
  `${JSON.stringify({ project, status, text, timestamp: new Date(now.getTime() - 1000 * secondsAgo).toISOString() })}\n`;

const writeRows = (...rows: string[]) => writeFileSync(join(folder, 'logs.ndjson'), rows.join(''));

const reader = (name: string, sql: string, parameters: Record<string, string> = {}) =>
  queryText({ name, columns: { x: 'string' }, parameters, sql });

async function open(files: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) {
  catalog = {
    ...parseCatalog('', new Map(Object.entries(files).map(([path, text]) => [path, { text }]))),
    tables: [logs],
  };
  const config = readConfig({ DATA_DIR: folder, STORE_FILE: ':memory:', ENGINE_CONCURRENCY: '4' });
  const events = { problem: (message: string) => void problems.push(message) };
  const host = engineHost({ catalog, config, now: () => now, events });
  catalog = host.catalog;
  engine = await openDuckdb(
    host,
    withDefaults({ ...config.duckdb, isolate: false, refreshSeconds: Number(env.REFRESH_SECONDS ?? 3600) }),
  );
  // Those of the import.
  statements.length = 0;
  return engine;
}

const waveAt = (secondsAgo = 0, forSeconds = 30): Wave => {
  const moment = now.getTime() - 1000 * secondsAgo;
  return { moment, until: moment + 1000 * forSeconds };
};

async function run(
  name: string,
  wave: Wave | undefined,
  parameters: Record<string, string> = {},
  { signal = new AbortController().signal, onStart }: Partial<RunOptions> = {},
) {
  const query = catalog.queries.find((one) => one.name === name);
  if (query === undefined || engine === undefined) throw new Error(`no query ${name}`);
  const bound = bind(query, plainParameters(parameters), now.getTime());
  const { rows } = await engine.run(bound, { signal, wave, onStart });
  return rows.map((text) => JSON.parse(text).x);
}

/** How many statements have read the stored rows. */
const scans = () => statements.filter((sql) => sql.includes('stored."logs')).length;
const tablesMade = () => statements.filter((sql) => sql.startsWith('CREATE TABLE memory.')).length;

const texts = `SELECT STRING_AGG(CONCAT(project, ':', IFNULL(CAST(status AS STRING), '-')) ORDER BY project, status) AS x`;

test('a part is computed once for the refreshes of a wave, and by each other run', async () => {
  writeRows(row('a', 200), row('a', null), row('b', 500), row('b', 404, 7200));
  await open({
    'base.sql': partText(
      'SELECT project, status FROM logs WHERE timestamp > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 HOUR)',
      {},
      materialize,
    ),
    ...Object.fromEntries(
      Array.from({ length: 10 }, (_, at) => [
        `r${at}.sql`,
        reader(`r${at}`, `${texts} FROM query.base WHERE IFNULL(status, 0) <> ${at}`),
      ]),
    ),
  });
  const names = Array.from({ length: 10 }, (_, at) => `r${at}`);
  const inlined = [];
  for (const name of names) inlined.push(await run(name, undefined));
  expect(inlined[1]).toEqual(['a:-,a:200,b:500']);
  expect(scans()).toBe(10);
  statements.length = 0;
  expect(await Promise.all(names.map((name) => run(name, waveAt())))).toEqual(inlined);
  expect(scans()).toBe(1);
  // Another moment is another wave.
  expect(await run('r1', waveAt(1))).toEqual(inlined[1]);
  expect(scans()).toBe(2);
  expect(problems).toEqual([]);
});

test('each reader of a part has begun before the part is computed', async () => {
  writeRows(row('a', 200));
  await open({
    'base.sql': partText('SELECT project, status FROM logs', {}, materialize),
    'one.sql': reader('one', `${texts} FROM query.base`),
    'two.sql': reader('two', `${texts} FROM query.base WHERE status > 0`),
  });
  const before = new Map<string, number>();
  const start = (name: string) => ({
    onStart: () => void (before.has(name) || before.set(name, statements.length)),
  });
  await Promise.all(['one', 'two'].map((name) => run(name, waveAt(), {}, start(name))));
  expect([...before]).toEqual([
    ['one', 0],
    ['two', 0],
  ]);
});

test('parameters with equal values share rows under any name, and others have rows of their own', async () => {
  writeRows(row('a', 200), row('b', 500));
  const project = { project: '{ type: string, required: true, tenant: true, description: P. }' };
  const owner = { owner: '{ type: string, required: true, tenant: true, description: P. }' };
  await open({
    'base.sql': partText(
      'SELECT project, status FROM logs WHERE project = @project',
      { project: 'string' },
      materialize,
    ),
    'one.sql': reader('one', `${texts} FROM query.base`, project),
    'two.sql': reader('two', `${texts} FROM query.base(project => @owner)`, owner),
    'own.sql': reader('own', `${texts} FROM query.base(project => @owner) AS logs WHERE @owner = 'b'`, owner),
  });
  expect(await run('one', waveAt(), { project: 'a' })).toEqual(['a:200']);
  expect(await run('two', waveAt(), { owner: 'a' })).toEqual(['a:200']);
  expect(tablesMade()).toBe(1);
  expect(await run('two', waveAt(), { owner: 'b' })).toEqual(['b:500']);
  expect(await run('own', waveAt(), { owner: 'b' })).toEqual(['b:500']);
  expect(tablesMade()).toBe(2);
});

test('a part with a match by a pattern from a parameter is computed once', async () => {
  writeRows(row('a', 200), row('b', 500));
  const project = { project: '{ type: string, required: true, description: P. }' };
  await open({
    'base.sql': partText(
      'SELECT project, status FROM logs WHERE REGEXP_CONTAINS(project, @project)',
      { project: 'string' },
      materialize,
    ),
    'one.sql': reader('one', `${texts} FROM query.base`, project),
    'two.sql': reader('two', `${texts} FROM query.base WHERE status > 0`, project),
  });
  expect(await run('one', waveAt(), { project: '[a]' })).toEqual(['a:200']);
  expect(await run('two', waveAt(), { project: '[a]' })).toEqual(['a:200']);
  expect([scans(), tablesMade()]).toEqual([1, 1]);
});

test.each([
  ['DETERMINISTIC', 2],
  ['', 0],
] as const)(
  'a part with a Date in JavaScript is computed once if it is declared %s',
  async (declared, readers) => {
    writeRows(row('a', 200));
    await open({
      'functions/iso.sql': `CREATE FUNCTION udf.iso(x INT64) RETURNS STRING ${declared} LANGUAGE js AS
      'return new Date(Number(x)).toISOString()'`,
      'base.sql': partText('SELECT udf.iso(status) AS x FROM logs', {}, materialize),
      'one.sql': reader('one', 'SELECT x FROM query.base'),
      'two.sql': reader('two', 'SELECT x FROM query.base WHERE x > ""'),
    });
    for (const name of ['one', 'two'])
      expect(await run(name, waveAt())).toEqual(['1970-01-01T00:00:00.200Z']);
    expect(statements.filter((sql) => /^SELECT .* FROM memory\.materialized\./.test(sql))).toHaveLength(
      readers,
    );
  },
);

test('parts that differ only in what is computed of parameters and of the time have rows of their own', async () => {
  writeRows(row('a', 200), row('b', 404, 7200));
  const since = (hours: number) =>
    `SELECT project, status FROM logs WHERE timestamp > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL ${hours} HOUR)`;
  const computed = (value: string) => `SELECT project, status FROM logs WHERE project = ${value}`;
  const project = { project: 'string' };
  const parameter = { project: '{ type: string, required: true, description: P. }' };
  await open({
    'hour.sql': partText(since(1), {}, materialize),
    'day.sql': partText(since(24), {}, materialize),
    'lower.sql': partText(computed('LOWER(@project)'), project, materialize),
    'other.sql': partText(computed("REPLACE(@project, 'A', 'b')"), project, materialize),
    'h.sql': reader('h', `${texts} FROM query.hour`),
    'd.sql': reader('d', `${texts} FROM query.day`),
    'l.sql': reader('l', `${texts} FROM query.lower`, parameter),
    'o.sql': reader('o', `${texts} FROM query.other`, parameter),
  });
  expect(await run('h', waveAt())).toEqual(['a:200']);
  expect(await run('d', waveAt())).toEqual(['a:200,b:404']);
  expect(await run('l', waveAt(), { project: 'A' })).toEqual(['a:200']);
  expect(await run('o', waveAt(), { project: 'A' })).toEqual(['b:404']);
});

test('tenants get their own rows of a part that has those of all', async () => {
  writeRows(...Array.from({ length: 30 }, (_, at) => row('abc'.charAt(at % 3), at)));
  const tenant = { project: '{ type: string, required: true, tenant: true, description: P. }' };
  await open({
    'base.sql': partText('SELECT project, status FROM logs', {}, materialize),
    'own.sql': reader(
      'own',
      'SELECT CONCAT(project, COUNT(*)) AS x FROM query.base WHERE project = @project GROUP BY project',
      tenant,
    ),
    'top.sql': reader('top', 'SELECT DISTINCT project AS x FROM query.base WHERE project = @project', tenant),
  });
  for (const project of ['a', 'b', 'c']) {
    expect(await run('own', waveAt(), { project })).toEqual([`${project}10`]);
    expect(await run('top', waveAt(), { project })).toEqual([project]);
  }
  expect(scans()).toBe(1);
});

test('a part that reads another one takes its rows', async () => {
  writeRows(row('a', 200), row('b', 500));
  await open({
    'rows.sql': partText('SELECT project, status FROM logs', {}, materialize),
    'counts.sql': partText(
      'SELECT project, COUNT(*) AS status FROM query.rows GROUP BY project',
      {},
      materialize,
    ),
    'between.sql': partText('SELECT * FROM query.counts WHERE status < 5'),
    'one.sql': reader('one', `${texts} FROM query.between`),
    'two.sql': reader('two', `${texts} FROM (SELECT * FROM query.rows UNION ALL SELECT * FROM query.counts)`),
  });
  expect(await run('one', waveAt())).toEqual(['a:1,b:1']);
  expect(await run('two', waveAt())).toEqual(['a:1,a:200,b:1,b:500']);
  expect([scans(), tablesMade()]).toEqual([1, 2]);
});

test('new rows are in each refresh that begins after their import, also beside those of a part', async () => {
  writeRows(row('a', 1));
  await open(
    {
      'base.sql': partText('SELECT project, status FROM logs', {}, materialize),
      'pair.sql': reader(
        'pair',
        `SELECT CONCAT(COUNT(*), ' ', (SELECT COUNT(*) FROM logs)) AS x FROM query.base`,
      ),
    },
    { REFRESH_SECONDS: '1' },
  );
  expect(await run('pair', waveAt())).toEqual(['1 1']);
  writeRows(row('a', 1), row('a', 2));
  const seen = new Set<string>();
  await eventually(async () => {
    const [pair] = await run('pair', waveAt());
    seen.add(pair);
    expect(pair).toBe('2 2');
  });
  expect([...seen]).toEqual(expect.arrayContaining(['2 2']));
  expect(seen.isSubsetOf(new Set(['1 1', '2 2']))).toBe(true);
});

test('a part of Parquet files that are read where they are has the rows of one version of them', async () => {
  const write = async (name: string, rows: number) => {
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    await connection.run(`COPY (SELECT 'a' AS project, TIMESTAMPTZ '${now.toISOString()}' AS timestamp, range AS status, '' AS text
      FROM range(${rows})) TO '${join(folder, `${name}.next`)}' (FORMAT parquet)`);
    connection.closeSync();
    instance.closeSync();
    renameSync(join(folder, `${name}.next`), join(folder, 'logs', name));
  };
  mkdirSync(join(folder, 'logs'));
  await write('one.parquet', 3);
  await open({
    'base.sql': partText('SELECT project, status FROM logs', {}, materialize),
    'pair.sql': reader(
      'pair',
      `SELECT CONCAT(COUNT(*), ' ', (SELECT COUNT(*) FROM logs)) AS x FROM query.base`,
    ),
    'one.sql': reader('one', 'SELECT CAST(COUNT(*) AS STRING) AS x FROM query.base'),
  });
  expect(await run('one', waveAt())).toEqual(['3']);
  expect(await run('pair', waveAt())).toEqual(['3 3']);
  expect(tablesMade()).toBe(1);
  // A run finds that the file is another one before the folder is looked at again.
  await write('one.parquet', 5);
  expect(await run('pair', waveAt())).toEqual(['5 5']);
  expect(await run('one', waveAt())).toEqual(['5']);
  expect(problems).toEqual([]);
});

test('a part whose rows do not depend on the time serves later waves too, until there are new rows', async () => {
  writeRows(row('a', 1));
  await open({
    'base.sql': partText('SELECT project, status FROM logs', {}, materialize),
    'one.sql': reader('one', `${texts} FROM query.base`),
  });
  expect(await run('one', waveAt(10))).toEqual(['a:1']);
  expect(await run('one', waveAt())).toEqual(['a:1']);
  expect(tablesMade()).toBe(1);
});

test('rows are dropped when their wave has ended, and not while they are read', async () => {
  writeRows(row('a', 1));
  await open({
    'base.sql': partText('SELECT project, status, CURRENT_TIMESTAMP() AS t FROM logs', {}, materialize),
    'one.sql': reader('one', `${texts} FROM query.base`),
  });
  const ending = waveAt(60, 60);
  expect(await Promise.all(Array.from({ length: 20 }, () => run('one', ending)))).toEqual(
    Array.from({ length: 20 }, () => ['a:1']),
  );
  expect(tablesMade()).toBeLessThan(20);
  await eventually(() => expect(dropped).toHaveLength(tablesMade()));
  expect(await run('one', waveAt())).toEqual(['a:1']);
  expect(dropped.length).toBeLessThan(tablesMade());
  expect(problems).toEqual([]);
});

/** Takes seconds: it is stopped by an abort only. */
const slow =
  '(SELECT SUM(a * b * c) FROM UNNEST(GENERATE_ARRAY(1, 3000)) AS a, UNNEST(GENERATE_ARRAY(1, 3000)) AS b, UNNEST(GENERATE_ARRAY(1, 50)) AS c)';

test('who leaves stops the computation of a part only if no one else waits for it', async () => {
  writeRows(row('a', 1), row('b', 1));
  await open({
    // Some seconds.
    'base.sql': partText(
      `SELECT project, status FROM logs WHERE ${slow.replace('50', '20')} > 0`,
      {},
      materialize,
    ),
    'never.sql': partText(`SELECT project, status FROM logs WHERE ${slow} < 0`, {}, materialize),
    'one.sql': reader('one', `${texts} FROM query.base`),
    'two.sql': reader('two', `${texts} FROM query.base WHERE project = 'b'`),
    'three.sql': reader('three', `${texts} FROM query.never`),
  });
  const [first, last] = [new AbortController(), new AbortController()];
  const one = run('one', waveAt(), {}, first);
  const two = run('two', waveAt());
  await eventually(() => expect(tablesMade()).toBe(1));
  first.abort();
  await expect(one).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(await two).toEqual(['b:1']);
  expect(tablesMade()).toBe(1);

  const three = run('three', waveAt(), {}, last);
  await eventually(() => expect(tablesMade()).toBe(2));
  last.abort();
  await expect(three).rejects.toMatchObject({ code: 'CANCELLED' });
  // The engine closes when nothing runs any more.
  await engine?.close();
  engine = undefined;
});

test('readers compute a part themselves that fails, and the log says so once', async () => {
  writeRows(row('a', 1, 60, '17'), row('b', 2, 60, 'no number'));
  await open({
    'base.sql': partText('SELECT project, CAST(text AS INT64) AS status FROM logs', {}, materialize),
    'one.sql': reader('one', `${texts} FROM query.base WHERE project = 'a'`),
    'all.sql': reader('all', `${texts} FROM query.base`),
  });
  expect(await run('one', waveAt())).toEqual(['a:17']);
  expect(await run('one', waveAt())).toEqual(['a:17']);
  await expect(run('all', waveAt())).rejects.toMatchObject({ code: 'ENGINE_FAILED' });
  expect(tablesMade()).toBe(1);
  expect(await run('one', waveAt(1))).toEqual(['a:17']);
  expect(problems).toEqual([
    'part_base cannot be computed for several queries, which compute it themselves: Conversion Error: Could not convert string … to INT8',
  ]);
});

test('a part whose COMMIT is interrupted when it is done leaves no rows', async () => {
  writeRows(row('a', 1));
  await open({
    'base.sql': partText('SELECT project, status FROM logs', {}, materialize),
    'one.sql': reader('one', `${texts} FROM query.base`),
  });
  interrupted = 'COMMIT';
  expect(await run('one', waveAt())).toEqual(['a:1']);
  interrupted = undefined;
  expect(tablesMade()).toBe(1);
  await eventually(() => expect(dropped).toHaveLength(1));
  expect(await run('one', waveAt(1))).toEqual(['a:1']);
});

test('functions in JavaScript are computed once too', async () => {
  writeRows(row('a', 1), row('b', 2));
  await open({
    'base.sql': partText(
      "CREATE TEMP FUNCTION twice(x FLOAT64) RETURNS FLOAT64 LANGUAGE js AS 'return 2 * x'; SELECT project, CAST(twice(status) AS INT64) AS status FROM logs",
      {},
      materialize,
    ),
    'one.sql': reader('one', `${texts} FROM query.base`),
    'two.sql': reader('two', `${texts} FROM query.base WHERE status > 2`),
  });
  expect(await run('one', waveAt())).toEqual(['a:2,b:4']);
  const before = scans();
  expect(await run('two', waveAt())).toEqual(['b:4']);
  expect(scans()).toBe(before);
});

test('a changed catalog reads rows of its own parts', async () => {
  writeRows(row('a', 1));
  const files = (status: string) => ({
    'base.sql': partText(`SELECT project, ${status} AS status FROM logs`, {}, materialize),
    'one.sql': reader('one', `${texts} FROM query.base`),
  });
  await open(files('status'));
  expect(await run('one', waveAt())).toEqual(['a:1']);
  const before = catalog;
  const parsed = parseCatalog(
    '',
    new Map(Object.entries(files('7')).map(([path, text]) => [path, { text }])),
  );
  const next = analyzed({ ...parsed, tables: before.tables });
  catalog = next;
  expect((await engine?.updates?.check(next))?.size).toBe(0);
  const release = await engine?.updates?.replace(next);
  expect(await run('one', waveAt())).toEqual(['a:7']);
  catalog = before;
  expect(await run('one', waveAt())).toEqual(['a:1']);
  await release?.();
});

test('SQL of callers cannot name a part, nor its rows, and does not read them', async () => {
  writeRows(row('a', 1), row('b', 2));
  const own = queryText({
    name: 'own',
    columns: { x: 'string' },
    caching: ['caching: disabled', 'query_sandboxing: enabled'],
    parameters: { project: '{ type: string, required: true, tenant: true, description: P. }' },
    sql: 'WITH own AS (SELECT * FROM query.base WHERE project = @project) SELECT project AS x FROM own',
  });
  await open({ 'base.sql': partText('SELECT project, status FROM logs', {}, materialize), 'own.sql': own });
  expect(await run('own', waveAt(), { project: 'a' })).toEqual(['a']);
  const [query] = catalog.queries;
  if (query === undefined) throw new Error('no query');
  const sqlOf = (sql: string) => {
    const bound = { ...bind(query, plainParameters({ project: 'a' }), now.getTime()), sql };
    return engine?.run(bound, { signal: new AbortController().signal, wave: waveAt() });
  };
  for (const name of [
    'part_base',
    'memory.materialized.`1`',
    '`memory.materialized.1`',
    'materialized.`1`',
    '`1`',
  ])
    await expect(sqlOf(`SELECT * FROM ${name}`), name).rejects.toMatchObject({ code: 'INVALID_PARAMETER' });
  expect((await sqlOf('SELECT project FROM own'))?.rows).toEqual(['{"project":"a"}']);
  expect(tablesMade()).toBe(1);
});
