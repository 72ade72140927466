import type { RecordField, SavedQuery } from '../catalog/model/saved-query.ts';
import { GatewayError } from '../errors.ts';
import type { Rows } from './engine.ts';
import { missingRequiredColumn, unsafeInteger } from './engine-errors.ts';

/**
 * The result of a query from values of JavaScript, each in the JSON form of its column's type. A timestamp may be a Date, a
 * text of ISO 8601 or an integer of microseconds; bytes an Uint8Array or base64; a list, a record or JSON may be JSON text;
 * an integer may be a bigint, and a boolean 0 or 1. Not more than max rows are read.
 *
 * @throws GatewayError ENGINE_FAILED if a value does not fit the type of its column
 */
export function rowsOf(
  { columns, maxRows }: Pick<SavedQuery, 'columns' | 'maxRows'>,
  values: Iterable<Readonly<Record<string, unknown>>>,
): Rows {
  const rows: string[] = [];
  for (const value of values) {
    if (rows.length === maxRows) return { rows, truncated: true };
    const cells = columns.map((column) => {
      const cell = cellOf(column, value[column.name]);
      if (cell === null && column.required) throw missingRequiredColumn(column.name);
      return [column.name, cell ?? undefined];
    });
    rows.push(JSON.stringify(Object.fromEntries(cells)));
  }
  return { rows, truncated: false };
}

/** @returns null for NULL */
function cellOf(field: RecordField, value: unknown): unknown {
  if (field.repeated) {
    const list = value ?? [];
    const items: unknown = typeof list === 'string' ? jsonOf(field, list) : list;
    if (!Array.isArray(items)) throw wrongValue(field);
    return items.map((item) => scalarOf(field, item));
  }
  return scalarOf(field, value);
}

function scalarOf(field: RecordField, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  switch (field.type) {
    case 'string':
      return String(value);
    case 'integer':
      return integerOf(field, value);
    case 'float':
      return Number.isFinite(Number(value)) ? Number(value) : null;
    case 'numeric':
      return String(value)
        .replace(/(\.\d*?)0+$/, '$1')
        .replace(/\.$/, '');
    case 'boolean':
      return value === true || value === 'true' || Number(value) === 1;
    case 'timestamp':
      return microsecondsOf(field, value);
    case 'datetime':
      return localText(value, 0).replace(' ', 'T');
    case 'date':
      return localText(value, 0).slice(0, 10);
    case 'time':
      return localText(value, value instanceof Date ? 11 : 0);
    case 'bytes':
      return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : String(value);
    case 'json':
      return typeof value === 'string' ? jsonOf(field, value) : value;
    case 'record':
      return recordOf(field, typeof value === 'string' ? jsonOf(field, value) : value);
  }
}

function integerOf(field: RecordField, value: unknown): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  if (!Number.isInteger(number)) throw wrongValue(field);
  throw new GatewayError('ENGINE_FAILED', `The query failed: ${field.name}: ${unsafeInteger}`);
}

function microsecondsOf(field: RecordField, value: unknown): number {
  if (value instanceof Date) return value.getTime() * 1000;
  if (typeof value !== 'string') return integerOf(field, value);
  const [, second = value, fraction = '', zone = 'Z'] =
    /^(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2})(?:\.(\d{1,6})\d*)?(Z|[+-]\d{2}(?::?\d{2})?)?$/i.exec(value) ??
    [];
  const milliseconds = Date.parse(
    `${second.replace(' ', 'T')}${/^[+-]\d{2}$/.test(zone) ? `${zone}:00` : zone}`,
  );
  if (Number.isNaN(milliseconds)) throw wrongValue(field);
  return milliseconds * 1000 + Number(fraction.padEnd(6, '0'));
}

/** Without a zone, and without zeros at the end of a fraction. */
const localText = (value: unknown, start: number): string =>
  (value instanceof Date ? value.toISOString().slice(start, -1) : String(value))
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');

function recordOf(field: RecordField, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) throw wrongValue(field);
  if (field.fields === undefined) return value;
  const members = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(field.fields.map((inner) => [inner.name, cellOf(inner, members[inner.name])]));
}

function jsonOf(field: RecordField, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw wrongValue(field);
  }
}

const wrongValue = ({ name, type, repeated }: RecordField): GatewayError =>
  new GatewayError(
    'ENGINE_FAILED',
    `The query failed: ${name} is not ${repeated ? 'a list of ' : ''}${type}`,
  );
