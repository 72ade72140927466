import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ImportFolder, openImportFolder } from './import-folder.ts';

const table = (name: string) => ({
  name,
  fields: [{ name: 'id', type: 'INTEGER', mode: 'NULLABLE' } as const],
});

let folder: ImportFolder;
beforeEach(async () => {
  folder = await openImportFolder({}, [table('visits'), table('orders')]);
});
afterEach(() => folder.close());

const warnings = async () => (await folder.data().sync()).warnings;

describe('a file of JSON lines that is of another kind', () => {
  const rows = [{ id: 1 }, { id: 2 }];
  const pretty = rows.map((row) => JSON.stringify(row, null, 2)).join('\n');
  test.each([
    [
      'orders.ndjson',
      JSON.stringify(rows),
      /^orders\.ndjson: a row .* it is a JSON array: name it orders\.json, or write one object a line$/,
    ],
    ['orders.ndjson', JSON.stringify(rows, null, 2), /it is a JSON array: name it orders\.json/],
    ['orders.ndjson', '\n[\n{"id":1},\n{"id":2}\n]\n', /it is a JSON array: name it orders\.json/],
    [
      'orders/a.jsonl.gz',
      gzipSync(JSON.stringify(rows, null, 1)),
      /^orders\/a\.jsonl\.gz: .*name it a\.json\.gz/,
    ],
    ['orders.ndjson', pretty, /it is JSON with objects of several lines: name it orders\.json/],
    [
      'orders.ndjson',
      '{"id":1}\r{"id":2}\r',
      /^orders\.ndjson: .*: its lines end in CR, and must end in LF or CRLF: tr '\\r' '\\n'$/,
    ],
    ['orders/a.jsonl.gz', gzipSync('{"id":1}\r{"id":2}'), /: its lines end in CR/],
    ['orders/a.jsonl', gzipSync('{"id":1}\n'), /: it is compressed: name it a\.jsonl\.gz$/],
    ['orders.ndjson', Buffer.from('28b52ffd', 'hex'), /: it is compressed: name it orders\.ndjson\.zst$/],
    ['orders.ndjson', 'PAR1\x15\0', /: it is Parquet: name it orders\.parquet$/],
    [
      'orders.ndjson',
      '{"id":1}{"id":2}\n',
      /^orders\.ndjson:1: not JSON: unexpected content after document\.$/,
    ],
    ['orders.ndjson', '{"id":1}\n{"id":', /^orders\.ndjson:2: not JSON/],
    ['orders.ndjson', '{"id":1,"x":"abc\n{"id":2}\n', /^orders\.ndjson:1: not JSON/],
  ])('%s %s', async (name, text, problem) => {
    folder.write(name, text);
    const found = [await folder.sync(), await folder.sync()].flat();
    expect(found).toEqual([expect.stringMatching(problem)]);
  });
});

describe('fields that are no columns are told once, with the file', () => {
  beforeEach(async () => {
    await folder.close();
    const shop = { name: 'shop', type: 'STRING', mode: 'NULLABLE' } as const;
    folder = await openImportFolder({}, [{ name: 'orders', fields: [...table('orders').fields, shop] }]);
  });

  test.each([
    ['orders.ndjson', '{"Store":"a","amt":1}\n', ['found Store, amt; orders has id, shop']],
    ['orders.json', '{"rows":[{"id":1}]}', ['found rows; if the list rows has the rows, write its objects']],
    ['orders.ndjson', '{"id":1,"shopp":"a"}\n{"id":2}\n', ['shopp, did you mean shop?']],
    ['orders.ndjson', '{"id":1,"shopp":"a"}\n{"id":2,"Shop":"b"}\n', []],
    ['orders.ndjson', '{"id":1,"note":"a"}\n', []],
    ['orders.ndjson', '{}\n{"id":null}\n', []],
    ['orders/shop=a/1.ndjson', '{"shopp":1}\n', []],
    ['orders.csv', 'id,shopp\n1,a\n', ['shopp, did you mean shop?']],
  ])('%s: %s', async (name, text, told) => {
    folder.write(name, text);
    const found = await folder.sync();
    expect(found).toEqual(told.map((end) => expect.stringContaining(end)));
    for (const problem of found) expect(problem.startsWith(`${name}: `)).toBe(true);
    expect(await folder.sync()).toEqual([]);
  });

  test('of Parquet too', async () => {
    await folder.store.query(`COPY (SELECT 1 AS "Store") TO '${folder.path('orders.parquet')}'`);
    expect(await folder.sync()).toEqual([expect.stringContaining('found Store; orders has id, shop')]);
  });
});

describe('a data folder', () => {
  test('whose files all belong to tables, which all have rows, gives no warning', async () => {
    folder.write('visits.csv', 'id\n1\n');
    folder.write('orders/2026/1.ndjson', '{"id":1}\n');
    folder.write('README.md', '');
    folder.write('_tmp/x.csv', 'id\n');
    mkdirSync(folder.path('lost+found'));
    expect(await folder.data().sync()).toMatchObject({ warnings: [], emptyTables: 0, otherFiles: 0 });
  });

  test('with a misspelt file names the nearest table, and the table without rows', async () => {
    folder.write('visist.csv', 'id\n1\n');
    folder.write('clicks/a.ndjson.gz', '');
    folder.write('views/day=1/a.parquet', '');
    folder.write('orders.ndjson', '{"id":1}\n');
    expect(await folder.data().sync()).toMatchObject({
      emptyTables: 1,
      otherFiles: 3,
      warnings: [
        'clicks is not read, because no table is named clicks; querygate tables add clicks declares one',
        'views is not read, because no table is named views; querygate tables add views declares one',
        'visist.csv is not read, because no table is named visist; did you mean visits?',
        'Tables without rows: visits (no files)',
      ],
    });
  });

  test('with copies and parts of the files of a table names its folder', async () => {
    for (const name of ['visits (1).csv', 'Orders-2026.csv', 'visits copy/a.csv', 'shops (2).csv', '(1).csv'])
      folder.write(name, 'id\n1\n');
    const moved = (table: string) =>
      `move it to the folder ${table}/ if its rows are those of the table ${table}`;
    expect((await warnings())?.slice(0, 5)).toEqual([
      '(1).csv is not read, because no table is named "(1)"; name it after a table, with letters, digits, _ and - only',
      `Orders-2026.csv is not read, because no table is named Orders-2026; ${moved('orders')}`,
      `shops (2).csv is not read, because no table is named "shops (2)"; ${moved('shops')}, which querygate tables add shops declares`,
      `visits (1).csv is not read, because no table is named "visits (1)"; ${moved('visits')}`,
      `visits copy is not read, because no table is named "visits copy"; ${moved('visits')}`,
    ]);
  });

  test('with files that cannot be read counts their tables', async () => {
    folder.write('visits.parquet', 'no Parquet');
    folder.write('orders.ndjson', '{"id":1}\n');
    expect(await folder.data().sync()).toMatchObject({ unreadableTables: 1, emptyTables: 0 });
    folder.write('visits.parquet', '');
    symlinkSync('nothing', folder.path('orders.csv'));
    expect(await folder.data().sync()).toMatchObject({ unreadableTables: 2 });
    expect(await folder.query('SELECT id FROM orders')).toEqual([[1n]]);
    for (const name of ['visits.parquet', 'orders.csv']) rmSync(folder.path(name));
    await folder.data().sync();
    expect(await folder.data().sync()).toMatchObject({ unreadableTables: 0 });
  });

  test('with many other files names some', async () => {
    for (let at = 1; at <= 8; at += 1) folder.write(`x${at}.csv`, 'id\n');
    const found = await warnings();
    expect(found).toHaveLength(7);
    expect(found?.[5]).toBe(
      '3 more files and folders of the data folder are not read, because no table has their names',
    );
  });

  test('tells a file that is renamed away or removed while it is served, once its rows are gone', async () => {
    folder.write('visits.csv', 'id\n1\n');
    folder.write('orders.csv', 'id\n1\n');
    expect(await warnings()).toEqual([]);
    renameSync(folder.path('visits.csv'), folder.path('visits-old.csv'));
    rmSync(folder.path('orders.csv'));
    // A file that is being renamed may be found under neither name for a moment.
    await folder.sync();
    expect(await warnings()).toEqual([
      'visits-old.csv is not read, because no table is named visits-old; querygate tables add visits-old declares one',
      'Tables without rows: visits (no files), orders (no files)',
    ]);
    renameSync(folder.path('visits-old.csv'), folder.path('visits.csv'));
    expect(await warnings()).toEqual(['Tables without rows: orders (no files)']);
  });

  test('tells a table whose files have no row; one with an unreadable file has a problem instead', async () => {
    folder.write('visits.csv', 'id\nx\n');
    folder.write('orders.csv', 'other\n1\n');
    expect(await warnings()).toEqual(['Tables without rows: visits (no rows in its files)']);
    expect([...folder.data().problems.keys()]).toEqual(['orders']);
  });
});
