import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WireField } from '../../../src/engines/bigquery/api/wire.ts';
import { buildDecodeCell } from '../../../src/engines/bigquery/decode-cell.ts';
import { buildDecodeRow } from '../../../src/engines/bigquery/decode-rows.ts';
import { parseJson } from '@querygate/text';
import { draftQuery } from '../../support/queries.ts';

const field = (type: string, more: Partial<WireField> = {}): WireField => ({ name: 'x', type, ...more });

/** A field, the value that BigQuery sends for it, and the value that a caller reads. */
interface Sample {
  readonly field: WireField;
  readonly sent: unknown;
  readonly read: unknown;
}

const sample = (type: string, sent: unknown, read: unknown): Sample => ({ field: field(type), sent, read });

const moment = fc.date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-12-31') });

const scalar: fc.Arbitrary<Sample> = fc.oneof(
  fc.string({ unit: 'grapheme' }).map((text) => sample('STRING', text, text)),
  fc.maxSafeInteger().map((n) => sample('INTEGER', String(n), n)),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => sample('FLOAT', String(n), n === 0 ? 0 : n)),
  fc.boolean().map((yes) => sample('BOOLEAN', String(yes), yes)),
  moment.map((date) => sample('TIMESTAMP', String(date.getTime() * 1000), date.getTime() * 1000)),
  moment.map((date) => sample('DATE', date.toISOString().slice(0, 10), date.toISOString().slice(0, 10))),
  fc.uint8Array().map((bytes) => {
    const text = Buffer.from(bytes).toString('base64');
    return sample('BYTES', text, text);
  }),
  fc.json().map((text) => sample('JSON', text, parseJson(text))),
  fc
    .tuple(fc.maxSafeInteger(), fc.nat({ max: 999_999_999 }))
    .map(([whole, part]) => `${whole}.${String(part).padStart(9, '0')}`)
    .map((text) => sample('NUMERIC', text, text.replace(/\.?0+$/, ''))),
);

const { any } = fc.letrec<{ any: Sample; record: Sample; list: Sample }>((tie) => ({
  any: fc.oneof({ maxDepth: 3 }, scalar, scalar, tie('record'), tie('list')),
  record: fc
    .array(fc.tuple(tie('any'), fc.boolean()), { minLength: 1, maxLength: 5 })
    .map((members) => members.map(([one, isNull], at) => ({ ...one, name: `m${at}`, isNull })))
    .map((members) => ({
      field: field('RECORD', { fields: members.map((one) => ({ ...one.field, name: one.name })) }),
      sent: { f: members.map((one) => ({ v: one.isNull ? null : one.sent })) },
      read: Object.fromEntries(
        members.map((one) => [one.name, !one.isNull ? one.read : one.field.mode === 'REPEATED' ? [] : null]),
      ),
    })),
  list: fc.tuple(scalar, fc.nat({ max: 4 })).map(([one, length]) => ({
    field: { ...one.field, mode: 'REPEATED' },
    sent: Array.from({ length }, () => ({ v: one.sent })),
    read: Array.from({ length }, () => one.read),
  })),
}));

describe('the decoder', () => {
  test('returns JSON of the same value, for every type and nesting', () => {
    fc.assert(
      fc.property(any, ({ field, sent, read }) => {
        expect(parseJson(buildDecodeCell(field)(sent) ?? 'undefined')).toEqual(read);
      }),
      { numRuns: 2000 },
    );
  });

  test('returns an integer with its exact digits, or rejects it', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (n) => {
        const decode = () => buildDecodeCell(field('INT64'))(String(n));
        const isSafe = n >= BigInt(Number.MIN_SAFE_INTEGER) && n <= BigInt(Number.MAX_SAFE_INTEGER);
        if (isSafe) expect(decode()).toBe(String(n));
        else expect(decode).toThrow('2^53');
      }),
    );
  });

  test('returns valid JSON or fails, whatever the input', () => {
    const types = [
      'INTEGER',
      'FLOAT',
      'NUMERIC',
      'BOOLEAN',
      'TIMESTAMP',
      'DATETIME',
      'TIME',
      'JSON',
      'STRING',
    ];
    fc.assert(
      fc.property(fc.constantFrom(...types), fc.anything(), (type, sent) => {
        try {
          const text = buildDecodeCell(field(type))(sent);
          if (text !== undefined) parseJson(text);
        } catch (error) {
          expect(error).toMatchObject({ name: 'GatewayError' });
        }
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ['INTEGER', '9007199254740991', '9007199254740991'],
    ['INTEGER', '-9007199254740991', '-9007199254740991'],
    ['FLOAT', '1.0E10', '10000000000'],
    ['FLOAT', '0.1', '0.1'],
    ['FLOAT', 'NaN', undefined],
    ['FLOAT', 'Infinity', undefined],
    ['FLOAT64', '-Infinity', undefined],
    ['FLOAT64', '+Inf', undefined],
    ['NUMERIC', '100', '"100"'],
    ['NUMERIC', '100.50', '"100.5"'],
    ['BIGNUMERIC', '-0.10', '"-0.1"'],
    ['TIMESTAMP', '-62135596800000000', '-62135596800000000'],
    ['TIMESTAMP', '2026-03-10 12:34:56.789012+00', '1773146096789012'],
    ['TIMESTAMP', '1969-12-31T23:59:59.999999Z', '-1'],
    ['DATETIME', '2026-03-10T12:34:56.500000', '"2026-03-10T12:34:56.5"'],
    ['DATETIME', '2026-03-10T12:30:00', '"2026-03-10T12:30:00"'],
    ['TIME', '12:34:56.000000', '"12:34:56"'],
    ['DATE', '2026-03-10', '"2026-03-10"'],
    ['BYTES', 'YWJj', '"YWJj"'],
    ['JSON', '{"a":[1,2.50]}', '{"a":[1,2.50]}'],
    ['STRING', 'a "b"\n', '"a \\"b\\"\\n"'],
    ['STRING', null, undefined],
  ])('%s %j is %s', (type, sent, expected) => {
    expect(buildDecodeCell(field(type))(sent)).toBe(expected);
  });

  test('leaves out NULLs and undeclared columns, whatever the order and the case of the names', () => {
    const query = draftQuery({
      columns: {
        here: 'string',
        absent: 'integer',
        list: '{ type: integer, repeated: true, description: Many. }',
      },
      sql: '',
    });
    const fields = [
      field('INTEGER', { name: 'list', mode: 'REPEATED' }),
      field('STRING', { name: 'secret' }),
      field('INTEGER', { name: 'absent' }),
      field('STRING', { name: 'Here' }),
    ];
    const decode = buildDecodeRow(query, fields);
    expect(decode({ f: [{ v: null }, { v: 's' }, { v: null }, { v: 'h' }] })).toBe('{"here":"h","list":[]}');
  });
});
