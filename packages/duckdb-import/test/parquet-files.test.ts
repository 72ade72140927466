import { rmSync } from 'node:fs';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { otherTable } from '../src/scan/data-files.ts';
import { type ImportFolder, lines, logs, openImportFolder } from './import-folder.ts';

let folder: ImportFolder;
beforeEach(async () => {
  folder = await openImportFolder({}, [logs]);
});
afterEach(() => folder.close());

const parquet = (name: string, select: string) => folder.writeParquet(name, select);
const rows = async (columns = 'id') => {
  const { relation } = folder.store.tables.get('logs');
  return (await folder.store.queryJson(`SELECT ${columns} FROM ${relation} ORDER BY ALL`))
    .map(String)
    .toSorted();
};

describe('a column with the name of one that DuckDB adds to files', () => {
  test.each(['file_row_number', 'FILE_ROW_NUMBER', 'filename', 'file_index', 'File_Index'])(
    '%s is read, and a bad row is left out',
    async (name) => {
      await folder.close();
      const fields = [
        ...logs.fields,
        { name, type: 'STRING', mode: 'NULLABLE' } as const,
        { name: 'day', type: 'DATE', mode: 'NULLABLE' } as const,
      ];
      folder = await openImportFolder({}, [{ ...logs, fields }]);
      const bad = `CASE i WHEN 3 THEN 'x' ELSE i::VARCHAR END AS id`;
      await parquet('logs/bad.parquet', `SELECT ${bad}, i + 10 AS "${name}" FROM range(5) AS t(i)`);
      await parquet(
        'logs/day=2026-01-01/bad.parquet',
        `SELECT ${bad}, 'y' AS "${name}" FROM range(5) AS t(i)`,
      );
      await parquet('logs/day=2026-01-02/good.parquet', `SELECT 7 AS id, 'z' AS "${name}"`);
      await parquet('logs/without.parquet', `SELECT ${bad} FROM range(5) AS t(i)`);
      expect(await folder.sync()).toEqual(
        ['bad', 'day=2026-01-01/bad', 'without'].map((file) =>
          expect.stringMatching(`^logs/${file}.parquet: row 4: id: "x" is not an integer`),
        ),
      );
      const ids = [0, 1, 2, 4];
      expect(await rows(`id, "${name}", day`)).toEqual(
        [
          ...ids.flatMap((id) => [`${id},${id + 10},`, `${id},y,2026-01-01`, `${id},,`]),
          '7,z,2026-01-02',
        ].toSorted(),
      );
    },
  );
});

describe('compressed Parquet', () => {
  test.each([
    ['gz', gzipSync],
    ['zst', zstdCompressSync],
  ])('is not read, and the rest of its table is: %s', async (ending, compress) => {
    await parquet('x', 'SELECT 1 AS id');
    folder.write(`logs/0.parquet.${ending}`, compress('PAR1'));
    folder.write('logs/1.ndjson', lines(2));
    folder.write('other.ndjson', lines(3));
    const { leftOut, warnings } = await folder.data().sync();
    expect(leftOut).toEqual([
      expect.stringMatching(`^logs/0.parquet.${ending} is not read, because Parquet .* gunzip`),
    ]);
    expect(warnings).toEqual([expect.stringContaining('other.ndjson'), ...(leftOut ?? [])]);
    expect(folder.data().problems).toEqual(new Map());
    expect(await rows()).toEqual(['2']);
  });
});

describe('a table of Delta Lake or Hudi', () => {
  test.each([
    ['_delta_log/00000000000000000000.json', 'a table of Delta Lake'],
    ['.hoodie/hoodie.properties', 'a table of Hudi'],
  ])('is not read: %s', async (name, kind) => {
    folder.write(`logs/part/${name}`, '{}');
    await parquet('logs/part/1.parquet', 'SELECT 1 AS id');
    expect(await folder.sync()).toEqual([
      expect.stringContaining(`logs/part: is ${kind}, which is not read`),
    ]);
    expect(await rows()).toEqual([]);
  });

  // A bucket lists them too.
  test.each(['logs/_backup/_delta_log/0.json', 'logs/.old/part/.hoodie/hoodie.properties'])(
    'is ignored in a hidden folder: %s',
    (name) => {
      expect(otherTable(name)).toBeUndefined();
    },
  );
});

describe('a table of Iceberg', () => {
  test.each(['v1.metadata.json', '00001-6c1c9d4e-0b5a-4c1e-8d0b-8b3b2f6f0c51.metadata.json'])(
    'is not read: %s',
    async (name) => {
      folder.write(`logs/metadata/${name}`, '{"format-version":2}');
      folder.write('logs/metadata/snap-1.avro', '');
      await parquet('logs/data/1.parquet', 'SELECT 1 AS id');
      expect(await folder.sync()).toEqual([
        expect.stringMatching(/^logs: is an Iceberg table, which is not/),
      ]);
      expect(folder.data().problems.get('logs')).toContain('Iceberg');
      expect(await rows()).toEqual([]);
      rmSync(folder.path('logs'), { recursive: true });
      folder.write('logs/metadata/rows.json', '{"id":1}');
      expect(await folder.sync()).toEqual([]);
      expect(await rows()).toEqual(['1']);
    },
  );
});
