import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SavedQuery } from '../../../src/catalog/model/saved-query.ts';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { readConfig } from '../../../src/config.ts';
import { withDefaults } from '../../../src/engines/duckdb/duckdb-options.ts';
import { openDuckdb } from '../../../src/engines/duckdb/open-duckdb.ts';
import { isDisordered, openStore, openTables } from '@querygate/duckdb-import';
import type { Engine } from '../../../src/engine-contract/engine.ts';
import { eventually } from '../../support/eventually.ts';
import type { EngineHost } from '../../../src/engine-contract/engine-factory.ts';
import { engineHost } from '../../support/engine-host.ts';
import { draftQuery } from '../../support/queries.ts';

const nullable = { mode: 'NULLABLE' } as const;
const events: TableSchema = {
  name: 'events',
  fields: [
    { name: 'id', type: 'INTEGER', mode: 'REQUIRED' },
    { name: 'timestamp', type: 'TIMESTAMP', mode: 'REQUIRED' },
    {
      name: 'metadata',
      type: 'RECORD',
      mode: 'REPEATED',
      fields: [
        { name: 'project', type: 'STRING', ...nullable },
        {
          name: 'request',
          type: 'RECORD',
          mode: 'REPEATED',
          fields: [{ name: 'path', type: 'STRING', ...nullable }],
        },
      ],
    },
  ],
};
const paths = draftQuery({
  name: 'paths',
  columns: { ids: 'string' },
  sql: "select string_agg(cast(id as string) || r.path, ' ' order by id, r.path) as ids from events t, t.metadata m, m.request r",
});
const count = draftQuery({
  name: 'count',
  columns: { n: 'integer' },
  sql: 'select count(*) as n from events',
});

const now = new Date('2026-03-10T12:00:00Z');
const line = (id: number, ...pathsOf: string[]) =>
  `${JSON.stringify({ id, timestamp: now.toISOString(), metadata: [{ project: 'p', request: pathsOf.map((path) => ({ path })) }] })}\n`;

let folder: string;
let engine: Engine | undefined;
let host: EngineHost;
let problems: string[];
let news: string[];
const file = (name = 'events.ndjson') => join(folder, 'data', name);
const store = () => join(folder, 'cache', 'store.duckdb');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  mkdirSync(join(folder, 'data'));
  [problems, news] = [[], []];
});
afterEach(async () => {
  await engine?.close();
  rmSync(folder, { recursive: true });
});

const open = async (
  env: Record<string, string> = {},
  table: TableSchema = events,
  queries: readonly SavedQuery[] = [paths, count],
) => {
  const config = readConfig({
    DATA_DIR: join(folder, 'data'),
    STORE_FILE: store(),
    ...env,
  });
  const catalog = { queries, tables: [table] };
  const events = {
    problem: (message: string) => void problems.push(message),
    news: (message: string) => void news.push(message),
  };
  host = engineHost({ catalog, config, now: () => now, events });
  engine = await openDuckdb(host, withDefaults({ ...config.duckdb, refreshSeconds: 1 }));
  return engine;
};
const select = async ({ name }: SavedQuery) => {
  const query = host.catalog.queries.find((one) => one.name === name);
  if (query === undefined) throw new Error(`no query ${name}`);
  const { rows } = (await engine?.run(
    { query, parameters: {} },
    { signal: new AbortController().signal },
  )) ?? {
    rows: [],
  };
  return Object.values(JSON.parse(rows[0] ?? '{}'))[0];
};

describe('the store', () => {
  test('has a line soon after it was appended', async () => {
    writeFileSync(file(), line(1, '/a'));
    await open();
    expect(await select(paths)).toBe('1/a');
    appendFileSync(file(), line(2, '/b'));
    await expect.poll(() => select(paths)).toBe('1/a 2/b');
  });

  test('keeps what it has over restarts, and imports what was added in between', async () => {
    writeFileSync(file(), line(1, '/a'));
    await (await open()).close();
    expect(statSync(store()).size).toBeGreaterThan(0);
    appendFileSync(file(), line(2, '/b'));
    renameSync(file(), file('events.jsonl'));
    await (await open()).close();
    await open();
    expect(await select(paths)).toBe('1/a 2/b');
    expect(news.filter((text) => text.startsWith('imported 1 rows at'))).toHaveLength(2);
  });

  test('moves a record that gets a second element to a list, while queries go on', async () => {
    writeFileSync(file(), line(1, '/a'));
    await open();
    expect(await select(paths)).toBe('1/a');
    appendFileSync(file(), line(2, '/c', '/b'));
    const seen = new Set<unknown>();
    await expect
      .poll(
        async () => {
          const answer = await select(paths);
          seen.add(answer);
          return answer;
        },
        { interval: 5 },
      )
      .toBe('1/a 2/b 2/c');
    expect([...seen].filter((answer) => answer !== '1/a' && answer !== '1/a 2/b 2/c')).toEqual([]);
    await engine?.close();
    await open();
    expect(await select(paths)).toBe('1/a 2/b 2/c');
    expect(problems).toEqual([]);
  });

  test('never answers with a part of the rows of a file that is replaced', async () => {
    const rows = (from: number, length: number) =>
      Array.from({ length }, (_, at) => `{"id":${from + at},"timestamp":"2026-03-10T12:00:00Z"}\n`).join('');
    const replace = (text: string) => {
      writeFileSync(file('.next'), text);
      renameSync(file('.next'), file());
    };
    replace(rows(0, 600_000));
    await open();
    const seen = new Set<unknown>();
    const answer = () => select(count).catch(({ code }: { code: string }) => code);
    replace(rows(1_000_000, 600_001));
    for (let found: unknown; found !== 600_001; ) {
      // Some of them wait for a worker.
      const all = await Promise.all(Array.from({ length: 8 }, answer));
      for (const one of all) seen.add(one);
      [found] = all;
      await setTimeout(5);
    }
    expect([...seen].filter((one) => one !== 'DATA_UNREADABLE')).toEqual([600_000, 600_001]);
  }, 60_000);

  test('is rebuilt for a table whose definition has changed', async () => {
    writeFileSync(file(), line(1, '/a'));
    await (await open()).close();
    const [id, ...others] = events.fields;
    const wider = {
      ...events,
      fields: [...(id ? [id] : []), ...others, { name: 'level', type: 'STRING', ...nullable }],
    };
    await open({}, wider as TableSchema);
    expect(await select(paths)).toBe('1/a');
  });

  test('has the same rows after a column became INTEGER that was declared as NUMERIC', async () => {
    const [max, min] = ['9223372036854775807', '-9223372036854775808'];
    writeFileSync(file('n.ndjson'), `{"id":-3}\n{"id":4}\n{"id":null}\n{"id":${max}}\n{"id":${min}}\n`);
    const ofType = (type: 'NUMERIC' | 'INTEGER'): TableSchema => ({
      name: 'n',
      fields: [{ name: 'id', type, ...nullable }],
    });
    const ids = draftQuery({
      name: 'ids',
      columns: { ids: 'string' },
      sql: 'select to_json_string(array_agg(coalesce(id, 0) order by id)) || count(*) as ids from n',
    });
    const answer = `[0,"${min}",-3,4,"${max}"]5`;
    await (await open({}, ofType('NUMERIC'), [ids])).close();
    for (const _ of [1, 2]) {
      await open({}, ofType('INTEGER'), [ids]);
      expect(await select(ids)).toBe(answer);
      await engine?.close();
    }
    expect(problems).toEqual([]);
    // The second start with the new definition imports nothing.
    expect(news.filter((text) => text.startsWith('imported 5 rows at'))).toHaveLength(2);
  });

  test('has the rejects of a table once, also when its definition has changed', async () => {
    writeFileSync(file(), `${line(1, '/a')}not JSON\n`);
    await (await open()).close();
    await (await open({}, { ...events, fields: events.fields.toReversed() })).close();
    const instance = await DuckDBInstance.create(store());
    const connection = await instance.connect();
    const lines = await connection.runAndReadAll('SELECT line FROM import.reject_lines');
    expect(lines.getRowsJson()).toEqual([['2']]);
    connection.closeSync();
    instance.closeSync();
  });

  test('drops rows that are older than the retention', async () => {
    const old = JSON.stringify({ id: 1, timestamp: '2026-03-01T00:00:00Z', metadata: [] });
    writeFileSync(file(), `${old}\n${line(2, '/b')}`);
    await open({ DATA_RETENTION_DAYS: '7' });
    expect(await select(count)).toBe(1);
    expect(news.join()).toContain('dropped 1 rows from before 2026-03-03');
    appendFileSync(file(), `${old}\n${line(3, '/c')}`);
    await eventually(async () => expect(await select(count)).toBe(2));
  });

  test('has a view of every table with its declared columns', async () => {
    writeFileSync(file(), line(1, '/a'));
    await (await open()).close();
    const instance = await DuckDBInstance.create(store());
    const connection = await instance.connect();
    const found = await connection.runAndReadAll('SELECT to_json(events) FROM events');
    expect(JSON.parse(String(found.getRows()[0]?.[0]))).toMatchObject({
      id: 1,
      metadata: [{ project: 'p', request: [{ path: '/a' }] }],
    });
    connection.closeSync();
    instance.closeSync();
  });

  test('that is not a database is rejected', async () => {
    mkdirSync(join(folder, 'cache'));
    writeFileSync(store(), 'not a database, but text that is long enough to be one'.repeat(1000));
    await expect(open()).rejects.toThrow(/storeFile: .* it is not a store/);
  });
});

describe('a file that is named as the store by mistake is left as it is', () => {
  const openAt = async (path: string) => {
    const instance = await DuckDBInstance.create();
    const connection = await instance.connect();
    try {
      await (await openStore(connection, path)).close();
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  };
  const contents = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => [name, readFileSync(join(parentPath, name)).toString('latin1')]);
  const run = async (path: string, sql: string) => {
    const instance = await DuckDBInstance.create(path);
    const connection = await instance.connect();
    const rows = await connection.runAndReadAll(sql);
    connection.closeSync();
    instance.closeSync();
    return rows.getRowsJson();
  };

  test.each([
    ['orders.ndjson', '{"id":1}\n{"id":2}\n'],
    ['orders.csv', `id,shop\n${'1,a\n'.repeat(10_000)}`],
    ['orders.json', '[{"id":1}]'],
    ['bytes', 'x'.repeat(300)],
    ['zeros', '\0'.repeat(300)],
    ['photo.db', `SQLite format 3\0${'x'.repeat(5000)}`],
    ['damaged.duckdb', `${'x'.repeat(8)}DUCK${'x'.repeat(30_000)}`],
  ])('%s', async (name, content) => {
    writeFileSync(join(folder, name), content);
    const before = contents();
    await expect(openAt(join(folder, name))).rejects.toThrow(
      /storeFile: got ".*"; it is not a store.*left as it is: name a/,
    );
    expect(contents()).toEqual(before);
  });

  test('a database of DuckDB that has tables of others, also of our names', async () => {
    const own = join(folder, 'own.duckdb');
    await run(own, 'CREATE TABLE precious AS SELECT 42 AS n');
    const others = join(folder, 'others.duckdb');
    await run(others, 'CREATE SCHEMA "import"; CREATE TABLE "import".mine AS SELECT 7 AS n');
    const views = join(folder, 'views.duckdb');
    await run(views, 'CREATE MACRO plus(a) AS a + 1');
    const similar = join(folder, 'similar.duckdb');
    await run(similar, 'CREATE TABLE querygate_format AS SELECT 42 AS n');
    const before = contents();
    for (const path of [own, others, views, similar])
      await expect(openAt(path)).rejects.toThrow(/it is a DuckDB database of others, and is left as it is/);
    expect(contents()).toEqual(before);
  });

  test('files that stand where its log and its folders would be', async () => {
    const base = join(folder, 'store.duckdb');
    for (const name of ['scratch', 'spill', 'sandboxes']) {
      mkdirSync(`${base}.${name}`);
      writeFileSync(join(`${base}.${name}`, 'notes.txt'), 'mine');
      await expect(openAt(base)).rejects.toThrow(
        / is for temporary files, and has notes\.txt, which is left/,
      );
      rmSync(`${base}.${name}`, { recursive: true });
    }
    writeFileSync(`${base}.spill`, 'mine');
    await expect(openAt(base)).rejects.toThrow(/has a file of its name, which is left/);
    rmSync(`${base}.spill`);
    writeFileSync(`${base}.wal`, 'mine');
    await expect(openAt(base)).rejects.toThrow(/store\.duckdb\.wal is not the log of a database/);
    expect(contents()).toEqual([['store.duckdb.wal', 'mine']]);
  });

  test('but a store that is older, empty, or was not created as a whole is made again', async () => {
    const base = join(folder, 'store.duckdb');
    writeFileSync(base, '');
    await openAt(base);
    const versions = 'SELECT "version" FROM querygate_format';
    const [[current] = []] = await run(base, versions);
    await run(base, 'UPDATE querygate_format SET "version" = 1; CREATE TABLE old AS SELECT 1 AS n');
    await openAt(base);
    expect(await run(base, versions)).toEqual([[current]]);
    rmSync(base);
    await run(base, 'SELECT 1');
    const created = readFileSync(base);
    for (const length of [12, 4096, 8000, 12_287, created.length]) {
      writeFileSync(base, created.subarray(0, length));
      rmSync(`${base}.wal`, { force: true });
      await openAt(base);
      expect(await run(base, versions), `${length} bytes`).toEqual([[current]]);
    }
  });
});

test('nothing that a process was killed with is left for the next one', async () => {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const base = join(folder, 'store.duckdb');
  // The folders are removed without a look only beside a store.
  await (await openStore(connection, base)).close();
  await connection.run('DETACH store');
  for (const name of ['sandboxes', 'scratch']) {
    mkdirSync(`${base}.${name}`);
    writeFileSync(join(`${base}.${name}`, 'left'), '');
  }
  const { sandboxes, scratch, close } = await openStore(connection, base);
  expect([sandboxes, scratch].map((path) => readdirSync(path).length)).toEqual([0, 0]);
  instance.closeSync();
  await close();
  expect(readdirSync(folder).filter((name) => /^store\.duckdb\.[^w]/.test(name))).toEqual([]);
});

test('a table whose days are scattered is in order once it is rebuilt', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`SET TimeZone = 'UTC'; ATTACH ':memory:' AS store`);
  const tables = await openTables(connection, [events]);
  const scattered = `INSERT INTO ${tables.get('events').relation} (id, "timestamp", metadata)
    SELECT i, TIMESTAMPTZ '2026-01-01' + to_days(CAST(i * 7919 % 60 AS INTEGER)), false FROM range(600000) AS r(i)`;
  await connection.run(scattered);
  expect(await isDisordered(connection, tables.get('events'))).toBe(true);
  await (await tables.rebuild('events', new Set())).drop();
  expect(await isDisordered(connection, tables.get('events'))).toBe(false);
  const rows = await connection.runAndReadAll(
    `SELECT count(*), count(DISTINCT id) FROM ${tables.get('events').relation}`,
  );
  expect(rows.getRows()).toEqual([[600_000n, 600_000n]]);
  connection.closeSync();
  instance.closeSync();
});
