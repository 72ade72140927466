import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import { inlineMacro } from '../../macros/inline-macro.ts';
import { ranges, withinRange } from './value-range.ts';

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
  if (instants.has(type.typeId)) return withinRange('TIMESTAMPTZ', `try_cast(${sql} AS TIMESTAMPTZ)`);
  const text = `CAST(${sql} AS VARCHAR)`;
  return `coalesce(${dateAndTime(text)}, ${epochText(text)}, ${namedZone(text)})`;
}

/** Date and time in UTC or with an offset. */
function dateAndTime(text: string): string {
  // The first character must be a digit: 'infinity' is rejected.
  const isDate = `${text} BETWEEN '0' AND ':' AND (${text} LIKE '____-%' OR ${text} LIKE '____/%')`;
  // DuckDB requires seconds and capitals, ISO 8601 does not.
  const withSeconds = `regexp_replace(upper(${text}), '^(\\S+[T ]\\d\\d:\\d\\d)(Z|[+-].*)?$', '\\1:00\\2')`;
  const parsed = `coalesce(${ofOffset(text)}, list_transform([${withSeconds}], lambda completed: ${ofOffset('completed')})[1])`;
  // Between these no offset leads out of the range, and no value has to be looked at.
  return `CASE WHEN ${isDate} THEN CASE WHEN ${text} BETWEEN '0001-01-03' AND '9999-12-30' THEN ${parsed}
    ELSE ${withinRange('TIMESTAMPTZ', parsed)} END END`;
}

/**
 * DuckDB's cast to TIMESTAMPTZ takes a text without a zone for one of the zone of an earlier row, the one to TIMESTAMP reads
 * no zone and leaves offsets out. A cast that fails is slow: which one it is, is known before.
 */
function ofOffset(text: string): string {
  const utc = (zoneless: string) => `make_timestamptz(epoch_us(try_cast(${zoneless} AS TIMESTAMP)))`;
  return `CASE WHEN strlen(${text}) <= 10 OR ends_with(${text}, 'Z') OR ends_with(${text}, 'UTC') THEN ${utc(text)}
    WHEN contains(${text}, '+') OR ${text} LIKE '____-_%-_% %:%-%' OR ${text} LIKE '____-_%-_%T%:%-%'
    THEN CASE WHEN try_cast(${text} AS TIMESTAMP) IS NOT NULL THEN try_cast(${text} AS TIMESTAMPTZ) END
    ELSE ${utc(`${text} || 'Z'`)} END`;
}

/** As CAST reads it: of a time that a zone has twice, DuckDB takes the other one. */
function namedZone(text: string): string {
  const dashed = `regexp_replace(rtrim(${text}), '^(\\d{4})/(\\d+)/', '\\1-\\2-')`;
  const completed = `regexp_replace(${dashed}, '([ tT]\\d{1,2}:\\d{1,2})( [A-Z].*)$', '\\1:00\\2')`;
  const cast = inlineMacro('bq.safe_cast_timestamp', ['completed']);
  return `CASE WHEN regexp_matches(${text}, '^\\d{4}[-/].*:.* [A-Z]')
    THEN list_transform([${completed}], lambda completed: ${cast})[1] END`;
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
  return `CASE WHEN CASE WHEN regexp_full_match(${text}, '\\d+') THEN year(${timestamp}) BETWEEN 1973 AND 2262
      WHEN starts_with(${text}, '-') THEN ${timestamp} >= ${ranges.TIMESTAMPTZ[0]} ELSE true END THEN ${timestamp} END`;
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
