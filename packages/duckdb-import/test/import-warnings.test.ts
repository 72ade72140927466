import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
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
