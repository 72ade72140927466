import { expect, test } from 'vitest';
import type { Outline } from '@querygate/bigquery-sql/sandbox';
import { readReads, readResult } from '../../../src/engines/duckdb/sandbox/read-answers.ts';

const table = (name: string) => ({ name, columns: [], isValue: false, stored: [], plain: new Set<string>() });
const outline: Outline = {
  names: { tables: ['a', 'b'], parameters: [], functions: new Set() },
  parameters: [],
  tables: [table('a'), table('b')],
};
const read = { table: 'a', columns: ['x', 'y'], where: [], orderBy: [] };
const done = { rowCount: 1, truncated: false, columns: [{ name: 'n', type: 'integer', repeated: false }] };

test('answers of a sandbox are taken as they are', () => {
  expect(readReads([read, { ...read, table: 'b', limit: 3 }], outline)).toEqual([
    read,
    { ...read, table: 'b', limit: 3 },
  ]);
  expect(readResult(done)).toEqual(done);
  const untyped = {
    ...done,
    columns: [{ name: 'n', repeated: true, fields: [{ name: '', repeated: false }] }],
  };
  expect(readResult(untyped)).toEqual(untyped);
});

test.each([
  null,
  {},
  { length: 1, 0: read },
  [null],
  [read, read],
  [{ ...read, table: 'c' }],
  [{ ...read, columns: ['x', 'x'] }],
  [{ ...read, columns: [{ toString: 'x' }] }],
  [{ ...read, columns: undefined }],
  [{ ...read, where: [{}] }],
  [{ ...read, where: Array.from({ length: 201 }, () => []) }],
  [{ ...read, orderBy: [{ column: 'x', descending: 'yes', nulls: 'LAST' }] }],
  [{ ...read, limit: -1 }],
  [{ ...read, limit: 0.5 }],
])('reads of another shape are refused: %j', (sent) => {
  expect(() => readReads(sent, outline)).toThrow();
});

test.each([
  null,
  [],
  { ...done, rowCount: '1' },
  { ...done, rowCount: 2 ** 60 },
  { ...done, rowCount: -1 },
  { ...done, truncated: 'no' },
  { ...done, columns: {} },
  { ...done, columns: [{}] },
  { ...done, columns: ['n'] },
  { ...done, columns: [{ name: 'n\r\nx', type: 'integer', repeated: false }] },
  { ...done, columns: [{ name: 'n', type: 'integer', repeated: 'x' }] },
])('a result of another shape is refused: %j', (sent) => {
  expect(() => readResult(sent)).toThrow();
});
