import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dropOlder } from '../src/store/retention.ts';
import { type ImportFolder, openImportFolder } from './import-folder.ts';

const events: TableSchema = {
  name: 'events',
  fields: [
    { name: 'id', type: 'INTEGER', mode: 'NULLABLE' },
    { name: 'at', type: 'TIMESTAMP', mode: 'REQUIRED' },
  ],
};

const hour = 3_600_000_000;
const timed = [{ name: 'events', time: 'at' }];
const row = (id: number, at: string) => `${JSON.stringify({ id, at })}\n`;
const hourOf = (at: string) => ({ from: Date.parse(at) * 1000, until: Date.parse(at) * 1000 + hour });

let folder: ImportFolder;

beforeEach(async () => {
  folder = await openImportFolder({}, [events]);
});

afterEach(() => folder.close());

const changes = () => folder.store.tables.changedTimes;
const since = (state: string, tables = timed) => changes().since(state, tables, () => 'at');

describe('the times of changed rows', () => {
  test('are the hours of the rows that an import has added, of any age', async () => {
    folder.write('events.ndjson', row(1, '2026-03-01T10:59:59Z'));
    await folder.sync();
    const state = changes().state;
    expect(since(state)).toEqual([]);
    folder.write(
      'events.ndjson',
      row(1, '2026-03-01T10:59:59Z') + row(2, '2026-03-01T11:00:00Z') + row(3, '1969-12-31T23:30:00Z'),
    );
    await folder.sync();
    expect(since(state)).toEqual([hourOf('1969-12-31T23:00:00Z'), hourOf('2026-03-01T11:00:00Z')]);
    expect(since(changes().state)).toEqual([]);
  });

  test('are those of both contents of a file that is replaced, and of a file that is removed', async () => {
    folder.write('events/a.csv', 'id,at\n1,2026-03-01T10:00:00Z\n');
    folder.write('events/b.csv', 'id,at\n2,2026-03-02T10:00:00Z\n');
    await folder.sync();
    const state = changes().state;
    folder.write('events/a.csv', 'id,at\n1,2026-03-05T10:00:00Z\n3,2026-03-05T10:30:00Z\n');
    await folder.sync();
    expect(since(state)).toEqual([hourOf('2026-03-01T10:00:00Z'), hourOf('2026-03-05T10:00:00Z')]);
    const replaced = changes().state;
    const { rmSync } = await import('node:fs');
    rmSync(folder.path('events/b.csv'));
    for (const _ of [1, 2]) await folder.sync();
    expect(since(replaced)).toEqual([hourOf('2026-03-02T10:00:00Z')]);
  });

  test('are within the bounds of a Parquet file that is read where it is', async () => {
    const copy = (name: string, at: string) =>
      folder.query(
        `COPY (SELECT 1 AS id, '${at}'::TIMESTAMPTZ AS at) TO '${folder.path(name)}' (FORMAT parquet)`,
      );
    folder.write('events/keep.ndjson', '');
    await folder.sync();
    const state = changes().state;
    await copy('events/c.parquet', '2026-03-03T10:20:00Z');
    await folder.sync();
    expect(folder.store.tables.files.of('events').files).toHaveLength(1);
    expect(since(state)).toEqual([hourOf('2026-03-03T10:00:00Z')]);
  });

  test('begin before all if old rows are dropped', async () => {
    folder.write('events.ndjson', row(1, '2026-03-01T10:00:00Z'));
    await folder.sync();
    const { tables } = folder.store;
    const state = changes().state;
    const before = new Date('2026-03-02T00:00:00Z');
    const connection = await folder.store.connect();
    await dropOlder(connection, tables, before);
    expect(since(state)).toEqual([{ from: Number.NEGATIVE_INFINITY, until: before.getTime() * 1000 }]);
    connection.closeSync();
  });

  test('are not known for the state of another process, another column, and too many hours', async () => {
    const state = changes().state;
    expect(since('another 0')).toBeUndefined();
    expect(since('')).toBeUndefined();
    folder.write('events.ndjson', row(1, '2026-03-01T10:00:00Z'));
    await folder.sync();
    expect(since(state, [{ name: 'events', time: 'id' }])).toBeUndefined();
    const many = Array.from({ length: 25_000 }, (_, at) =>
      row(at, new Date(Date.parse('2020-01-01T00:00:00Z') + at * 3_600_000).toISOString()),
    );
    folder.write('events/many.ndjson', many.join(''));
    await folder.sync();
    expect(since(state)).toBeUndefined();
    expect(since(changes().state)).toEqual([]);
  });
});
