import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ImportFolder, logs, openImportFolder } from './import-folder.ts';

let folder: ImportFolder;
beforeEach(async () => {
  folder = await openImportFolder({}, [logs]);
});
afterEach(() => folder.close());

const parquet = async (name: string, sql: string) => {
  folder.write(name, '');
  await folder.query(`COPY (${sql}) TO '${folder.path(name)}' (FORMAT parquet)`);
};
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
