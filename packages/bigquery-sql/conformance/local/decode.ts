import {
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBIntervalValue,
  type DuckDBListType,
  DuckDBListValue,
  type DuckDBStructType,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeValue,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
} from '@duckdb/node-api';
import { isRange, toCell } from '../../src/duckdb/result-cell.ts';
import { canonicalJson, clockText, dateText, datetimeText, decimalText, floatText } from '../scalar-text.ts';
import { scalar, type Value } from '../values.ts';

/** Converts DuckDB's value for comparison. Types that BigQuery does not have become FOREIGN. */
export function decode(value: DuckDBValue, type: DuckDBType): Value {
  if (value === null) return null;
  if (value instanceof DuckDBListValue) {
    const { valueType } = type as DuckDBListType;
    return { type: 'ARRAY', items: value.items.map((item) => decode(item, valueType)) };
  }
  if (value instanceof DuckDBStructValue) {
    const structType = type as DuckDBStructType;
    if (isRange(structType)) {
      const text = String(toCell(value, type));
      return scalar('RANGE', text.replaceAll(/(?<=[\d])Z(?=[,)])/g, ''));
    }
    const { entryTypes } = structType;
    const entries = Object.entries(value.entries);
    return {
      type: 'STRUCT',
      fields: entries.map(([name, field], at) => ({ name, value: decode(field, entryTypes[at] ?? type) })),
    };
  }
  return decodeScalar(value, type) ?? scalar('FOREIGN', `${type} ${value}`);
}

function decodeScalar(value: DuckDBValue, type: DuckDBType): Value | undefined {
  if (typeof value === 'string') return textOf(value, type);
  if (typeof value === 'boolean') return scalar('BOOL', String(value));
  if (typeof value === 'bigint')
    return type.typeId === DuckDBTypeId.BIGNUM
      ? scalar('BIGNUMERIC', decimalText(value, 38))
      : scalar('INT64', String(value));
  if (typeof value === 'number') return numberOf(value, type);
  if (value instanceof DuckDBDecimalValue) return scalar('NUMERIC', decimalText(value.value, value.scale));
  if (value instanceof DuckDBBlobValue) return scalar('BYTES', Buffer.from(value.bytes).toString('hex'));
  if (value instanceof DuckDBDateValue) return scalar('DATE', dateText(value.days));
  if (value instanceof DuckDBTimeValue) return scalar('TIME', clockText(value.micros));
  if (value instanceof DuckDBTimestampValue) return scalar('DATETIME', datetimeText(value.micros));
  if (value instanceof DuckDBTimestampTZValue) return scalar('TIMESTAMP', datetimeText(value.micros));
  if (value instanceof DuckDBIntervalValue) {
    const { months, days, micros } = value;
    return scalar('INTERVAL', `${months} months ${days} days ${micros} microseconds`);
  }
  return undefined;
}

const textOf = (text: string, type: DuckDBType) =>
  type.alias === 'JSON' ? scalar('JSON', canonicalJson(text)) : scalar('STRING', text);

const numberOf = (value: number, { typeId }: DuckDBType) =>
  typeId === DuckDBTypeId.DOUBLE || typeId === DuckDBTypeId.FLOAT
    ? scalar('FLOAT64', floatText(value))
    : scalar('INT64', String(value));
