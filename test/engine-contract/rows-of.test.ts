import { expect, test } from 'vitest';
import type { Column } from '../../src/catalog/model/saved-query.ts';
import { rowsOf } from '../../src/engine-contract/rows-of.ts';

const column = (type: string): Column => ({
  name: 'x',
  type: type.replace(/[[\]!]/g, '') as Column['type'],
  repeated: type.startsWith('['),
  required: type.endsWith('!'),
  unit: undefined,
  description: '',
});
const rowOf = (type: string, value: unknown) =>
  rowsOf({ columns: [column(type)], maxRows: 1 }, [{ x: value }]).rows[0];

const noon = new Date('2026-03-10T12:00:00.500Z');

test.each<[type: string, value: unknown, text: string]>([
  ['string', 'a"\\', '"a\\"\\\\"'],
  ['string', 7n, '"7"'],
  ['string', 'a\ud83d', '"a\ufffd"'],
  ['string', noon, '"2026-03-10T12:00:00.500Z"'],
  ['integer', 9007199254740991n, '9007199254740991'],
  ['integer', '-12', '-12'],
  ['float', '0.1', '0.1'],
  ['float', 1e300, '1e+300'],
  ['numeric', '100.50', '"100.5"'],
  ['numeric', 1e21, '"1000000000000000000000"'],
  ['numeric', '-0.000000001', '"-0.000000001"'],
  ['boolean', 1n, 'true'],
  ['boolean', 'false', 'false'],
  ['timestamp', noon, '1773144000500000'],
  ['timestamp', '2026-03-10 13:00:00.123456789+01', '1773144000123456'],
  ['timestamp', '0001-01-01 00:00:00', '-62135596800000000'],
  ['timestamp', 1773144000500000n, '1773144000500000'],
  ['timestamp', '9999-12-31T23:59:59.999999Z', '253402300799999999'],
  ['timestamp', '2300-01-01 00:00:00.000001', '10413792000000001'],
  ['timestamp', 253402300799999999n, '253402300799999999'],
  ['datetime', '2026-03-10 12:00:00.500000', '"2026-03-10T12:00:00.5"'],
  ['datetime', noon, '"2026-03-10T12:00:00.5"'],
  ['date', '2026-03-10', '"2026-03-10"'],
  ['date', '2026-03-10 00:00:00', '"2026-03-10"'],
  ['date', noon, '"2026-03-10"'],
  ['time', '12:00:00.000', '"12:00:00"'],
  ['time', noon, '"12:00:00.5"'],
  ['bytes', new Uint8Array([97, 98, 99]), '"YWJj"'],
  ['time', '2026-03-10T12:00:00', '"12:00:00"'],
  ['date', '2026-03-10T12:00:00Z', '"2026-03-10"'],
  ['date', '0001-01-01T00:00:00+01:00', '"0001-01-01"'],
  ['date', '9999-12-31T23:59:59-05:00', '"9999-12-31"'],
  ['date', '2026-03-10T24:00:00', '"2026-03-10"'],
  ['date', '2026-03-10 00:00:00 UTC', '"2026-03-10"'],
  ['date', '2026-03-10 00:00:00.000 +00:00', '"2026-03-10"'],
  ['time', '0000-01-01 12:34:56', '"12:34:56"'],
  ['bytes', 'YWJj', '"YWJj"'],
  ['bytes', 'YQ==', '"YQ=="'],
  ['bytes', '', '""'],
  ['json', '{"a":[1,null],"b":12345678901234567890}', '{"a":[1,null],"b":12345678901234567890}'],
  ['json', { a: 1 }, '{"a":1}'],
  ['json', 7n, '7'],
  ['json', { a: [12345678901234567890n, noon] }, '{"a":[12345678901234567890,"2026-03-10T12:00:00.500Z"]}'],
  ['record', '{"a":{"b":1}}', '{"a":{"b":1}}'],
  ['[integer]', '[1,null,2]', '[1,null,2]'],
  ['[string]', ['a'], '["a"]'],
])('%s: %o is sent as %s', (type, value, text) => {
  expect(rowOf(type, value)).toBe(`{"x":${text}}`);
});

test.each<[type: string, value: unknown]>([
  ['string', { a: 1 }],
  ['integer', ''],
  ['integer', '1.5'],
  ['integer', 'twelve'],
  ['integer', true],
  ['float', ''],
  ['float', 'half'],
  ['numeric', '1,5'],
  ['boolean', 'maybe'],
  ['boolean', 2],
  ['timestamp', 'yesterday'],
  ['timestamp', new Date(Number.NaN)],
  ['timestamp', '2026-02-30T00:00:00Z'],
  ['timestamp', 253402300800000000n],
  ['timestamp', new Date('+010000-01-01T00:00:00Z')],
  ['datetime', '2026-03-10'],
  ['datetime', '2026-02-30 00:00:00'],
  ['date', '10.03.2026'],
  ['date', new Date(Number.NaN)],
  ['date', '2026-99-99'],
  ['time', 'noon'],
  ['time', '99:99:99'],
  ['time', 'garbage 12:00:00'],
  ['time', '2026-13-10 12:00:00'],
  ['date', '2026-03-10 garbage'],
  ['date', '2026-03-10 99:00:00'],
  ['bytes', 'not base64!!'],
  ['bytes', 'YQ'],
  ['bytes', true],
  ['bytes', {}],
  ['json', '{'],
  ['record', 'text'],
  ['record', 7],
  ['[integer]', 7],
  ['[integer]', '[1, "a"]'],
])('%s: %o does not fit', (type, value) => {
  const kind = type.startsWith('[') ? /x is not a list of integer: / : `x is not ${type}: `;
  expect(() => rowOf(type, value)).toThrow(expect.objectContaining({ code: 'ENGINE_FAILED' }));
  expect(() => rowOf(type, value)).toThrow(kind);
});

test('a message shows the value that does not fit, as far as it is short', () => {
  expect(() => rowOf('integer', '1.5')).toThrow(/x is not integer: "1\.5"$/);
  expect(() => rowOf('integer', 1.5)).toThrow(/x is not integer: 1\.5$/);
  expect(() => rowOf('boolean', Object.create(null))).toThrow(/x is not boolean: an object$/);
  expect(() => rowOf('date', 'x'.repeat(100))).toThrow(/x is not date: "x{59}…$/);
});

test('NULL is left out, as an infinite float is, and a list that is NULL is empty', () => {
  expect(rowOf('string', null)).toBe('{}');
  expect(rowOf('string', undefined)).toBe('{}');
  for (const value of [Number.NaN, '-Infinity', 'inf']) expect(rowOf('float', value)).toBe('{}');
  expect(rowOf('[string]', null)).toBe('{"x":[]}');
  expect(() => rowOf('string!', null)).toThrow('without x, which its header declares as required');
});

test('an integer beyond 2^53 fails', () => {
  for (const value of [2n ** 53n, '9007199254740992', 2 ** 53])
    expect(() => rowOf('integer', value)).toThrow('beyond 2^53');
});

test('keys with backslashes are those of the text, whatever was read before', () => {
  JSON.parse('{"a":1,"\\\\":2}');
  expect(rowOf('json', '{"\\n":1}')).toBe('{"x":{"\\n":1}}');
});

test('no more than max rows are read, and one that tells whether there are more', () => {
  let read = 0;
  function* values() {
    for (; ; read += 1) yield { x: read };
  }
  expect(rowsOf({ columns: [column('integer')], maxRows: 2 }, values())).toEqual({
    rows: ['{"x":0}', '{"x":1}'],
    truncated: true,
  });
  expect(read).toBe(2);
});

test('a record has the fields that its column declares', () => {
  const fields = [
    { ...column('string'), name: 'a' },
    { ...column('timestamp'), name: 'at' },
  ];
  const record = { ...column('record'), fields };
  const { rows } = rowsOf({ columns: [record], maxRows: 1 }, [{ x: { at: noon, more: 1 } }]);
  expect(rows).toEqual(['{"x":{"a":null,"at":1773144000500000}}']);
});
