import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { openCommandHost } from '../support/command-host.ts';
import { queryText } from '../support/queries.ts';
import { nightly } from '../support/nightly.ts';

const root = mkdtempSync(join(tmpdir(), 'querygate-test-'));
afterAll(() => rmSync(root, { recursive: true }));

const queries = join(root, 'queries');
mkdirSync(join(queries, 'tables'), { recursive: true });
const fields = [
  { name: 'id', type: 'INTEGER', mode: 'REQUIRED' },
  { name: 'time', type: 'TIMESTAMP', mode: 'REQUIRED' },
  { name: 'tenant', type: 'STRING' },
  { name: 'body', type: 'JSON' },
  { name: 'price', type: 'NUMERIC' },
  { name: 'tags', type: 'STRING', mode: 'REPEATED' },
  {
    name: 'metadata',
    type: 'RECORD',
    mode: 'REPEATED',
    fields: [
      { name: 'url', type: 'STRING' },
      { name: 'seen', type: 'RECORD', mode: 'REPEATED', fields: [{ name: 'by', type: 'STRING' }] },
    ],
  },
];
writeFileSync(join(queries, 'tables', 'logs.json'), JSON.stringify(fields));
writeFileSync(
  join(queries, 'of-tenant.sql'),
  queryText({
    columns: { id: 'integer' },
    parameters: { tenant: 'string' },
    sql: 'select id from logs where tenant = @tenant',
  }),
);

const dayMs = 86_400_000;
const row = (id: number) => ({
  id,
  // Each file has some of each day.
  time: new Date(Date.UTC(2026, 2, 1) + (id % 7) * dayMs + id * 1000).toISOString(),
  tenant: `t${id % 5}`,
  body: id % 3 === 0 ? { id } : null,
  price: String(id / 8),
  tags: id % 4 === 0 ? ['x', `y${id}`] : [],
  metadata: id % 6 === 0 ? [] : [{ url: `/${id}`, seen: id % 2 === 0 ? [{ by: `b${id}` }] : [] }],
});
const total = 3000;

let folder: string;
const at = (...names: readonly string[]) => join(folder, ...names);
const sources = () => readdirSync(at('data', 'logs')).sort();
beforeEach(() => {
  folder = mkdtempSync(join(root, 'folder-'));
  mkdirSync(at('data', 'logs'), { recursive: true });
  for (let file = 0; file < 4; file += 1) {
    const rows = Array.from({ length: total / 4 }, (_, n) => row((file * total) / 4 + n));
    writeFileSync(
      at('data', 'logs', `${file}.ndjson`),
      rows.map((one) => `${JSON.stringify(one)}\n`).join(''),
    );
  }
  writeFileSync(at('data', 'logs', '9.csv'), `id,time,tenant\n${total},2026-03-02T00:00:00Z,t1\n`);
});

const querygate = openCommandHost();
const args = (...more: readonly string[]) => [
  ...['tables', 'convert', 'logs', '--queries-dir', queries, '--data-dir', at('data'), '--to', at('out')],
  ...more,
];
const convert = (...more: readonly string[]) => querygate(args(...more), {});
const days = Array.from({ length: 7 }, (_, day) => `2026-03-0${day + 1}.parquet`);
const ids = (last = total) => Array.from({ length: last + 1 }, (_, id) => id);

const select = async (sql: string) => {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  const rows = (await connection.runAndReadAll(sql)).getRowsJson();
  connection.closeSync();
  instance.closeSync();
  return rows;
};
const convertedIds = async () =>
  (await select(`SELECT id FROM read_parquet('${at('out', 'logs', '*.parquet')}') ORDER BY id`)).map(([id]) =>
    Number(id),
  );

/** A conversion that is killed when it has printed something: from outside, it could have ended before. */
const killAt = async (printed: RegExp) => {
  const code = `const { stderr } = process, { write } = stderr;
    stderr.write = (text, ...more) => {
      write.call(stderr, text, ...more);
      if (${printed}.test(text)) process.kill(process.pid, 'SIGKILL');
      return true;
    };`;
  const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(code)}`;
  const main = join(import.meta.dirname, '../../src/main.ts');
  const env = { ...process.env, NODE_OPTIONS };
  const [, signal] = await once(spawn(process.execPath, [main, ...args()], { env, stdio: 'ignore' }), 'exit');
  expect(signal).toBe('SIGKILL');
  expect(sources()).toHaveLength(5);
};

describe('querygate tables convert', () => {
  test('needs no saved query', async () => {
    cpSync(join(queries, 'tables'), at('queries', 'tables'), { recursive: true });
    const { output, errors } = await convert('--queries-dir', at('queries'));
    expect(errors).not.toContain('saved queries');
    expect(output).toContain('3001 rows in ');
  });

  test('makes a file of each day, sorted by tenant and time, which is read where it is', async () => {
    expect(await convert()).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining('3001 rows in 7 files'),
    });
    expect(readdirSync(at('out', 'logs')).sort()).toEqual(days);
    expect(readdirSync(at('out'))).toEqual(['logs']);
    expect(await convertedIds()).toEqual(ids());
    const order = await select(`SELECT tenant, time FROM '${at('out', 'logs', days[2] ?? '')}'`);
    expect(order).toEqual(order.toSorted((a, b) => (String(a) < String(b) ? -1 : 1)));

    const statement = `SELECT TO_JSON_STRING(t) AS row FROM logs t WHERE id < 20 ORDER BY id`;
    const store = at('store.duckdb');
    const answer = async (data: string) => {
      const folders = ['--queries-dir', queries, '--data-dir', at(data)];
      return (await querygate(['sql', '--json', ...folders, statement], { STORE_FILE: store })).output;
    };
    const imported = await answer('data');
    rmSync(store);
    expect(await answer('out')).toBe(imported);
    expect(await select(`ATTACH '${store}' AS s (READ_ONLY); SELECT count(*) FROM s.stored.logs`)).toEqual([
      ['0'],
    ]);
    expect(sources()).toHaveLength(5);
    expect(await convert()).toMatchObject({
      exitCode: 1,
      errors: expect.stringContaining('has files already'),
    });
  });

  nightly('goes on after three kills: rows are those of the sources, and none is there twice', async () => {
    for (const moment of [/^importing 100/m, /^writing 14 %/m, /^writing 71 %/m]) await killAt(moment);
    // Found by the next one, beside the rows that it has already.
    appendFileSync(at('data', 'logs', '0.ndjson'), `${JSON.stringify(row(total + 1))}\n`);
    expect(await convert('--remove-sources')).toMatchObject({ exitCode: 0 });
    expect(await convertedIds()).toEqual(ids(total + 1));
    expect(readdirSync(at('out', 'logs')).sort()).toEqual(days);
    expect(sources()).toEqual([]);
  });

  test('goes on to remove sources after a kill, and keeps the rows of those that are gone', async () => {
    await killAt(/^writing 100 %/m);
    writeFileSync(at('out', '.logs', 'written'), '');
    rmSync(at('data', 'logs', '0.ndjson'));
    expect(await convert('--remove-sources')).toMatchObject({ exitCode: 0 });
    expect(await convertedIds()).toEqual(ids());
    expect(sources()).toEqual([]);
  });

  test('leaves out rows that cannot be read, and says how many', async () => {
    appendFileSync(at('data', 'logs', '1.ndjson'), '{"id":"x"}\n');
    const { exitCode, output } = await convert();
    expect(output).toContain('3001 rows in 7 files; 1 unreadable row left out');
    expect(exitCode).toBe(0);
  });

  test('keeps the sources that have more than is in the new files, and removes the others', async () => {
    appendFileSync(at('data', 'logs', '1.ndjson'), '{"id":"x"}\n');
    const more = (id: number, values: object) => `${JSON.stringify({ ...row(id), ...values })}\n`;
    appendFileSync(at('data', 'logs', '2.ndjson'), more(total + 1, { note: 'mine' }));
    appendFileSync(at('data', 'logs', '3.ndjson'), more(total + 2, { metadata: [{ URL: '/', host: 'h' }] }));
    writeFileSync(at('data', 'logs', '4.json'), `[${more(total + 3, { note: null })}]`);
    writeFileSync(at('data', 'logs', '5.csv'), 'id,time,shop\n9001,2026-03-02T00:00:00Z,s\n');
    writeFileSync(at('data', 'logs', '6.csv.gz'), gzipSync('id,time,shop\n9002,2026-03-02T00:00:00Z,s\n'));
    const parquet = (name: string, columns: string) =>
      select(`COPY (SELECT 9003 AS id, TIMESTAMPTZ '2026-03-02 00:00:00Z' AS time${columns})
        TO '${at('data', 'logs', name)}' (FORMAT parquet)`);
    await parquet('7.parquet', ", [{url: '/', seen: [{\"by\": 'x', size: 1}]}] AS metadata");
    await parquet('8.parquet', ", [{url: '/', seen: [{\"by\": 'x'}]}] AS metadata");
    const { errors, exitCode, output } = await convert('--remove-sources');
    expect(output).toContain('3008 rows in 7 files; 1 unreadable row left out');
    const kept = [...errors.matchAll(/logs\/(\S+) is kept, because (.*), and (?:is|its) .*in no new file/g)];
    expect(kept.map(([, file, reason]) => [file, reason])).toEqual([
      ['1.ndjson', 'a row of it cannot be read'],
      ['2.ndjson', 'note is not declared in logs'],
      ['3.ndjson', 'metadata.host is not declared in logs'],
      ['5.csv', 'shop is not declared in logs'],
      ['6.csv.gz', 'shop is not declared in logs'],
      ['7.parquet', 'metadata.seen.size is not declared in logs'],
    ]);
    expect(sources()).toEqual(kept.map(([, file]) => file));
    expect(exitCode).toBe(1);
    expect(readdirSync(at('out'))).toEqual(['logs']);
  }, 60_000);

  test('reads the columns whose names its SQL could have', async () => {
    const named = join(root, 'named');
    mkdirSync(join(named, 'tables'), { recursive: true });
    writeFileSync(
      join(named, 'one.sql'),
      queryText({ columns: { n: 'integer' }, parameters: {}, sql: 'select 1 as n' }),
    );
    const columns = ['day', 'r', 'rows', 'all', 'n'].map((name) => ({ name, type: 'STRING' }));
    const time = { name: 'time', type: 'TIMESTAMP', mode: 'REQUIRED' };
    const values = ['x', 'y'].map((day) => ({ day, r: day, rows: day, all: day, n: day }));
    for (const [name, fields] of [
      ['logs', [...columns, time]],
      ['plain', columns],
    ] as const) {
      writeFileSync(join(named, 'tables', `${name}.json`), JSON.stringify(fields));
      const lines = values.map((one) => `${JSON.stringify({ ...one, time: '2026-03-01T00:00:00Z' })}\n`);
      writeFileSync(at('data', `${name}.ndjson`), lines.join(''));
      rmSync(at('data', 'logs'), { recursive: true, force: true });
      const folders = ['--queries-dir', named, '--data-dir', at('data'), '--to', at('out')];
      const { errors, output } = await querygate(['tables', 'convert', name, ...folders], {});
      expect(errors).not.toContain('Error');
      expect(output).toContain('2 rows in 1 file\n');
    }
    const files = `read_parquet('${at('out', '*', '*.parquet')}', union_by_name = true)`;
    expect(await select(`SELECT DISTINCT day, r, "all" FROM ${files} ORDER BY 1`)).toEqual([
      ['x', 'x', 'x'],
      ['y', 'y', 'y'],
    ]);
  });

  test('leaves files of others in the folders that it uses', async () => {
    mkdirSync(at('out', '.logs'), { recursive: true });
    writeFileSync(at('out', '.logs', 'notes.txt'), 'mine');
    expect(await convert()).toMatchObject({
      exitCode: 1,
      errors: expect.stringMatching(/\.logs is needed .* notes\.txt in it is of others/),
    });
    rmSync(at('out'), { recursive: true });
    await killAt(/^writing 14 %/m);
    writeFileSync(at('out', 'logs', 'notes.txt'), 'mine');
    writeFileSync(at('out', 'logs', '2020-01-01.parquet'), '');
    expect(await convert()).toMatchObject({ exitCode: 0 });
    expect(readdirSync(at('out', 'logs')).sort()).toEqual([...days, 'notes.txt']);
  });

  test('names a saved query that is wrong, and no file', async () => {
    const wrong = join(queries, 'wrong.sql');
    writeFileSync(
      wrong,
      queryText({ name: 'wrong', columns: { n: 'integer' }, sql: 'select n from missing' }),
    );
    const { errors, exitCode } = await convert();
    rmSync(wrong);
    expect(errors).toMatch(/wrong\.sql.*missing/);
    expect(errors).not.toContain('ndjson');
    expect(exitCode).toBe(1);
    expect(await convert()).toMatchObject({ exitCode: 0 });
  });

  test.each([
    [
      'a source that cannot be read',
      () => writeFileSync(at('data', 'logs', '5.parquet'), 'PAR1'),
      [],
      /5\.parquet: .*replace/,
    ],
    ['the folder of the sources', () => {}, ['--to', 'data'], /folder of the sources/],
    ['a table that is not declared', () => {}, ['log'], /no table is named log; did you mean logs\?$/m],
  ] as const)('refuses %s', async (_, prepare, [first, second], message) => {
    prepare();
    const given = args();
    if (first === '--to') given.splice(-2, 2, '--to', at(second ?? ''));
    else if (first !== undefined) given[2] = first;
    const { exitCode, errors } = await querygate(given, {});
    expect(errors).toMatch(message);
    expect(exitCode).not.toBe(0);
    expect(sources().length).toBeGreaterThan(4);
  });
});
