import {
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBIntervalValue,
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
import { bignumericScale, decimalText } from '../macros/host/decimals/decimal.ts';
import type { Cell } from './outcome.ts';

/** DuckDB's value in the form of a result. */
export function toCell(value: DuckDBValue, type: DuckDBType): Cell {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'bigint')
    return type.typeId === DuckDBTypeId.BIGNUM ? decimalText(value, bignumericScale) : String(value);
  if (typeof value === 'number') return toNumber(value, type);
  if (value instanceof DuckDBListValue) {
    const element = type.typeId === DuckDBTypeId.LIST ? type.valueType : type;
    return value.items.map((item) => toCell(item, element));
  }
  if (value instanceof DuckDBStructValue) {
    if (type.typeId !== DuckDBTypeId.STRUCT) return String(value);
    if (isRange(type)) return rangeText(value, type);
    // The object's own order would put names that are integers first.
    return type.entryNames.map((name, at) =>
      toCell(value.entries[name] ?? null, type.entryTypes[at] ?? type),
    );
  }
  if (value instanceof DuckDBDecimalValue) return decimalText(value.value, value.scale);
  if (value instanceof DuckDBBlobValue) return Buffer.from(value.bytes).toString('base64');
  if (value instanceof DuckDBDateValue) return dateText(BigInt(value.days));
  if (value instanceof DuckDBTimeValue) return timeText(value.micros);
  if (value instanceof DuckDBTimestampValue) return datetimeText(value.micros);
  if (value instanceof DuckDBTimestampTZValue) return `${datetimeText(value.micros)}Z`;
  if (value instanceof DuckDBIntervalValue) return intervalText(value);
  return String(value);
}

/** The fields of RANGE values, which no struct of BigQuery has. */
export const isRange = ({ entryNames }: DuckDBStructType): boolean =>
  entryNames.join() === '_range_start,_range_end';

/** `[start, end)`; an unbounded side is infinite in DuckDB. */
function rangeText({ entries }: DuckDBStructValue, { entryTypes }: DuckDBStructType): string {
  const [start, end] = [entries._range_start ?? null, entries._range_end ?? null].map((side, at) => {
    const type = entryTypes[at];
    return type === undefined || !isFiniteTime(side) ? 'UNBOUNDED' : String(toCell(side, type));
  });
  return `[${start}, ${end})`;
}

function isFiniteTime(value: DuckDBValue): boolean {
  return (
    (value instanceof DuckDBDateValue ||
      value instanceof DuckDBTimestampValue ||
      value instanceof DuckDBTimestampTZValue) &&
    value.isFinite
  );
}

function toNumber(value: number, { typeId }: DuckDBType): Cell {
  if (typeId !== DuckDBTypeId.DOUBLE && typeId !== DuckDBTypeId.FLOAT) return String(value);
  return Number.isFinite(value) ? value : String(value);
}

const [daySeconds, secondMicros] = [86_400n, 1_000_000n];
const dayMicros = daySeconds * secondMicros;

const pad = (part: bigint | number, width = 2) => String(part).padStart(width, '0');

/** @param days since 1970-01-01, from year 1 to 9999 */
function dateText(days: bigint): string {
  const date = new Date(Number(days) * Number(daySeconds) * 1000);
  return `${pad(date.getUTCFullYear(), 4)}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}`;
}

/** @param micros since 1970-01-01T00:00:00 */
function datetimeText(micros: bigint): string {
  const time = ((micros % dayMicros) + dayMicros) % dayMicros;
  return `${dateText((micros - time) / dayMicros)}T${timeText(time)}`;
}

/** @param micros since midnight */
function timeText(micros: bigint): string {
  const seconds = micros / secondMicros;
  return `${clock(seconds, pad)}.${pad(micros % secondMicros, 6)}`;
}

const clock = (seconds: bigint, formatHours: (hours: bigint) => string) =>
  [formatHours(seconds / 3600n), pad((seconds / 60n) % 60n), pad(seconds % 60n)].join(':');

/** BigQuery's text of an interval: `1-2 3 4:5:6.789`, each part with a sign of its own. */
function intervalText({ months, days, micros }: DuckDBIntervalValue): string {
  const [years, rest] = [Math.trunc(Math.abs(months) / 12), Math.abs(months) % 12];
  const size = micros < 0n ? -micros : micros;
  const seconds = size / secondMicros;
  const fraction = pad(size % secondMicros, 6).replace(/(000){1,2}$/, '');
  const time = [seconds / 3600n, (seconds / 60n) % 60n, seconds % 60n].join(':');
  return [
    `${months < 0 ? '-' : ''}${years}-${rest}`,
    String(days),
    `${micros < 0n ? '-' : ''}${time}${fraction === '' ? '' : `.${fraction}`}`,
  ].join(' ');
}
