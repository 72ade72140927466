import type { Field } from '@querygate/bigquery-sql/table-schema';
import { parseTimestamp } from '../../files/timestamps.ts';

const typeNames: Readonly<Partial<Record<Field['type'], string>>> = {
  INTEGER: 'INT64',
  FLOAT: 'FLOAT64',
  BOOLEAN: 'BOOL',
};

/** The type of a field in SQL. */
export function fieldType(field: Field): string {
  const element = field.fields
    ? `STRUCT<${field.fields.map((inner) => `${quoteName(inner.name)} ${fieldType(inner)}`).join(', ')}>`
    : (typeNames[field.type] ?? field.type);
  return field.mode === 'REPEATED' ? `ARRAY<${element}>` : element;
}

export const quoteName = (name: string): string =>
  `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;

/** A value of a row, as NDJSON has it, as a literal of the field's type. */
export function fieldLiteral(field: Field, value: unknown): string {
  if (field.mode === 'REPEATED') {
    const items = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
    return `${fieldType(field)}[${items.map((item) => scalarLiteral(field, item)).join(', ')}]`;
  }
  return scalarLiteral(field, value);
}

function scalarLiteral(field: Field, value: unknown): string {
  const type = fieldType({ ...field, mode: 'NULLABLE' });
  if (value === undefined || value === null) return `CAST(NULL AS ${type})`;
  if (field.fields) {
    const record = value as Readonly<Record<string, unknown>>;
    return `${type}(${field.fields.map((inner) => fieldLiteral(inner, memberOf(record, inner.name))).join(', ')})`;
  }
  if (type === 'JSON') return `PARSE_JSON(${quoteText(JSON.stringify(value))})`;
  const text =
    typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value);
  switch (type) {
    case 'STRING':
      return quoteText(text);
    case 'BYTES':
      return `FROM_BASE64(${quoteText(text)})`;
    case 'TIMESTAMP':
      return `TIMESTAMP ${quoteText(momentText(text))}`;
    case 'INT64':
      return `CAST(${quoteText(text)} AS INT64)`;
    default:
      return `CAST(${quoteText(text)} AS ${type})`;
  }
}

/** Names of fields are not case-sensitive. */
export function memberOf(record: Readonly<Record<string, unknown>>, name: string): unknown {
  if (name in record) return record[name];
  const key = Object.keys(record).find((one) => one.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : record[key];
}

const digitUnits: readonly (readonly [digits: number, perSecond: number])[] = [
  [11, 1],
  [14, 1_000],
  [17, 1_000_000],
  [20, 1_000_000_000],
];

/** ISO 8601, or digits that count a part of a second, as the local import takes them. */
function momentText(text: string): string {
  if (/^\d+$/.test(text)) {
    const [, perSecond] = digitUnits.find(([digits]) => text.length < digits) ?? [0, 1_000_000_000];
    const micros = (BigInt(text) * 1_000_000n) / BigInt(perSecond);
    const seconds = new Date(Number(micros / 1000n)).toISOString().slice(0, 19);
    return `${seconds}.${String(micros % 1_000_000n).padStart(6, '0')}Z`;
  }
  return parseTimestamp(text.replace(' ', 'T')) ?? text;
}

export const quoteText = (text: string): string =>
  `'${text
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "\\'")
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replace(/\p{Cc}/gu, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`)}'`;
