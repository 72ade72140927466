import { describe, expect, test } from 'vitest';
import { fieldsOfColumns } from '../../src/dbt/column-fields.ts';
import { parseColumnType } from '../../src/dbt/column-type.ts';

describe('the data_type of a column', () => {
  test.each([
    ['int64', 'INTEGER', 'NULLABLE'],
    ['INTEGER', 'INTEGER', 'NULLABLE'],
    ['bigint', 'INTEGER', 'NULLABLE'],
    ['float', 'FLOAT', 'NULLABLE'],
    ['Float64', 'FLOAT', 'NULLABLE'],
    ['bool', 'BOOLEAN', 'NULLABLE'],
    ['text', 'STRING', 'NULLABLE'],
    ['string(10)', 'STRING', 'NULLABLE'],
    ['decimal(10, 2)', 'NUMERIC', 'NULLABLE'],
    [' bignumeric ', 'BIGNUMERIC', 'NULLABLE'],
    ['geography', 'GEOGRAPHY', 'NULLABLE'],
    ['range<date>', 'RANGE', 'NULLABLE'],
    ['interval', 'INTERVAL', 'NULLABLE'],
    ['array<timestamp>', 'TIMESTAMP', 'REPEATED'],
    ['record', 'RECORD', 'NULLABLE'],
    ['STRUCT', 'RECORD', 'NULLABLE'],
    ['array', 'RECORD', 'REPEATED'],
    ['array<struct>', 'RECORD', 'REPEATED'],
    ['array<struct<a int64, b array<string>>>', 'RECORD', 'REPEATED'],
  ])('%s is %s, %s', (text, type, mode) => {
    expect(parseColumnType(text)).toMatchObject({ type, mode });
  });

  test('keeps its parameters', () => {
    expect(parseColumnType('string(10)')).toEqual({ type: 'STRING', mode: 'NULLABLE', maxLength: '10' });
    expect(parseColumnType('array<decimal(10, 2)>')).toEqual({
      ...{ type: 'NUMERIC', mode: 'REPEATED' },
      ...{ precision: '10', scale: '2' },
    });
  });

  test.each([
    '',
    'varchar(10)',
    'int64)',
    'int64) AS x, CAST(1 AS int64',
    'int64 -- a comment',
    'array<array<int64>>',
    'struct<int64>',
    'struct<>',
    'proto.Message',
    'array<struct<a array<array<int64>>>>',
    '😀',
    'array<'.repeat(5000),
  ])('%j is none', (text) => {
    expect(parseColumnType(text)).toBeUndefined();
  });
});

const column = (name: string, dataType?: string, description?: string) => ({ name, dataType, description });

describe('columns', () => {
  test('with dots in their names are fields of records', () => {
    const { fields, untyped, problems } = fieldsOfColumns([
      column('hits.page.path', 'string', 'Where.'),
      column('hits', 'array', 'All hits.'),
      column('hits.time', 'int64'),
      column('device.name', 'string'),
    ]);
    expect({ untyped, problems }).toEqual({ untyped: [], problems: [] });
    const path = { name: 'path', type: 'STRING', mode: 'NULLABLE', description: 'Where.' };
    const page = { name: 'page', type: 'RECORD', mode: 'NULLABLE', fields: [path] };
    const time = { name: 'time', type: 'INTEGER', mode: 'NULLABLE' };
    const name = { name: 'name', type: 'STRING', mode: 'NULLABLE' };
    expect(fields).toEqual([
      { name: 'hits', type: 'RECORD', mode: 'REPEATED', description: 'All hits.', fields: [page, time] },
      { name: 'device', type: 'RECORD', mode: 'NULLABLE', fields: [name] },
    ]);
  });

  test('describe the fields that a type lists, and add others', () => {
    const { fields } = fieldsOfColumns([
      column('a', 'struct<x int64, y string>'),
      column('a.Y', 'string', 'The second one.'),
      column('a.z', 'date'),
    ]);
    expect(fields[0]?.fields).toEqual([
      { name: 'x', type: 'INTEGER', mode: 'NULLABLE' },
      { name: 'Y', type: 'STRING', mode: 'NULLABLE', description: 'The second one.' },
      { name: 'z', type: 'DATE', mode: 'NULLABLE' },
    ]);
  });

  test('without a type have that of the field that a type lists', () => {
    const { fields, untyped } = fieldsOfColumns([
      column('arr', 'array<struct<a int64, b struct<c string>>>'),
      { ...column('arr.a'), description: 'A number.' },
      { ...column('arr.b.c'), description: 'A text.' },
    ]);
    expect(untyped).toEqual([]);
    expect(fields).toMatchObject([
      {
        mode: 'REPEATED',
        fields: [
          { name: 'a', type: 'INTEGER', description: 'A number.' },
          { name: 'b', fields: [{ name: 'c', type: 'STRING', description: 'A text.' }] },
        ],
      },
    ]);
  });

  test('without a type are named, and so are types that BigQuery does not have', () => {
    const found = fieldsOfColumns([
      column('a'),
      column('b', 'money'),
      column('c', 'record'),
      column('d.e'),
      column('f', 'int64'),
      column('g', 'string'),
      column('g.h', 'string'),
      column('i', 'struct<a int64>'),
      column('i.a.b', 'string'),
    ]);
    expect(found.untyped).toEqual(['a', 'c', 'd.e', 'd']);
    expect(found.problems).toEqual([
      'b: "money" is not a type of BigQuery\'s columns',
      'g: "string" has no fields, but g.h is described',
      'i.a: "INTEGER" has no fields, but i.a.b is described',
    ]);
    expect(found.fields.map(({ name }) => name)).toEqual(['f', 'g', 'i']);
  });

  test('are at most as deep as on BigQuery', () => {
    const { problems } = fieldsOfColumns([column('a.'.repeat(100_000), 'int64')]);
    expect(problems).toEqual([`${'a.'.repeat(30)}…: records are at most 15 levels deep`]);
  });
});
