import { DuckDBInstance } from '@duckdb/node-api';
import {
  genericPlan,
  keepByteOrderMarks,
  macroDefinitions,
  registerHostFunctions,
  sessionSettings,
} from '@querygate/bigquery-sql/duckdb';
import { compileTree } from '@querygate/bigquery-sql/tree';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LargeIntegers } from '../../../../src/engine-contract/engine-errors.ts';
import { wireCell } from '../../../../src/engines/duckdb/wire/cell.ts';
import { rowTexts } from '../../../../src/engines/duckdb/wire/rows.ts';

const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();
beforeAll(async () => {
  keepByteOrderMarks();
  registerHostFunctions(connection);
  await connection.run([...sessionSettings, macroDefinitions()].join(';'));
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

/** The row of `SELECT value AS x`, as the gateway sends it. */
async function rowOf(value: string, large: LargeIntegers = 'fail'): Promise<string | undefined> {
  const sql = `select ${value} as x`;
  const { query, columns } = compileTree({ sql, source: { file: 'test.sql', line: 1 } }, []);
  const wired = columns.map(({ name, type }) => ({ name, type, required: false, ...wireCell(type, large) }));
  const result = await connection.run(genericPlan(query, wired, 1));
  const step = rowTexts(result, wired, 1).next();
  return Array.isArray(step.value) ? step.value[0] : undefined;
}

/** In a column, a record, a list and a list of records. */
const places = (value: string, text: string) => [
  [value, text],
  [`struct(${value} as v)`, `{"v":${text}}`],
  [`[${value}]`, `[${text}]`],
  [`[struct(${value} as v)]`, `[{"v":${text}}]`],
];

describe('extreme values', () => {
  test.each([
    ['BOOL', 'true', 'true'],
    ['BOOL', 'false', 'false'],
    ['INT64', '9007199254740991', '9007199254740991'],
    ['INT64', '-9007199254740991', '-9007199254740991'],
    ['NUMERIC', "numeric '0'", '"0"'],
    ['NUMERIC', "numeric '100.50'", '"100.5"'],
    ['NUMERIC', "numeric '0.000000001'", '"0.000000001"'],
    [
      'NUMERIC',
      "numeric '-99999999999999999999999999999.999999999'",
      '"-99999999999999999999999999999.999999999"',
    ],
    [
      'BIGNUMERIC',
      "bignumeric '578960446186580977117854925043439539266.34992332820282019728792003956564819967'",
      '"578960446186580977117854925043439539266.34992332820282019728792003956564819967"',
    ],
    [
      'BIGNUMERIC',
      "bignumeric '-578960446186580977117854925043439539266.34992332820282019728792003956564819968'",
      '"-578960446186580977117854925043439539266.34992332820282019728792003956564819968"',
    ],
    [
      'BIGNUMERIC',
      "bignumeric '0.00000000000000000000000000000000000001'",
      '"0.00000000000000000000000000000000000001"',
    ],
    ['STRING', "''", '""'],
    ['STRING', "'ü 👍 \\u2028'", JSON.stringify('ü 👍 \u2028')],
    ['STRING', "'\\ufeff'", '"\ufeff"'],
    ['BYTES', "b''", '""'],
    ['BYTES', "b'\\x00\\xff'", '"AP8="'],
    ['DATE', "date '0001-01-01'", '"0001-01-01"'],
    ['DATE', "date '9999-12-31'", '"9999-12-31"'],
    ['TIME', "time '00:00:00'", '"00:00:00"'],
    ['TIME', "time '12:00:00.500'", '"12:00:00.5"'],
    ['TIME', "time '23:59:59.999999'", '"23:59:59.999999"'],
    ['DATETIME', "datetime '0001-01-01 00:00:00'", '"0001-01-01T00:00:00"'],
    ['DATETIME', "datetime '9999-12-31 23:59:59.999999'", '"9999-12-31T23:59:59.999999"'],
    ['TIMESTAMP', "timestamp '0001-01-01 00:00:00+00'", '-62135596800000000'],
    ['TIMESTAMP', "timestamp '9999-12-31 23:59:59.999999+00'", '253402300799999999'],
    ['JSON', `json '{"a":[1,null],"b":12345678901234567890}'`, '{"a":[1,null],"b":12345678901234567890}'],
    ['JSON', `json '{"\\\\n":"\\\\u0000"}'`, '{"\\n":"\\u0000"}'],
  ])('%s: %s is the same text everywhere', async (_, value, text) => {
    for (const [nested = '', expected] of places(value, text))
      expect(await rowOf(nested), nested).toBe(`{"x":${expected}}`);
  });

  test.each([
    ['0.1', 0.1],
    ['-0.0', 0],
    ['1e21', 1e21],
    ['1.7976931348623157e308', Number.MAX_VALUE],
    ['-1.7976931348623157e308', -Number.MAX_VALUE],
    ['4.9406564584124654e-324', Number.MIN_VALUE],
  ])('FLOAT64: %s is the same number everywhere', async (value, number) => {
    for (const [nested = '', expected = ''] of places(`cast('${value}' as float64)`, String(number))) {
      const { x } = JSON.parse((await rowOf(nested)) ?? '');
      // Equal numbers, -0 and 0 among them.
      expect(JSON.stringify(x), nested).toBe(JSON.stringify(JSON.parse(expected)));
    }
  });

  test('STRING: every ASCII character is read back as it is', async () => {
    const characters = Array.from({ length: 127 }, (_, at) => String.fromCharCode(at + 1)).join('');
    const value = `code_points_to_string(generate_array(1, 127))`;
    expect(JSON.parse((await rowOf(value)) ?? '')).toEqual({ x: characters });
    expect(JSON.parse((await rowOf(`struct(${value} as v)`)) ?? '')).toEqual({ x: { v: characters } });
  });
});

describe('what JSON cannot express', () => {
  test.each(['nan', 'inf', '-inf'])('FLOAT64 %s is left out of a row, and null inside', async (text) => {
    const value = `cast('${text}' as float64)`;
    expect(await rowOf(value)).toBe('{}');
    expect(await rowOf(`struct(${value} as v)`)).toBe('{"x":{"v":null}}');
    expect(await rowOf(`[${value}, 1.5]`)).toBe('{"x":[null,1.5]}');
  });

  test.each(['9007199254740992', '-9007199254740992', '9223372036854775807', '-9223372036854775808'])(
    'INT64 %s fails a saved query, and is text for a caller',
    async (value) => {
      for (const [nested = '', text] of places(value, `"${value}"`)) {
        await expect(rowOf(nested), nested).rejects.toThrow('beyond 2^53');
        expect(await rowOf(nested, 'text'), nested).toBe(`{"x":${text}}`);
      }
    },
  );
});

describe('NULL', () => {
  test.each([
    'BOOL',
    'INT64',
    'FLOAT64',
    'NUMERIC',
    'BIGNUMERIC',
    'STRING',
    'BYTES',
    'DATE',
    'TIME',
    'DATETIME',
    'TIMESTAMP',
    'JSON',
  ])('of type %s is left out of a row, and null inside', async (type) => {
    const value = `cast(null as ${type})`;
    for (const large of ['fail', 'text'] as const) {
      expect(await rowOf(value, large)).toBe('{}');
      expect(await rowOf(`struct(${value} as v)`, large)).toBe('{"x":{"v":null}}');
      expect(await rowOf(`[struct(${value} as v)]`, large)).toBe('{"x":[{"v":null}]}');
      expect(await rowOf(`cast(null as array<${type}>)`, large)).toBe('{"x":[]}');
    }
  });

  test('of a record is left out; a list in a record is empty', async () => {
    expect(await rowOf('if(false, struct(1 as v), null)')).toBe('{}');
    expect(await rowOf('struct(cast(null as array<int64>) as v, if(false, struct(1 as w), null) as r)')).toBe(
      '{"x":{"v":[],"r":null}}',
    );
  });
});
