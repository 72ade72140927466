import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';

const instants: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.TIMESTAMP,
  DuckDBTypeId.TIMESTAMP_TZ,
  DuckDBTypeId.TIMESTAMP_S,
  DuckDBTypeId.TIMESTAMP_MS,
  DuckDBTypeId.TIMESTAMP_NS,
  DuckDBTypeId.DATE,
]);

/**
 * SQL of a TIMESTAMP, NULL for a value that is not one. Accepts text as ISO 8601 or as BigQuery exports it (`2026-11-20
 * 10:00:00.123456 UTC`), UTC if it names no zone, and numbers since the epoch, also as text.
 */
export function timestampValue({ sql, type }: { readonly sql: string; readonly type: DuckDBType }): string {
  if (instants.has(type.typeId)) return `CAST(${sql} AS TIMESTAMPTZ)`;
  const text = `CAST(${sql} AS VARCHAR)`;
  // DuckDB requires seconds and capitals, ISO 8601 does not. The first character must be a digit: 'infinity' is rejected.
  const withSeconds = `regexp_replace(upper(${text}), '^(\\S+[T ]\\d\\d:\\d\\d)(Z|[+-].*)?$', '\\1:00\\2')`;
  const parsed = `CASE WHEN ${text} BETWEEN '0' AND ':' THEN coalesce(try_cast(${text} AS TIMESTAMPTZ), try_cast(${withSeconds} AS TIMESTAMPTZ)) END`;
  return `coalesce(${parsed}, ${epochText(text)})`;
}

/**
 * The unit of a number since the epoch follows from its size. Digits alone may be something else, such as `20261120`:
 * they must give a time from 1973 (nine digits of seconds) to 2262 (where 64 bits of nanoseconds end).
 */
function epochText(text: string): string {
  // DuckDB casts a text to DECIMAL in 15 µs, to BIGINT five hundred times faster.
  const isInteger = `regexp_full_match(${text}, '-?\\d+')`;
  const timestamp = `CASE WHEN ${isInteger} THEN ${epochTimestamp(`try_cast(${text} AS BIGINT)`)}
    ELSE ${epochTimestamp(`try_cast(${text} AS DECIMAL(38, 6))`)} END`;
  return `CASE WHEN NOT regexp_full_match(${text}, '\\d+') OR year(${timestamp}) BETWEEN 1973 AND 2262 THEN ${timestamp} END`;
}

function epochTimestamp(number: string): string {
  const within = (limit: string) => `${number} > -${limit} AND ${number} < ${limit}`;
  const micros = `CASE
    WHEN ${within('100000000000')} THEN ${number} * 1000000
    WHEN ${within('100000000000000')} THEN ${number} * 1000
    WHEN ${within('100000000000000000')} THEN ${number}
    ELSE ${number} / 1000 END`;
  return `make_timestamptz(try_cast(${micros} AS BIGINT))`;
}
