import {
  chmodSync,
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ImportFolder, idsBetween, lines, openImportFolder } from './import-folder.ts';

const logs: TableSchema = {
  name: 'logs',
  fields: [
    { name: 'id', type: 'INTEGER', mode: 'NULLABLE' },
    { name: 's', type: 'STRING', mode: 'NULLABLE' },
  ],
};

let folder: ImportFolder;
beforeEach(async () => {
  folder = await openImportFolder({}, [logs]);
});
afterEach(() => folder.close());

/** Writes into a file, and gives it back its time of modification. */
const overwrite = (name: string, content: string | Buffer) => {
  const { atime, mtime, size } = statSync(folder.path(name));
  expect(Buffer.byteLength(content)).toBe(size);
  const file = openSync(folder.path(name), 'r+');
  writeSync(file, Buffer.from(content), 0, size, 0);
  closeSync(file);
  utimesSync(folder.path(name), atime, mtime);
};

const parquet = (name: string, id: number, s = "'a'") =>
  folder.writeParquet(name, `SELECT ${id} AS id, ${s} AS s`);

const rows = async (where = 'true') => {
  const { relation } = folder.store.tables.get('logs');
  const found = await folder.query(`SELECT id FROM ${relation} WHERE ${where} ORDER BY id`);
  return found.map(([id]) => Number(id));
};

const numbers = async () =>
  (await folder.query('SELECT number FROM "import".files ORDER BY number')).map(([number]) => Number(number));

const restart = async () => {
  folder.store.tables.files.forget('logs');
  await folder.reopen();
};

/** The rows that the next sync imports. */
const imported = async () => (await folder.data().sync()).rows;

describe('a file that is written again with its size and its time of modification', () => {
  test.each([
    ['logs.ndjson', lines(1), lines(2)],
    ['logs.json', '[{"id":1}]', '[{"id":2}]'],
    ['logs.csv', 'id\n1\n', 'id\n2\n'],
  ])('is imported again: %s', async (name, before, after) => {
    folder.write(name, before);
    await folder.sync();
    overwrite(name, after);
    expect(await imported()).toBe(1);
    expect(await rows()).toEqual([2]);
    overwrite(name, before);
    await restart();
    expect(await imported()).toBe(1);
    expect(await rows()).toEqual([1]);
  });

  test('also in the middle of a long one', async () => {
    folder.write('logs.ndjson', lines(...idsBetween(1000, 3000)));
    await folder.sync();
    overwrite('logs.ndjson', lines(...idsBetween(1000, 1999), 1000, ...idsBetween(2000, 3000)));
    await folder.sync();
    expect((await rows()).slice(0, 3)).toEqual([1000, 1000, 1001]);
    expect(await rows('id = 1999')).toEqual([]);
  });

  test.each([
    ['that is read where it is', "'a'"],
    ['that is imported', 'true'],
  ])('Parquet %s', async (_, s) => {
    await parquet('logs.parquet', 1, s);
    await parquet('next', 2, s);
    await folder.sync();
    await restart();
    await folder.sync();
    expect(await rows()).toEqual([1]);
    const reading = folder.store.tables.files.read(['logs']);
    overwrite('logs.parquet', readFileSync(folder.path('next')));
    expect((await reading?.isUnchanged()) ?? false).toBe(false);
    await folder.sync();
    expect([await rows('id = 2'), await rows('id = 1')]).toEqual([[2], []]);
    for (const { bounds } of folder.store.tables.files.of('logs').files)
      expect(bounds).toMatchObject({ id: ['2', '2'] });
  });
});

describe('a file of which only modes, owners, links or the name change', () => {
  const touch = (name: string, mode: number) => chmodSync(folder.path(name), mode);

  test('that is read where it is stays as it is, also for a query that runs', async () => {
    await parquet('logs/a.parquet', 1);
    await folder.sync();
    const known = await numbers();
    const reading = folder.store.tables.files.read(['logs']);
    for (const mode of [0o600, 0o644, 0o644]) {
      touch('logs/a.parquet', mode);
      expect(await reading?.isUnchanged()).toBe(true);
      await folder.sync();
    }
    linkSync(folder.path('logs/a.parquet'), folder.path('other'));
    await folder.sync();
    expect(await reading?.isUnchanged()).toBe(true);
    expect(await numbers()).toEqual(known);
    await restart();
    touch('logs/a.parquet', 0o600);
    await folder.sync();
    expect(await numbers()).toEqual(known);
    expect(await rows()).toEqual([1]);
  });

  test.each([
    ['logs.ndjson', lines(1, 2)],
    ['logs.csv', 'id\n1\n2\n'],
  ])('is imported at most once more: %s', async (name, text) => {
    folder.write(name, text);
    await folder.sync();
    touch(name, 0o600);
    expect(await imported()).toBeLessThanOrEqual(2);
    for (const mode of [0o644, 0o600]) {
      touch(name, mode);
      expect(await imported()).toBe(0);
    }
    await restart();
    touch(name, 0o640);
    expect(await imported()).toBe(0);
    renameSync(folder.path(name), folder.path(`logs.x${name.slice(4)}`));
    expect(await imported()).toBe(0);
    expect(await rows()).toEqual([1, 2]);
  });

  test('has rows once after lines were appended to it', async () => {
    folder.write('logs.ndjson', lines(1));
    await folder.sync();
    touch('logs.ndjson', 0o600);
    await folder.sync();
    folder.write('logs.ndjson', lines(1, 2));
    expect(await imported()).toBe(1);
    touch('logs.ndjson', 0o644);
    await folder.sync();
    expect(await rows()).toEqual([1, 2]);
    overwrite('logs.ndjson', lines(1, 3));
    await folder.sync();
    expect(await rows()).toEqual([1, 3]);
  });

  test('is known from a store of an earlier release', async () => {
    folder.write('logs/a.ndjson', lines(1));
    await parquet('logs/b.parquet', 2);
    await folder.sync();
    await folder.query('ALTER TABLE "import".files DROP ctime');
    await folder.query('ALTER TABLE "import".files DROP digest');
    const known = await numbers();
    await restart();
    expect(await imported()).toBe(0);
    expect(await numbers()).toEqual(known);
    overwrite('logs/a.ndjson', lines(3));
    expect(await imported()).toBe(1);
    expect(await rows()).toEqual([2, 3]);
  });

  test('is compared again by a later sync if the disk is full', async () => {
    await parquet('logs/b.parquet', 2);
    await folder.sync();
    let isFull = true;
    const { connect } = folder.store;
    const onFullDisk = async () => {
      const connection = await connect();
      const { run } = connection;
      connection.run = (sql, ...more) =>
        isFull && sql.startsWith('UPDATE')
          ? Promise.reject(new Error('IO Error: No space left on device'))
          : run.call(connection, sql, ...more);
      return connection;
    };
    folder.store.tables.files.forget('logs');
    await folder.reopen({ connect: onFullDisk });
    touch('logs/b.parquet', 0o600);
    expect(await folder.sync()).toEqual([]);
    isFull = false;
    expect(await folder.sync()).toEqual([]);
    expect(await rows()).toEqual([2]);
    const { ctimeNs } = statSync(folder.path('logs/b.parquet'), { bigint: true });
    expect(await folder.query('SELECT ctime FROM "import".files')).toEqual([[ctimeNs]]);
  });
});

describe('a file whose device has another number, as after a mount', () => {
  const remount = async () => {
    await folder.query(`UPDATE "import".files SET identity = '7:' || split_part(identity, ':', 2)`);
    await restart();
  };
  const identities = () => folder.query('SELECT identity FROM "import".files ORDER BY number');

  test('is not imported again', async () => {
    folder.write('logs/a.ndjson', lines(1));
    await parquet('logs/b.parquet', 2);
    await folder.sync();
    const [known, before] = [await numbers(), await identities()];
    await remount();
    expect(await imported()).toBe(0);
    expect([await numbers(), await identities()]).toEqual([known, before]);
    expect(await rows()).toEqual([1, 2]);
    expect(await folder.store.tables.files.read(['logs'])?.isUnchanged()).toBe(true);
  });

  test('is imported from where it has grown since, and as a whole if it was written again', async () => {
    folder.write('logs/a.ndjson', lines(1));
    folder.write('logs/b.ndjson', lines(2));
    await folder.sync();
    folder.write('logs/a.ndjson', lines(1, 3, 4));
    overwrite('logs/b.ndjson', lines(5));
    await remount();
    expect(await imported()).toBe(3);
    expect(await rows()).toEqual([1, 3, 4, 5]);
  });
});
