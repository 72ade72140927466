import { decimalUnits } from '@querygate/text';
import type { Field } from '../../src/table-schema.ts';
import type { Table } from '../table.ts';

/** A value with its type as the evaluator's protocol writes it: that of a table's field. */
export const encodeParameter = (field: Field, content: unknown): { type: object; value: object } => ({
  type: typeOf(field),
  value: encodeField(field, content),
});

/** The table as the evaluator's protocol writes it. */
export function encodeTable({ name, fields, rows }: Table): { schema: object; content: object } {
  return {
    schema: { name, column: fields.map((field) => ({ name: field.name, type: typeOf(field) })) },
    content: { table_data: { row: rows.map((row) => ({ cell: cellsOf(fields, row) })) } },
  };
}

function typeOf(field: Field): object {
  const type = field.fields === undefined ? { type_kind: kindOf[field.type] } : structOf(field.fields);
  return field.mode === 'REPEATED' ? { type_kind: 'TYPE_ARRAY', array_type: { element_type: type } } : type;
}

const structOf = (fields: readonly Field[]) => ({
  type_kind: 'TYPE_STRUCT',
  struct_type: { field: fields.map((field) => ({ field_name: field.name, field_type: typeOf(field) })) },
});

const kindOf: Readonly<Record<Field['type'], string>> = {
  STRING: 'TYPE_STRING',
  BYTES: 'TYPE_BYTES',
  INTEGER: 'TYPE_INT64',
  INT64: 'TYPE_INT64',
  FLOAT: 'TYPE_DOUBLE',
  FLOAT64: 'TYPE_DOUBLE',
  NUMERIC: 'TYPE_NUMERIC',
  BIGNUMERIC: 'TYPE_BIGNUMERIC',
  BOOLEAN: 'TYPE_BOOL',
  BOOL: 'TYPE_BOOL',
  TIMESTAMP: 'TYPE_TIMESTAMP',
  DATE: 'TYPE_DATE',
  TIME: 'TYPE_TIME',
  DATETIME: 'TYPE_DATETIME',
  JSON: 'TYPE_JSON',
  RECORD: 'TYPE_STRUCT',
  STRUCT: 'TYPE_STRUCT',
};

const cellsOf = (fields: readonly Field[], row: object) =>
  fields.map((field) => encodeField(field, (row as Record<string, unknown>)[field.name]));

function encodeField(field: Field, content: unknown): object {
  if (field.mode !== 'REPEATED') return encodeOne(field, content);
  const items = (content ?? []) as readonly unknown[];
  return { array_value: { element: items.map((item) => encodeOne(field, item)) } };
}

function encodeOne(field: Field, content: unknown): object {
  if (content === undefined || content === null) return {};
  if (field.fields !== undefined)
    return { struct_value: { field: cellsOf(field.fields, content as object) } };
  const encode = encoders[field.type];
  if (encode === undefined) throw new Error(`${field.name}: no fixture holds ${field.type} yet`);
  return encode(content);
}

const encoders: Readonly<Partial<Record<Field['type'], (content: unknown) => object>>> = {
  STRING: (content) => ({ string_value: String(content) }),
  BYTES: (content) => ({ bytes_value: Buffer.from(String(content), 'base64') }),
  INTEGER: (content) => ({ int64_value: String(content) }),
  INT64: (content) => ({ int64_value: String(content) }),
  FLOAT: (content) => ({ double_value: Number(content) }),
  FLOAT64: (content) => ({ double_value: Number(content) }),
  NUMERIC: (content) => ({ numeric_value: littleEndian(decimalUnits(String(content), 9)) }),
  BIGNUMERIC: (content) => ({ bignumeric_value: littleEndian(decimalUnits(String(content), 38)) }),
  BOOLEAN: (content) => ({ bool_value: String(content) === 'true' }),
  BOOL: (content) => ({ bool_value: String(content) === 'true' }),
  DATE: (content) => ({ date_value: Date.parse(`${String(content)}T00:00:00Z`) / 86_400_000 }),
  TIME: (content) => ({ time_value: String(clockBits(String(content), 30n)) }),
  DATETIME: (content) => ({ datetime_value: civilOf(String(content)) }),
  TIMESTAMP: (content) => ({ timestamp_value: instantOf(String(content)) }),
  JSON: (content) => ({ json_value: JSON.stringify(content) }),
};

/** Two's complement, lowest byte first. */
function littleEndian(value: bigint): Buffer {
  const bytes = Buffer.alloc(33);
  for (const at of bytes.keys()) bytes[at] = Number(BigInt.asUintN(8, value >> BigInt(8 * at)));
  // The evaluator refuses more bytes than a value needs.
  let end = bytes.length;
  while (end > 1 && BigInt.asIntN(8 * (end - 1), value) === value) end -= 1;
  return bytes.subarray(0, end);
}

/** `HH:MM:SS.ffffff` as bit fields: hour, minute and second above `shift` bits of nanoseconds. */
function clockBits(text: string, shift: bigint): bigint {
  const [, hour = '0', minute = '0', second = '0', fraction = ''] =
    /^(\d+):(\d+):(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const seconds = (BigInt(hour) << 12n) | (BigInt(minute) << 6n) | BigInt(second);
  return shift === 0n ? seconds : (seconds << shift) | BigInt(fraction.padEnd(9, '0'));
}

/** `YYYY-MM-DDTHH:MM:SS.ffffff` as bit fields of date and time, and nanoseconds. */
function civilOf(text: string): object {
  const [, year = '', month = '', day = '', clock = '', fraction = ''] =
    /^(\d+)-(\d+)-(\d+)T([\d:]+)(?:\.(\d+))?$/.exec(text) ?? [];
  const date = (BigInt(year) << 26n) | (BigInt(month) << 22n) | (BigInt(day) << 17n);
  return {
    bit_field_datetime_seconds: String(date | clockBits(clock, 0n)),
    nanos: Number(fraction.padEnd(9, '0')),
  };
}

/** ISO 8601 in UTC, up to microseconds. */
function instantOf(text: string): object {
  const [, seconds = '', fraction = ''] = /^(.{19})(?:\.(\d+))?Z$/.exec(text) ?? [];
  return { seconds: String(Date.parse(`${seconds}Z`) / 1000), nanos: Number(fraction.padEnd(9, '0')) };
}
