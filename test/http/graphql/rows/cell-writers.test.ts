import { GraphQLString } from 'graphql';
import { expect, test } from 'vitest';
import { writerOf } from '../../../../src/http/graphql/rows/cell-writers.ts';

const field = { name: 'f', type: 'record', repeated: true, required: false } as const;

test('NULL in place of a list of records without known fields is an empty list in a record, and null as a column', () => {
  const inRecord = writerOf(field, GraphQLString, { isNullEmpty: true });
  expect([inRecord(null), inRecord(undefined)]).toEqual(['[]', '[]']);
  expect(writerOf(field, GraphQLString)(null)).toBe('null');
  const one = writerOf({ ...field, repeated: false }, GraphQLString, { isNullEmpty: true });
  expect(one(null)).toBe('null');
});
