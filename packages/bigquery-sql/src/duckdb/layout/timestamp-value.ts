import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import { macros } from '../../macros/macros.ts';
import { fieldSql, parameterSql } from './reserved-name.ts';
import { withinRange } from './value-range.ts';

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
  const others = `coalesce(${dateAndTime(text)}, ${namedZone(text)}, ${epochText(text)})`;
  // DuckDB reads 24:00 as the next day.
  return `coalesce(${usual(text)}, CASE WHEN NOT regexp_matches(${text}, '^\\S+[Tt ]24') THEN ${others} END)`;
}

const utc = (text: string) => `make_timestamptz(epoch_us(try_cast(${text} AS TIMESTAMP)))`;
/** BigQuery has zones of at most 14 hours. DuckDB's cast to TIMESTAMP leaves offsets out. */
const withOffset = (text: string) => {
  const moment = `try_cast(${text} AS TIMESTAMPTZ)`;
  const isZoned = `abs(epoch_us(try_cast(${text} AS TIMESTAMP)) - epoch_us(${moment})) <= 50400000000`;
  return `CASE WHEN ${isZoned} THEN ${moment} END`;
};
const isUtc = (text: string) => `ends_with(${text}, 'Z') OR ends_with(${text}, 'UTC')`;

/**
 * Most texts, with few tests: none of a year from which an offset leads out of the range. DuckDB's cast to TIMESTAMPTZ takes
 * a text without a zone for one of the zone of an earlier row, and one that fails is slow.
 */
function usual(text: string): string {
  const hasOffset = `contains(${text}, '+') OR ${text} LIKE '____-__-__%-%'`;
  return `CASE WHEN ${text} BETWEEN '0001-01-03' AND '9999-12-30' AND ${text} LIKE '____-__-__%'
    AND substr(${text}, 12, 2) <> '24' THEN CASE
    WHEN ${isUtc(text)} OR strlen(${text}) = 10 THEN ${utc(text)}
    WHEN ${hasOffset} THEN ${withOffset(text)} ELSE ${utc(`${text} || 'Z'`)} END END`;
}

/** Date and time in UTC or with an offset. DuckDB requires seconds and capitals, ISO 8601 does not. */
function dateAndTime(text: string): string {
  // The first character must be a digit: 'infinity' is rejected.
  const isDate = `${text} BETWEEN '0' AND ':' AND (${text} LIKE '____-%' OR ${text} LIKE '____/%')`;
  const withSeconds = `regexp_replace(upper(${text}), '^(\\S+[T ]\\d\\d:\\d\\d)(Z|[+-].*)?$', '\\1:00\\2')`;
  const parsed = (
    t: string,
  ) => `CASE WHEN regexp_matches(${t}, ':\\d{1,2}(\\.\\d*)?[+-]\\d\\d[\\d:]*$') THEN ${withOffset(t)}
    WHEN ${isUtc(t)} OR strlen(${t}) <= 10 THEN ${utc(t)} ELSE ${utc(`${t} || 'Z'`)} END`;
  const value = named('text', withSeconds, parsed);
  return `CASE WHEN ${isDate} THEN ${named('moment', value, (moment) => withinRange('TIMESTAMPTZ', moment))} END`;
}

/**
 * As TIMESTAMP(datetime, zone) has it: a time that a zone has twice is its first, where DuckDB takes the second. The first is
 * by the offset of a day ago, which still holds as long before it as the two are apart.
 */
function namedZone(text: string): string {
  const dashed = `regexp_replace(rtrim(${text}), '^(\\d{4})/(\\d+)/', '\\1-\\2-')`;
  const parts = `regexp_extract(${dashed}, '^(\\d[^ A-Z]+[ tT][\\d:.]+) ([A-Z].*)$', ['civil', 'zone'])`;
  const ofParts = (found: string): string => {
    const [civil, zone] = [fieldSql(found, 'civil'), fieldSql(found, 'zone')];
    const time = `try_cast(regexp_replace(upper(${civil}), '[ T]\\d{1,2}:\\d{1,2}$', '\\0:00') AS TIMESTAMP)`;
    return `CASE WHEN ${isZone(zone)} THEN ${named('civil', time, (own) => instantOf(own, zone))} END`;
  };
  return `CASE WHEN regexp_matches(${text}, '^\\d{4}[-/].*:.* [A-Z]') THEN ${named('parts', parts, ofParts)} END`;
}

/** The moment of a time of a zone. */
function instantOf(civil: string, zone: string): string {
  const instant = (time: string) => `try_cast(CAST(${time} AS VARCHAR) || ' ' || ${zone} AS TIMESTAMPTZ)`;
  const both = `{second: ${instant(civil)}, first: ${instant(`${civil} - to_days(1)`)} + to_hours(24)}`;
  return named('instants', both, (instants) => {
    const [first, second] = [fieldSql(instants, 'first'), fieldSql(instants, 'second')];
    const apart = `(${second} - ${first})`;
    const isTwice = `${first} < ${second} AND ${instant(`${civil} - ${apart}`)} = ${first} - ${apart}`;
    return withinRange('TIMESTAMPTZ', `CASE WHEN ${isTwice} THEN ${first} ELSE ${second} END`);
  });
}

/** SQL that reads a value that is computed once by a name. */
function named(name: string, value: string, read: (variable: string) => string): string {
  const variable = parameterSql(name);
  return `list_transform([${value}], lambda ${variable}: ${read(variable)})[1]`;
}

/** SQL that is true if a text may be the name of a zone of BigQuery, or is an offset. */
function isZone(zone: string): string {
  const tests = ['is_zone_name', 'is_offset'].map((name) =>
    macros.get(name)?.[0]?.body.replaceAll(/\bzone\b/g, () => zone),
  );
  return `(${tests.join(' OR ')})`;
}

/**
 * The unit of a number since the epoch follows from its size. It may be something else, such as `20261120`: it must give a time
 * from 1973 (nine digits of seconds) to 2262 (where 64 bits of nanoseconds end). Digits beyond microseconds are cut, as in texts.
 */
function epochText(text: string): string {
  // A cast to DECIMAL takes 15 µs, and rounds. One to BIGINT is five hundred times faster.
  const cut = `regexp_replace(${text}, '^(\\d+\\.\\d{9})\\d+$', '\\1')`;
  const integer = named('number', `try_cast(${text} AS BIGINT)`, (number) =>
    epochTimestamp(number, (micros) => micros),
  );
  const decimal = named('number', `try_cast(${cut} AS DECIMAL(38, 9))`, (number) =>
    epochTimestamp(number, (micros) => `try_cast(floor(${micros}) AS BIGINT)`),
  );
  const timestamp = `CASE WHEN regexp_full_match(${text}, '\\d+') THEN ${integer} ELSE ${decimal} END`;
  return named(
    'moment',
    timestamp,
    (moment) => `CASE WHEN year(${moment}) BETWEEN 1973 AND 2262 THEN ${moment} END`,
  );
}

/** @param whole SQL of the integer below a number */
function epochTimestamp(number: string, whole: (number: string) => string): string {
  const micros = `CASE
    WHEN ${number} < 100000000000 THEN ${whole(`${number} * 1000000`)}
    WHEN ${number} < 100000000000000 THEN ${whole(`${number} * 1000`)}
    WHEN ${number} < 100000000000000000 THEN ${whole(number)}
    ELSE ${whole(number)} // 1000 END`;
  return `CASE WHEN ${number} > 0 THEN make_timestamptz(${micros}) END`;
}
