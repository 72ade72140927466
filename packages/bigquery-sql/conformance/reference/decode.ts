import { canonicalJson, dateText, datetimeText, decimalText, floatText } from '../scalar-text.ts';
import { type ScalarType, scalar, type Value } from '../values.ts';

/** A value as the evaluator's protocol writes it, one key set: `int64_value`, `string_value`, … */
export type WireValue = Readonly<Record<string, unknown>>;

/** A type as the evaluator's protocol writes it. */
export interface WireType {
  readonly type_kind: string;
  readonly array_type?: { readonly element_type: WireType };
  readonly range_type?: { readonly element_type: WireType };
  readonly struct_type?: { readonly field?: readonly WireField[] };
}

interface WireField {
  readonly field_name?: string;
  readonly field_type: WireType;
}

/** Converts the evaluator's value for comparison. */
export function decode(wire: WireValue, type: WireType): Value {
  if (isNull(wire)) return null;
  switch (type.type_kind) {
    case 'TYPE_ARRAY':
      return decodeArray(wire, type);
    case 'TYPE_STRUCT':
      return decodeStruct(wire, type);
    case 'TYPE_RANGE':
      return decodeRange(wire, type);
    default:
      return decodeScalar(wire, type.type_kind);
  }
}

/** `[start, end)` */
function decodeRange(wire: WireValue, { range_type }: WireType): Value {
  const { start = {}, end = {} } = wire.range_value as { start?: WireValue; end?: WireValue };
  const sides = [start, end].map((side) => {
    const value = range_type && decode(side, range_type.element_type);
    return value && 'text' in value ? value.text : 'UNBOUNDED';
  });
  return scalar('RANGE', `[${sides.join(', ')})`);
}

/** The type in BigQuery's syntax. */
export function typeText({ type_kind, array_type, struct_type, range_type }: WireType): string {
  if (array_type) return `ARRAY<${typeText(array_type.element_type)}>`;
  if (range_type) return `RANGE<${typeText(range_type.element_type)}>`;
  if (type_kind === 'TYPE_STRUCT') {
    const fields = struct_type?.field ?? [];
    return `STRUCT<${fields.map(({ field_name = '', field_type }) => `${quoted(field_name)}${typeText(field_type)}`).join(', ')}>`;
  }
  return type_kind.replace(/^TYPE_/, '').replace(/^DOUBLE$/, 'FLOAT64');
}

const quoted = (name: string) => (name === '' ? '' : /^[a-z_]\w*$/i.test(name) ? `${name} ` : `\`${name}\` `);

const isNull = (wire: WireValue) => wire.value === undefined;

function decodeArray(wire: WireValue, type: WireType): Value {
  const { element = [] } = wire.array_value as { element?: WireValue[] };
  const elementType = type.array_type?.element_type ?? { type_kind: 'TYPE_UNKNOWN' };
  return { type: 'ARRAY', items: element.map((item) => decode(item, elementType)) };
}

function decodeStruct(wire: WireValue, type: WireType): Value {
  const { field = [] } = wire.struct_value as { field?: WireValue[] };
  const types = type.struct_type?.field ?? [];
  return {
    type: 'STRUCT',
    fields: types.map(({ field_name = '', field_type }, at) => ({
      name: field_name,
      value: decode(field[at] ?? {}, field_type),
    })),
  };
}

function decodeScalar(wire: WireValue, kind: string): Value {
  const content = wire[String(wire.value)];
  switch (kind) {
    case 'TYPE_INT64':
      return scalar('INT64', String(content));
    case 'TYPE_DOUBLE':
      return scalar('FLOAT64', floatText(Number(content)));
    case 'TYPE_STRING':
      return scalar('STRING', String(content));
    case 'TYPE_BOOL':
      return scalar('BOOL', String(content));
    case 'TYPE_BYTES':
      return scalar('BYTES', (content as Buffer).toString('hex'));
    case 'TYPE_NUMERIC':
      return scalar('NUMERIC', decimalText(littleEndian(content as Buffer), 9));
    case 'TYPE_BIGNUMERIC':
      return scalar('BIGNUMERIC', decimalText(littleEndian(content as Buffer), 38));
    case 'TYPE_DATE':
      return scalar('DATE', dateText(Number(content)));
    case 'TYPE_TIME':
      return scalar('TIME', timeText(BigInt(String(content))));
    case 'TYPE_DATETIME':
      return scalar('DATETIME', civilText(content as WireInstant));
    case 'TYPE_TIMESTAMP':
      return scalar('TIMESTAMP', timestampText(content as WireInstant));
    case 'TYPE_JSON':
      return scalar('JSON', canonicalJson(String(content)));
    case 'TYPE_INTERVAL':
      return scalar('INTERVAL', intervalText(content as Buffer));
    default:
      return scalar('FOREIGN' satisfies ScalarType, `${kind} ${String(content)}`);
  }
}

interface WireInstant {
  readonly seconds?: string;
  readonly bit_field_datetime_seconds?: string;
  readonly nanos?: number;
}

/** Two's complement, lowest byte first, as many bytes as the value needs. */
function littleEndian(bytes: Buffer): bigint {
  const magnitude = [...bytes].reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  return BigInt.asIntN(bytes.length * 8, magnitude);
}

const timestampText = ({ seconds = '0', nanos = 0 }: WireInstant) =>
  datetimeText(BigInt(seconds) * 1_000_000n + BigInt(nanos) / 1000n);

/** Bit fields: year from 26, month 22, day 17, hour 12, minute 6, second 0. */
function civilText({ bit_field_datetime_seconds: bits = '0', nanos = 0 }: WireInstant): string {
  const field = fieldsOf(BigInt(bits));
  const date = [pad(field(26, 14), 4), pad(field(22, 4)), pad(field(17, 5))].join('-');
  return `${date}T${clock(field(12, 5), field(6, 6), field(0, 6))}.${micros(nanos)}`;
}

/** Bit fields: hour from 42, minute 36, second 30, nanosecond 0. */
function timeText(bits: bigint): string {
  const field = fieldsOf(bits);
  return `${clock(field(42, 5), field(36, 6), field(30, 6))}.${micros(field(0, 30))}`;
}

const fieldsOf = (bits: bigint) => (from: number, width: number) =>
  Number((bits >> BigInt(from)) & ((1n << BigInt(width)) - 1n));

const micros = (nanos: number) => pad(Math.floor(nanos / 1000), 6);

const clock = (...parts: number[]) => parts.map((part) => pad(part)).join(':');

const pad = (part: number, width = 2) => String(part).padStart(width, '0');

/** 8 bytes of microseconds, 4 of days, 4 of months: a sign bit, 18 bits of months, nanoseconds below. */
function intervalText(bytes: Buffer): string {
  const packed = bytes.readUInt32LE(12);
  const months = ((packed >>> 13) & 0x3ffff) * (packed >>> 31 === 1 ? -1 : 1);
  return `${months} months ${bytes.readInt32LE(8)} days ${bytes.readBigInt64LE(0)} microseconds`;
}
