import { GatewayError } from '../../errors.ts';
import { unsafeInteger } from '../refused-rows.ts';
import { unreadable } from './api/malformed-response.ts';
import type { WireField } from './api/wire.ts';
import { isRepeated } from './check-columns.ts';

/** Gives a cell's value, as BigQuery's JSON has it, as JSON text of our wire; undefined where there is none to tell. */
export type DecodeCell = (value: unknown) => string | undefined;

/**
 * The decoder of a field. It goes straight from BigQuery's texts to ours, without making values in between.
 *
 * @throws GatewayError (the decoder) ENGINE_FAILED where an integer outgrows JSON; ENGINE_UNAVAILABLE where a cell is
 *   not of its field's type
 * @see engine.ts `Rows` for the forms
 */
export function buildDecodeCell(field: WireField): DecodeCell {
  const one = buildDecodeOne(field);
  if (!isRepeated(field)) return one;
  return (value) => {
    // BigQuery knows no NULL array: it is told as an empty one.
    if (value === null || value === undefined) return '[]';
    if (!Array.isArray(value)) throw unreadable(`${field.name} is no array`);
    let text = '[';
    for (let at = 0; at < value.length; at += 1) {
      text += `${at === 0 ? '' : ','}${one(cellValue(value[at])) ?? 'null'}`;
    }
    return `${text}]`;
  };
}

/** The value in `{"v": …}`. */
export function cellValue(cell: unknown): unknown {
  if (typeof cell === 'object' && cell !== null && 'v' in cell) return cell.v;
  throw unreadable('a cell has no value');
}

/** The cells in `{"f": […]}`. */
export function rowCells(row: unknown, count: number): readonly unknown[] {
  const cells = typeof row === 'object' && row !== null && 'f' in row ? row.f : undefined;
  if (Array.isArray(cells) && cells.length === count) return cells;
  throw unreadable('a row has not as many cells as its schema');
}

function buildDecodeOne({ type, name, fields = [] }: WireField): DecodeCell {
  if (type === 'RECORD' || type === 'STRUCT') return buildDecodeRecord(fields);
  const decode = decoders[type] ?? JSON.stringify;
  return (value) => {
    if (value === null || value === undefined) return undefined;
    // BigQuery writes every scalar as a string.
    if (typeof value !== 'string') throw unreadable(`${name} is no text`);
    return decode(value);
  };
}

function buildDecodeRecord(fields: readonly WireField[]): DecodeCell {
  const members = fields.map((field) => ({
    key: `${JSON.stringify(field.name)}:`,
    decode: buildDecodeCell(field),
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
  INTEGER: integer,
  INT64: integer,
  FLOAT: float,
  FLOAT64: float,
  NUMERIC: decimal,
  BIGNUMERIC: decimal,
  BOOLEAN: boolean,
  BOOL: boolean,
  TIMESTAMP: timestamp,
  DATETIME: withShortFraction,
  TIME: withShortFraction,
  JSON: json,
};

function integer(text: string): string {
  if (!/^-?(0|[1-9]\d{0,18})$/.test(text)) throw unreadable('an integer is none');
  // Up to 15 digits every integer is exact; longer ones are asked.
  if (text.length <= 15 || Number.isSafeInteger(Number(text))) return text;
  throw new GatewayError('ENGINE_FAILED', `The query failed: ${unsafeInteger}`);
}

/** JSON has neither infinities nor NaN: they are left out, as the other engine does. */
function float(text: string): string | undefined {
  // Most floats are JSON numbers as they stand.
  if (/^-?(0|[1-9]\d{0,20})(\.\d+)?$/.test(text)) return text;
  const value = text === '' ? Number.NaN : Number(text);
  if (Number.isFinite(value)) return String(value);
  if (/^([+-]?inf(inity)?|nan)$/i.test(text)) return undefined;
  throw unreadable('a float is none');
}

function decimal(text: string): string {
  if (!/^-?\d+(\.\d+)?$/.test(text)) throw unreadable('a decimal is none');
  return `"${text.includes('.') ? text.replace(/\.?0+$/, '') : text}"`;
}

function boolean(text: string): string {
  if (text === 'true' || text === 'false') return text;
  throw unreadable('a boolean is none');
}

/** Integers of microseconds, as we ask for them; emulators give text where a timestamp is nested. */
function timestamp(text: string): string {
  if (/^-?(0|[1-9]\d{0,17})$/.test(text)) return text;
  const found = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(?:Z|\+00(?::00)?)$/.exec(text);
  const ms = found === null ? Number.NaN : Date.parse(`${found[1]}T${found[2]}Z`);
  if (Number.isNaN(ms)) throw unreadable('a timestamp is none');
  return String(BigInt(ms) * 1000n + BigInt((found?.[3] ?? '').padEnd(6, '0')));
}

/** `12:34:56.500000` and `12:34:56.5` are one time; the shorter is ours. */
function withShortFraction(text: string): string {
  return JSON.stringify(text.includes('.') ? text.replace(/\.?0+$/, '') : text);
}

function json(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    throw unreadable('a JSON value is none');
  }
  return text;
}
