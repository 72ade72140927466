import { renameSync } from 'node:fs';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ImportFolder, lines, openImportFolder } from './import-folder.ts';

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

/** Its footer does not show that each value is a STRING: it is imported. */
const writeParquet = (name: string, id: number) => folder.writeParquet(name, `SELECT ${id} AS id, true AS s`);

const text = {
  ndjson: (id: number) => lines(id),
  json: (id: number) => `[{"id": ${id}}]`,
  csv: (id: number) => `id\n${id}\n`,
};

describe('files of several formats in one table', () => {
  test.each(['ndjson', 'json', 'csv'] as const)(
    'are all imported: %s around imported Parquet',
    async (format) => {
      const write = (id: number) => folder.write(`logs/${id}.${format}`, text[format](id));
      for (const id of [0, 2, 3, 6]) write(id);
      for (const id of [1, 4, 5]) await writeParquet(`logs/${id}.parquet`, id);
      expect(await folder.sync()).toEqual([]);
      expect(await folder.ids()).toEqual([0, 1, 2, 3, 4, 5, 6]);
      const counts = await folder.query('SELECT name, rows::INTEGER FROM "import".files ORDER BY name');
      expect(counts.map(([, rows]) => rows)).toEqual([1, 1, 1, 1, 1, 1, 1]);
    },
  );

  test('are all imported after a Parquet file that has only another name', async () => {
    await writeParquet('logs/1.parquet', 1);
    await folder.sync();
    renameSync(folder.path('logs/1.parquet'), folder.path('logs/0.parquet'));
    folder.write('logs/2.ndjson', lines(2));
    await writeParquet('logs/3.parquet', 3);
    folder.write('logs/4.csv', text.csv(4));
    expect(await folder.sync()).toEqual([]);
    expect(await folder.ids()).toEqual([1, 2, 3, 4]);
  });
});

describe('a load that stores another number of rows than its file has', () => {
  beforeEach(async () => {
    const { tables } = folder.store;
    const replaceRows: typeof tables.replaceRows = (connection, { added, ...change }) =>
      tables.replaceRows(connection, {
        ...change,
        ...(added && { added: { ...added, source: `(SELECT * FROM ${added.source} LIMIT 1)` } }),
      });
    const loses = new Proxy(tables, {
      get: (target, name) => (name === 'replaceRows' ? replaceRows : Reflect.get(target, name, target)),
    });
    await folder.reopen({ tables: loses });
  });

  test.each(['logs.ndjson', 'logs.json', 'logs.parquet'])('fails: %s', async (name) => {
    if (name.endsWith('parquet'))
      await folder.query(
        `COPY (SELECT unnest([1, 2]) AS id, true AS s) TO '${folder.path(name)}' (FORMAT parquet)`,
      );
    else folder.write(name, lines(1, 2));
    const reported = `${name}: has 2 rows, of which DuckDB has read 1`;
    expect(await folder.sync()).toEqual([reported]);
    expect(folder.data().problems.get('logs')).toBe(reported);
    expect(await folder.ids()).toEqual([]);
  });
});

test('lines of spaces are not counted as rows', async () => {
  folder.write('logs/1.ndjson', `${lines(1)}  \n\t\r\n${lines(2)}`);
  folder.write('logs/2.ndjson', '   \n');
  expect(await folder.sync()).toEqual([]);
  expect(await folder.query('SELECT rows::INTEGER FROM "import".files ORDER BY name')).toEqual([[2], [0]]);
});
