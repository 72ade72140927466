import { LIST, STRUCT, VARCHAR } from '@duckdb/node-api';
import { type SourceValue, shreddedColumns, storedColumns } from '@querygate/bigquery-sql/duckdb';
import { type Field, fieldTypes, type TableSchema } from '@querygate/bigquery-sql/table-schema';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ImportFolder, openImportFolder } from './import-folder.ts';

/** Names that SQL of this project uses or has used beside columns, words of DuckDB, and its names of virtual columns. */
const names = [
  ...['a', 'b', 'c', 'e', 'e0', 'e1', 'i', 'k', 'l', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'x'],
  ...['civil', 'zone', 'first', 'second', 'value', 'key', 'line', 'row', 'file', 'json', 'converted', 'main'],
  ...['store', 'stored', 'import', 'day', 'filename', 'rowid', 'file_index', 'lambda', 'select', 'order'],
  ...['text', 'moment', 'parts', 'instants', 'element 0', 'not converted', 'querygate file', 'timestamp'],
];

const nullable = (name: string, type: Field['type'], fields?: readonly Field[]): Field => ({
  ...{ name, type, mode: 'NULLABLE' },
  ...(fields && { fields }),
});
const repeated = (field: Field): Field => ({ ...field, mode: 'REPEATED' });

const zoned = '2024-01-31 10:00:00 America/New_York';
const stored = '2024-01-31 15:00:00+00';
const fieldsNamed = ['zone', 'civil', 'first', 'second', 'at'] as const;
const decoy = { zone: 'Asia/Tokyo', civil: '2020-01-01 00:00:00', first: '2020-01-01', second: '2020-01-02' };
const record = (name: string): Field =>
  nullable(
    name,
    'RECORD',
    fieldsNamed.map((one) => nullable(one, one === 'at' ? 'TIMESTAMP' : 'STRING')),
  );

let folder: ImportFolder | undefined;
beforeEach(() => {
  folder = undefined;
});
afterEach(() => folder?.close());

/** The problems of an import of one table, whose rows have one zoned time each, and the times that it stored. */
async function importTimes(table: TableSchema, file: string, content: string, time: string) {
  folder = await openImportFolder({}, [table]);
  folder.write(file, content);
  const problems = await folder.sync();
  const { relation } = folder.store.tables.get(table.name);
  const rows = await folder.query(`SELECT CAST(${time} AS VARCHAR) FROM ${relation}`);
  return { problems, times: rows.flat() };
}

describe('a column may have any name beside a TIMESTAMP', () => {
  const others = names.map((name) => nullable(name, 'INTEGER'));
  const at = nullable('at of row', 'TIMESTAMP');
  const table = { name: 'logs', fields: [...others, at] };
  const row = Object.fromEntries([...names.map((name, index) => [name, index]), ['at of row', zoned]]);

  test('of NDJSON, also in a row beside one that is left out', async () => {
    const bad = { ...row, i: 'no number' };
    const content = `${JSON.stringify(row)}\n${JSON.stringify(bad)}\n`;
    const { problems, times } = await importTimes(table, 'logs.ndjson', content, '"at of row"');
    expect(problems).toEqual(['logs.ndjson:2: i: "no number" is not an integer']);
    expect(times).toEqual([stored]);
  });

  test('of CSV', async () => {
    const content = `${Object.keys(row).join()}\n${Object.values(row).join()}\n`;
    const { problems, times } = await importTimes(table, 'logs.csv', content, '"at of row"');
    expect(problems).toEqual([]);
    expect(times).toEqual([stored]);
  });

  test('of several files in one statement', async () => {
    folder = await openImportFolder({}, [table]);
    for (const name of ['a', 'b']) folder.write(`logs/${name}.ndjson`, `${JSON.stringify(row)}\n`);
    expect(await folder.sync()).toEqual([]);
    const rows = await folder.query(`SELECT "#file" FROM store.stored.logs`);
    expect(new Set(rows.flat()).size).toBe(2);
  });
});

describe('a column may have the name of a property that objects of JavaScript have', () => {
  const ofObjects = ['__proto__', 'constructor', 'toString', 'valueOf', 'hasOwnProperty'];
  const table = { name: 'logs', fields: ofObjects.map((name) => nullable(name, 'INTEGER')) };

  test('of NDJSON, also in a row beside one that is left out', async () => {
    folder = await openImportFolder({}, [table]);
    folder.write('logs.ndjson', '{"__proto__":1,"valueOf":4}\n{"constructor":"x"}\n{"constructor":2}\n');
    expect(await folder.sync()).toEqual(['logs.ndjson:2: constructor: "x" is not an integer']);
    const found = await folder.store.queryJson('SELECT * FROM logs');
    expect(found.map(String)).toEqual(['1,,,4,', ',2,,,']);
  });

  test('of Parquet, which is read where it is, and of its folders', async () => {
    folder = await openImportFolder({}, [table]);
    const list = ofObjects.map((name, at) => `${at} AS "${name}"`);
    await folder.writeParquet('logs/1.parquet', `SELECT ${list.join(', ')}`);
    await folder.writeParquet('logs/constructor=7/2.parquet', 'SELECT 1 AS __proto__');
    expect(await folder.sync()).toEqual([]);
    expect(folder.store.tables.files.of('logs').files).toHaveLength(2);
    const { relation } = folder.store.tables.get('logs');
    const found = await folder.store.queryJson(`SELECT * FROM ${relation} ORDER BY ALL`);
    expect(found.map(String)).toEqual(['0,1,2,3,4', '1,7,,,']);
  });
});

describe('a time is computed from its own text alone', () => {
  const some = ['c', 'e0', 'e1', 'i', 'p', 'r', 's', 't', 'zone'];
  const others = some.map((name) => record(name));
  const value = { ...decoy, at: zoned };
  const row = Object.fromEntries([...some.map((name) => [name, value]), ['at of row', zoned]]);

  test('beside records with fields of any name', async () => {
    const table = { name: 'logs', fields: [...others, nullable('at of row', 'TIMESTAMP')] };
    const { problems, times } = await importTimes(
      table,
      'logs.ndjson',
      `${JSON.stringify(row)}\n`,
      '"at of row"',
    );
    expect(problems).toEqual([]);
    expect(times).toEqual([stored]);
    const inside = await folder?.query(
      `SELECT DISTINCT "p.at"::VARCHAR, "i.at"::VARCHAR FROM store.stored.logs`,
    );
    expect(inside).toEqual([[stored, stored]]);
  });

  test('in elements of lists of records, beside columns with the names of their fields', async () => {
    const list = repeated({ ...record('list'), fields: [...others, nullable('at of row', 'TIMESTAMP')] });
    const table = { name: 'logs', fields: [...others, list] };
    const content = `${JSON.stringify({ ...row, list: [{}, row] })}\n`;
    const read = 'list[2]."at of row"';
    const { problems, times } = await importTimes(table, 'logs.ndjson', content, read);
    expect(problems).toEqual([]);
    expect(times).toEqual([stored]);
    expect(await folder?.query(`SELECT list[2].e0.at::VARCHAR FROM logs`)).toEqual([[stored]]);
  });
});

test('parameters of lambdas have names that no column of BigQuery has', () => {
  const scalars = fieldTypes.filter((type) => type !== 'RECORD' && type !== 'STRUCT');
  const leaves = scalars.flatMap((type) => [nullable(type, type), repeated(nullable(`${type}s`, type))]);
  const inner = repeated(nullable('inner', 'RECORD', leaves));
  const fields = [...leaves, repeated(nullable('list', 'RECORD', [...leaves, inner]))];
  const table: TableSchema = { name: 'logs', fields };
  const typeOf = (field: Field): SourceValue['type'] => {
    const element = field.fields
      ? STRUCT(Object.fromEntries(field.fields.map((one) => [one.name, typeOf(one)])))
      : VARCHAR;
    return field.mode === 'REPEATED' ? LIST(element) : element;
  };
  const sources = new Map(
    fields.map((field) => [field.name.toLowerCase(), { sql: `r."${field.name}"`, type: typeOf(field) }]),
  );
  const columns = shreddedColumns(table, storedColumns(table, new Set(['list', 'list.inner'])));
  const sql = columns.map(({ value }) => value(sources)).join('\n');
  const parameters = [...sql.matchAll(/\blambda (\S+(?: \w+)*"?):/g)].map(([, name]) => name);
  expect(parameters.length).toBeGreaterThan(20);
  expect(parameters.filter((name) => !name?.startsWith('"$querygate '))).toEqual([]);
});
