import { GatewayError } from '../../errors.ts';
import { type LargeIntegers, unsafeInteger } from '../../engine-contract/engine-errors.ts';
import { malformedResponse } from './api/api-errors.ts';
import type { WireField } from './api/wire.ts';
import { isRepeated } from './result-column.ts';

/** Converts a cell's value in BigQuery's JSON to the JSON text of a result; undefined for a value that is left out. */
type DecodeCell = (value: unknown) => string | undefined;

/**
 * The decoder of a field. It converts text to text, without intermediate values.
 *
 * @param large what becomes of integers that JSON numbers cannot represent
 * @throws GatewayError (the decoder) ENGINE_FAILED for an integer that JSON cannot represent; ENGINE_UNAVAILABLE for a
 *   cell that is not of its field's type
 * @see engine.ts `Rows` for the form of each type
 */
export function buildDecodeCell(field: WireField, large: LargeIntegers = 'fail'): DecodeCell {
  const decodeElement = buildDecodeElement(field, large);
  if (!isRepeated(field)) return decodeElement;
  return (value) => {
    // BigQuery has no NULL arrays: they are empty.
    if (value === null || value === undefined) return '[]';
    if (!Array.isArray(value)) throw malformedResponse(`${field.name} is not an array`);
    let text = '[';
    for (let at = 0; at < value.length; at += 1) {
      text += `${at === 0 ? '' : ','}${decodeElement(cellValue(value[at])) ?? 'null'}`;
    }
    return `${text}]`;
  };
}

/** The value in `{"v": …}`. */
export function cellValue(cell: unknown): unknown {
  if (typeof cell === 'object' && cell !== null && 'v' in cell) return cell.v;
  throw malformedResponse('a cell has no value');
}

/** The cells in `{"f": […]}`. */
export function rowCells(row: unknown, count: number): readonly unknown[] {
  const cells = typeof row === 'object' && row !== null && 'f' in row ? row.f : undefined;
  if (Array.isArray(cells) && cells.length === count) return cells;
  throw malformedResponse('a row does not have one cell for each field of the schema');
}

function buildDecodeElement({ type, name, fields = [] }: WireField, large: LargeIntegers): DecodeCell {
  if (type === 'RECORD' || type === 'STRUCT') return buildDecodeRecord(fields, large);
  const isInteger = type === 'INTEGER' || type === 'INT64';
  const decode = isInteger && large === 'text' ? decodeIntegerOrText : (decoders[type] ?? JSON.stringify);
  return (value) => {
    if (value === null || value === undefined) return undefined;
    // BigQuery writes every scalar as a string.
    if (typeof value !== 'string') throw malformedResponse(`${name} is not a string`);
    return decode(value);
  };
}

function buildDecodeRecord(fields: readonly WireField[], large: LargeIntegers): DecodeCell {
  const members = fields.map((field) => ({
    key: `${JSON.stringify(field.name)}:`,
    decode: buildDecodeCell(field, large),
  }));
  return (value) => {
    if (value === null || value === undefined) return undefined;
    const cells = rowCells(value, members.length);
    let text = '{';
    for (const [at, { key, decode }] of members.entries()) {
      text += `${at === 0 ? '' : ','}${key}${decode(cellValue(cells[at])) ?? 'null'}`;
    }
    return `${text}}`;
  };
}

const decoders: Readonly<Record<string, (text: string) => string | undefined>> = {
  INTEGER: decodeInteger,
  INT64: decodeInteger,
  FLOAT: decodeFloat,
  FLOAT64: decodeFloat,
  NUMERIC: decodeDecimal,
  BIGNUMERIC: decodeDecimal,
  BOOLEAN: decodeBoolean,
  BOOL: decodeBoolean,
  TIMESTAMP: decodeTimestamp,
  DATETIME: trimFraction,
  TIME: trimFraction,
  JSON: decodeJson,
};

function decodeInteger(text: string): string {
  if (isSafe(text)) return text;
  throw new GatewayError('ENGINE_FAILED', `The query failed: ${unsafeInteger}`);
}

const decodeIntegerOrText = (text: string): string => (isSafe(text) ? text : `"${text}"`);

function isSafe(integer: string): boolean {
  if (!/^-?(0|[1-9]\d{0,18})$/.test(integer)) throw malformedValue('integer', integer);
  // Up to 15 digits every integer is exact; only longer ones are converted.
  return integer.length <= 15 || Number.isSafeInteger(Number(integer));
}

/** JSON has neither infinities nor NaN: they are left out, as on DuckDB. */
function decodeFloat(text: string): string | undefined {
  // Most floats are JSON numbers already.
  if (/^-?(0|[1-9]\d{0,20})(\.\d+)?$/.test(text)) return text;
  const value = text === '' ? Number.NaN : Number(text);
  if (Number.isFinite(value)) return String(value);
  if (/^([+-]?inf(inity)?|nan)$/i.test(text)) return undefined;
  throw malformedValue('float', text);
}

function decodeDecimal(text: string): string {
  if (!/^-?\d+(\.\d+)?$/.test(text)) throw malformedValue('decimal', text);
  return `"${text.includes('.') ? text.replace(/\.?0+$/, '') : text}"`;
}

function decodeBoolean(text: string): string {
  if (text === 'true' || text === 'false') return text;
  throw malformedValue('boolean', text);
}

/** Requests ask for integers of microseconds; emulators send text for nested timestamps. */
function decodeTimestamp(text: string): string {
  if (/^-?(0|[1-9]\d{0,17})$/.test(text)) return text;
  const found = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(?:Z|\+00(?::00)?)$/.exec(text);
  const ms = found === null ? Number.NaN : Date.parse(`${found[1]}T${found[2]}Z`);
  if (Number.isNaN(ms)) throw malformedValue('timestamp', text);
  return String(BigInt(ms) * 1000n + BigInt((found?.[3] ?? '').padEnd(6, '0')));
}

/** Trailing zeros of fractional seconds are removed: `12:34:56.500000` becomes `12:34:56.5`. */
function trimFraction(text: string): string {
  return JSON.stringify(text.includes('.') ? text.replace(/\.?0+$/, '') : text);
}

function decodeJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    throw malformedValue('JSON value', text);
  }
  return text;
}

function malformedValue(type: string, text: string): GatewayError {
  return malformedResponse(`not a valid ${type}: ${JSON.stringify(text.slice(0, 100))}`);
}
