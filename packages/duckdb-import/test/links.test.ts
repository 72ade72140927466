import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ImportFolder, lines, logs, openImportFolder } from './import-folder.ts';

let folder: ImportFolder;
beforeEach(async () => {
  folder = await openImportFolder({}, [logs]);
});
afterEach(() => folder.close());

const warnings = async () => (await folder.data().sync()).warnings;
const rows = async () => {
  const { relation } = folder.store.tables.get('logs');
  return (await folder.query(`SELECT id FROM ${relation} ORDER BY id`)).map(([id]) => Number(id));
};

describe('a file that a table has by several names is read once', () => {
  test('a link beside it, also one that sorts before it', async () => {
    folder.write('logs/b.ndjson', lines(1));
    symlinkSync('b.ndjson', folder.path('logs/latest.ndjson'));
    expect(await warnings()).toEqual([
      'logs/latest.ndjson is not read, because it is another name of logs/b.ndjson',
    ]);
    symlinkSync('b.ndjson', folder.path('logs/a.ndjson'));
    expect(await warnings()).toEqual([
      'logs/a.ndjson is not read, because it is another name of logs/b.ndjson; 1 more like it are not read either',
    ]);
    expect(await rows()).toEqual([1]);
    folder.write('logs/b.ndjson', lines(1, 2));
    await folder.sync();
    expect(await rows()).toEqual([1, 2]);
  });

  test('Parquet with a link, a hard link, and a link to its folder', async () => {
    folder.write('logs/day/a.parquet', '');
    await folder.query(`COPY (SELECT 7 AS id) TO '${folder.path('logs/day/a.parquet')}' (FORMAT parquet)`);
    symlinkSync('day/a.parquet', folder.path('logs/0.parquet'));
    linkSync(folder.path('logs/day/a.parquet'), folder.path('logs/hard.parquet'));
    symlinkSync('day', folder.path('logs/latest'));
    expect(await warnings()).toEqual([expect.stringContaining('another name of logs/day/a.parquet')]);
    expect(await rows()).toEqual([7]);
    rmSync(folder.path('logs/day/a.parquet'));
    rmSync(folder.path('logs/0.parquet'));
    expect(await warnings()).toEqual([]);
    expect(await rows()).toEqual([7]);
  });

  test('names of two links to a file elsewhere', async () => {
    folder.write('elsewhere/x.ndjson', lines(1));
    mkdirSync(folder.path('logs'));
    symlinkSync('../elsewhere/x.ndjson', folder.path('logs/b.ndjson'));
    symlinkSync('../elsewhere/x.ndjson', folder.path('logs/a.ndjson'));
    expect(await warnings()).toContain(
      'logs/b.ndjson is not read, because it is another name of logs/a.ndjson',
    );
    expect(await rows()).toEqual([1]);
  });

  test('rows that an earlier import has twice go', async () => {
    folder.write('logs/a.ndjson', lines(1));
    folder.write('logs/latest.ndjson', lines(1));
    await folder.sync();
    expect(await rows()).toEqual([1, 1]);
    rmSync(folder.path('logs/latest.ndjson'));
    symlinkSync('a.ndjson', folder.path('logs/latest.ndjson'));
    await folder.reopen();
    await folder.sync();
    expect(await rows()).toEqual([1]);
    renameSync(folder.path('logs/a.ndjson'), folder.path('logs/z.ndjson'));
    rmSync(folder.path('logs/latest.ndjson'));
    symlinkSync('z.ndjson', folder.path('logs/latest.ndjson'));
    expect(await folder.sync()).toEqual([]);
    expect(await rows()).toEqual([1]);
  });
});

test('a file of two tables, or of two partitions by hard links, has rows in both', async () => {
  await folder.close();
  const day = { name: 'day', type: 'DATE', mode: 'NULLABLE' } as const;
  folder = await openImportFolder({}, [
    { ...logs, fields: [...logs.fields, day] },
    { ...logs, name: 'others' },
  ]);
  folder.write('logs/day=2026-01-01/a.ndjson', lines(1));
  mkdirSync(folder.path('logs/day=2026-01-02'));
  linkSync(folder.path('logs/day=2026-01-01/a.ndjson'), folder.path('logs/day=2026-01-02/a.ndjson'));
  symlinkSync('day=2026-01-02', folder.path('logs/latest'));
  symlinkSync('logs/day=2026-01-01/a.ndjson', folder.path('others.ndjson'));
  await folder.sync();
  expect(await folder.store.queryJson('SELECT id, day FROM logs ORDER BY day')).toEqual([
    ['1', '2026-01-01'],
    ['1', '2026-01-02'],
  ]);
  expect(await folder.store.queryJson('SELECT id FROM others')).toEqual([['1']]);
});

test.skipIf(process.platform === 'darwin')(
  'a file or folder whose name is not UTF-8 is left out with a warning',
  async () => {
    folder.write('logs/a.ndjson', lines(1));
    const named = (...bytes: readonly number[]) =>
      Buffer.from([...Buffer.from(folder.path('logs/b')), ...bytes]);
    writeFileSync(Buffer.concat([named(0xe9), Buffer.from('.ndjson')]), lines(2));
    writeFileSync(Buffer.concat([named(0xe9), Buffer.from('.txt')]), 'notes');
    mkdirSync(named(0xe8));
    expect(await warnings()).toEqual([
      'logs/b\uFFFD is not read, because its name is not UTF-8: rename it; 1 more like it are not read either',
    ]);
    expect(await rows()).toEqual([1]);
  },
);
