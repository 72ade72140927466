import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bind, plainParameters } from '../../src/catalog/binding/bind.ts';
import { GatewayError } from '../../src/errors.ts';
import { cursorScope, type RowKey, readCursor, writeCursor } from '../../src/row-pages/cursor.ts';
import { bindPage } from '../../src/row-pages/page-request.ts';
import { draftQuery } from '../support/queries.ts';

const query = draftQuery({
  columns: {
    made: '{ type: timestamp, required: true, description: When. }',
    day: 'date',
    local: 'datetime',
    count: 'integer',
    name: 'string',
  },
  caching: ['caching: disabled', 'page: { by: [made, day, local, count, name] }'],
  sql: 'select made, day, local, count, name from t order by made desc, day, local, count desc, name',
});

const given = plainParameters({});
const bound = bind(query, given);
const scope = cursorScope(bound, given);

const cell = fc.oneof(
  fc.constant(null),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('0', '-1', '2026-01-31', '2026-01-31T12:00:00.5', '253402300800000000', 'NaN', '1e5', ''),
);

test('whatever a cursor has, it is bound as a key of the types of its columns, or refused', () => {
  let accepted = 0;
  const property = fc.property(fc.tuple(cell, cell, cell, cell, cell), (key: RowKey) => {
    // Anybody can write a cursor that is whole.
    const after = writeCursor(scope, key);
    try {
      expect(readCursor(scope, 'after', after)).toEqual(key);
    } catch (error) {
      expect(error).toBeInstanceOf(GatewayError);
      return;
    }
    accepted += 1;
    const page = bindPage(bound, given, { size: 10, isBackward: false, after, before: undefined });
    expect(page.bound.parameters).toMatchObject({
      page_size: '11',
      page_key_1: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });
  const examples: [RowKey][] = [
    [['1767225600500000', '2026-01-31', '2026-01-31T12:00:00.5', '-9007199254740993', '']],
    [['-62135596800000000', null, null, null, null]],
  ];
  fc.assert(property, { numRuns: 2_000, examples });
  expect(accepted).toBeGreaterThanOrEqual(examples.length);
});

test('a changed character makes a cursor another text', () => {
  const cursor = writeCursor(scope, ['1767225600500000', null, null, '1', 'a']);
  for (let at = 0; at < cursor.length; at += 1) {
    const changed = `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`;
    expect(() => readCursor(scope, 'after', changed)).toThrow('after: is');
    expect(() => readCursor(scope, 'after', cursor.slice(0, at))).toThrow('after: is not a cursor');
  }
});
