import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Field } from '@querygate/bigquery-sql/table-schema';
import {
  column as columnOf,
  layoutColumns,
  printExpression,
  storedValue,
} from '@querygate/bigquery-sql/tree';
import { quote, type Type } from '@querygate/bigquery-sql/types';
import { jsonText } from '../../../../src/engines/duckdb/wire/json-text.ts';

const field = (name: string, type: string, mode = 'NULLABLE', fields?: readonly Field[]) =>
  ({ name, type, mode, ...(fields && { fields }) }) as Field;

/** Records before, between and after plain fields, one without plain fields, one that is not repeated, an array of scalars. */
const record = field('m', 'RECORD', 'REPEATED', [
  field('first', 'RECORD', 'REPEATED', [field('n', 'INT64')]),
  field('text', 'STRING'),
  field('at', 'TIMESTAMP'),
  field('one', 'RECORD', 'NULLABLE', [
    field('ratio', 'FLOAT64'),
    field('inner', 'RECORD', 'NULLABLE', [field('x', 'STRING')]),
  ]),
  field('tags', 'STRING', 'REPEATED'),
  field('größe "q"', 'INT64'),
  field('last', 'RECORD', 'REPEATED', [field('deep', 'RECORD', 'REPEATED', [field('b', 'BYTES')])]),
]);

const [column] = layoutColumns([record], () => true);
const recordText = (type: Type) =>
  column ? printExpression(jsonText(storedValue('t', 'm', column), type)) : '';
const types = [
  '"m" BOOLEAN',
  '"m.first" BOOLEAN',
  '"m.first.n" BIGINT',
  '"m.text" VARCHAR',
  '"m.at" TIMESTAMPTZ',
  '"m.one" BOOLEAN',
  '"m.one.ratio" DOUBLE',
  '"m.one.inner" BOOLEAN',
  '"m.one.inner.x" VARCHAR',
  '"m.tags" VARCHAR[]',
  '"m.größe ""q""" BIGINT',
  '"m.last" BOOLEAN',
  '"m.last.deep" BOOLEAN',
  '"m.last.deep.b" BLOB',
];
const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();
beforeAll(async () => {
  await connection.run(`SET TimeZone = 'UTC'; CREATE TABLE t (id INT, ${types.join(', ')})`);
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

test.each([
  [
    'every kind of field',
    `true, true, 7, 'a"}{"\\', '2024-01-01', true, 0.5, true, 'x', ['p', NULL], 1, true, true, 'ab'::BLOB`,
  ],
  [
    'text that ends like JSON',
    `true, true, 7, '}', '2024-01-01', true, 'nan', true, '{"x":1}', [], 1, true, true, '}'::BLOB`,
  ],
  [
    'present records without values',
    'true, true, NULL, NULL, NULL, true, NULL, true, NULL, NULL, NULL, true, true, NULL',
  ],
  ['absent records', 'true, false, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL'],
  [
    'an absent record within a present one',
    'true, false, NULL, NULL, NULL, true, 1, false, NULL, NULL, NULL, true, false, NULL',
  ],
  ['an empty array', 'false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL'],
])('%s: the same text as of the assembled record', async (name, values) => {
  if (!column?.fields) throw new Error('the record is not shredded');
  await connection.run(`DELETE FROM t; INSERT INTO t VALUES (1, ${values})`);
  const record = storedValue('t', 'm', column);
  const whole = jsonText(columnOf('t', 'assembled', column.type), column.type);
  const sql = `SELECT ${printExpression(whole)}, ${recordText(column.type)}
    FROM (SELECT *, ${printExpression(record)} AS assembled FROM t) AS t`;
  const [[expected, json] = []] = (await connection.runAndReadAll(sql)).getRows();
  expect(json, name).toBe(expected);
  expect(() => JSON.parse(String(json))).not.toThrow();
});

test('an integer beyond 2^53 fails', async () => {
  if (!column?.fields) throw new Error('the record is not shredded');
  await connection.run(
    `DELETE FROM t; INSERT INTO t (id, "m", ${quote('m.größe "q"')}) VALUES (1, true, 9007199254740993)`,
  );
  await expect(connection.run(`SELECT ${recordText(column.type)} FROM t`)).rejects.toThrow('beyond 2^53');
});
