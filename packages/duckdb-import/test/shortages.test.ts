import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ImportFolder, lines, openImportFolder } from './import-folder.ts';

const logs: TableSchema = {
  name: 'logs',
  fields: [
    { name: 'id', type: 'INTEGER', mode: 'NULLABLE' },
    { name: 'body', type: 'JSON', mode: 'NULLABLE' },
  ],
};

interface Fault {
  readonly at: string;
  readonly message: string;
  readonly times?: number;
  /** Happens at the same time. */
  readonly meanwhile?: () => Promise<void>;
}

/** The next statements with a text fail so: one, or several. */
let fault: Fault | undefined;
const failureOf = (sql: string): Promise<never> | undefined => {
  if (fault === undefined || !sql.includes(fault.at)) return undefined;
  const { meanwhile, message, times = 1 } = fault;
  fault = times > 1 ? { ...fault, times: times - 1 } : undefined;
  return Promise.resolve(meanwhile?.()).then(() => Promise.reject(new Error(message)));
};

let folder: ImportFolder;
beforeEach(async () => {
  fault = undefined;
  folder = await openImportFolder({}, [logs]);
  await folder.reopen({
    async connect() {
      const connection = await folder.store.connect();
      const { run, runAndReadAll } = connection;
      connection.run = (sql, ...more) => failureOf(sql) ?? run.call(connection, sql, ...more);
      connection.runAndReadAll = (sql, ...more) =>
        failureOf(sql) ?? runAndReadAll.call(connection, sql, ...more);
      return connection;
    },
  });
});
afterEach(() => folder.close());

const ids = async () => {
  const { relation } = folder.store.tables.get('logs');
  const found = await folder.query(`SELECT id FROM ${relation} ORDER BY id`);
  return found.map(([id]) => Number(id));
};

const parquet = (id: number) => folder.writeParquet('logs.parquet', `SELECT ${id} AS id, '{}'::JSON AS body`);

const memory = 'Out of Memory Error: failed to pin block of size 256.0 KiB (1.0 MiB/1.0 MiB used)';
const files = 'IO Error: Cannot open file "/data/logs.parquet": Too many open files';
const device = 'IO Error: Could not read from file "/data/logs.parquet": Input/output error';
const tooSmall = 'the memory limit of DuckDB is too small for it; raise DUCKDB_MEMORY_LIMIT';
const paused = 'the import is paused: too many files are open';
/** The report of the sync, and the reason of the table. */
const shortages = {
  [memory]: [`logs.parquet: waits: ${tooSmall}`, tooSmall],
  [files]: [paused, paused],
};

describe('a shortage that passes does not make a file unreadable', () => {
  const statements = {
    'while its columns are read': 'DESCRIBE',
    'while its statistics are read': 'parquet_metadata(',
    'while its values are looked at': 'IS DISTINCT FROM',
    'while its rows are counted': 'parquet_file_metadata(',
  };
  test.each(
    Object.entries(statements).flatMap(([when, at]) => [
      [when, at, memory] as const,
      [when, at, files] as const,
    ]),
  )('of Parquet, %s (%s): %s', async (_, at, message) => {
    fault = { at, message };
    await parquet(1);
    const [report, reason] = shortages[message];
    expect(await folder.sync()).toEqual([report]);
    expect([...folder.data().problems.values()]).toEqual([`logs.parquet: is not imported yet: ${reason}`]);
    expect(await folder.sync()).toEqual([]);
    expect(folder.data().problems.size).toBe(0);
    expect(await ids()).toEqual([1]);
    await parquet(23);
    fault = { at, message };
    await folder.sync();
    expect(folder.data().problems.size).toBe(1);
    await folder.sync();
    expect(folder.data().problems.size).toBe(0);
    expect(await ids()).toEqual([23]);
  });

  test('and the files beside it are imported meanwhile', async () => {
    fault = { at: 'DESCRIBE', message: memory };
    await parquet(1);
    folder.write('logs.ndjson', lines(2));
    expect(await folder.sync()).toEqual([`logs.parquet: waits: ${tooSmall}`]);
    expect(await ids()).toEqual([2]);
    await folder.sync();
    expect(await ids()).toEqual([1, 2]);
  });

  test.each([
    ['one of CSV', 'COPY (', '1-logs.csv', 'id\n1\n'],
    ['one of JSON beside others', 'INSERT INTO', '1.ndjson', lines(1)],
  ])('while %s is read, and others are imported', async (_, at, name, content) => {
    folder.write(`logs/${name}`, content);
    folder.write('logs/2.ndjson', lines(2));
    // Rows of JSON are stored with those of the other file, and then alone; CSV is read with its bad rows, and then without.
    fault = { at, message: memory, times: 2 };
    expect(await folder.sync()).toEqual([`logs/${name}: waits: ${tooSmall}`]);
    expect(await ids()).toEqual([2]);
    expect([...folder.data().problems.values()]).toEqual([`logs/${name}: is not imported yet: ${tooSmall}`]);
    await folder.sync();
    expect(await ids()).toEqual([1, 2]);
  });

  test('nor rows that are stored, while a file of Parquet beside them changes', async () => {
    await parquet(1);
    folder.write('logs.ndjson', lines(2));
    await folder.sync();
    folder.write('logs.ndjson', lines(2, 3));
    fault = { at: 'INSERT INTO', message: memory, meanwhile: () => parquet(23) };
    await folder.sync();
    expect(await ids()).toContain(2);
    await folder.sync();
    expect(await ids()).toEqual([2, 3, 23]);
  });

  test('nor one row, while others are searched that cannot be read', async () => {
    fault = { at: 'SELECT count(hash(', message: memory };
    folder.write('logs.ndjson', `${lines(1)}{"id":"x"}\n`);
    expect(await folder.sync()).toEqual([`logs.ndjson: waits: ${tooSmall}`]);
    expect(await folder.sync()).toEqual(['logs.ndjson:2: id: "x" is not an integer']);
    expect(await ids()).toEqual([1]);
  });

  test.each([memory, files, device])('while a query reads it: %s', async (message) => {
    await parquet(1);
    await folder.sync();
    const placed = folder.store.tables.files.of('logs').files;
    expect(await folder.data().blame(placed, new Error(message.replace('/data', folder.dataDir)))).toBe(
      false,
    );
    expect(folder.data().problems.size).toBe(0);
    // The file is not named, and searched for.
    fault = { at: 'SELECT count(hash(r))', message };
    await expect(folder.data().blame(placed, new Error('Invalid Error: no page'))).rejects.toThrow(message);
    expect(folder.data().problems.size).toBe(0);
  });
});

describe('a file whose device has failed is unreadable until the next sync', () => {
  test('of Parquet', async () => {
    fault = { at: 'parquet_metadata(', message: device };
    await parquet(1);
    expect(await folder.sync()).toEqual([expect.stringContaining('Input/output error')]);
    expect(folder.data().problems.size).toBe(1);
    expect(await folder.sync()).toEqual([]);
    expect(folder.data().problems.size).toBe(0);
    expect(await ids()).toEqual([1]);
  });

  test('of CSV', async () => {
    folder.write('logs.csv', 'id\n1\n');
    await folder.sync();
    folder.write('logs.csv', 'id\n2\n3\n');
    // It is read again without its rows that are not CSV.
    fault = { at: 'COPY (', message: device, times: 2 };
    expect(await folder.sync()).toEqual([expect.stringContaining('Input/output error')]);
    expect(folder.data().problems.size).toBe(1);
    expect(await folder.sync()).toEqual([]);
    expect(folder.data().problems.size).toBe(0);
    expect(await ids()).toEqual([2, 3]);
  });
});
