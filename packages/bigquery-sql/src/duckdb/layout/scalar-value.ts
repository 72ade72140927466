import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import type { Field } from '../../table-schema.ts';
import { quoteText } from '../../tree/quote-text.ts';
import { elementType } from './column-type.ts';
import { parameterSql } from './reserved-name.ts';
import { timestampValue } from './timestamp-value.ts';
import { hasRange, withinRange } from './value-range.ts';

/** A value that a source of rows has for a field, as SQL, with its type there. */
export interface SourceValue {
  readonly sql: string;
  readonly type: DuckDBType;
  /** True if every value is known to be one of the declared type, as `hasOnlyValuesOf` says: none has to be looked at. */
  readonly isChecked?: true;
  /** True if JSON is spelled as its writer did: with spaces, and with what is not JSON. */
  readonly isRawJson?: true;
  /** True for a value that a table of the same fields stores: it is taken as it is. */
  readonly isStored?: true;
}

/** SQL that raises an error about a field, and has any type. */
export type ErrorSql = (name: string, sqlMessage: string) => string;

/**
 * SQL of a value of the declared type, which is an error for any other value: a cast of DuckDB would round a number, make one of
 * TRUE, and cut a time off. Of JSON, the kind of the value counts, as in BigQuery's load: only a number or a text is an integer.
 *
 * @throws Error if no value of the source's type is one of the declared type
 */
export function scalarValue(field: Field, source: SourceValue, errorSql: ErrorSql): string {
  const target = elementType(field);
  const { sql, type } = source;
  if (type.typeId === DuckDBTypeId.SQLNULL) return `CAST(NULL AS ${target})`;
  const isOfTarget = String(type) === target && type.alias === undefined;
  if (source.isStored || (isOfTarget && (source.isChecked || !hasRange(target)))) return sql;
  if (source.isChecked && !(source.isRawJson && target === 'JSON')) return checkedValue(target, source);
  if (target === 'VARCHAR' && type.typeId !== DuckDBTypeId.BLOB) return `CAST(${sql} AS VARCHAR)`;
  if (target === 'BIGNUM' && type.alias !== 'JSON' && !textTypes.has(type.typeId))
    return `host_bignumeric(CAST(${sql} AS VARCHAR))`;
  const value =
    target === 'TIMESTAMPTZ'
      ? timestampValue(source)
      : (convertedValue(target, source) ?? noValue(field, type));
  const message =
    target === 'JSON' && isValue(type)
      ? quoteText(
          'has NaN, Infinity or a number beyond FLOAT64, which JSON has only as texts, or too many levels',
        )
      : `${shown(source)} || ${reasonOf(target, source)}`;
  const error = errorSql(field.name, message);
  return `CASE WHEN ${sql} IS NOT NULL THEN coalesce(${value}, ${error}) END`;
}

/** A cast alone, through which DuckDB sees the statistics of a file. */
function checkedValue(target: string, { sql, type }: SourceValue): string {
  if (type.typeId === DuckDBTypeId.TIME_TZ && target === 'TIME') return inUtc(sql);
  if (target !== 'BIGNUM') return `CAST(${sql} AS ${target})`;
  // It counts units of 10^-38.
  const scale = type.typeId === DuckDBTypeId.DECIMAL ? type.scale : 0;
  return `CAST(replace(CAST(${sql} AS VARCHAR), '.', '') || '${'0'.repeat(38 - scale)}' AS BIGNUM)`;
}

/** A cast alone leaves the offset out. */
const inUtc = (sql: string) => `CAST(timezone('UTC', ${sql}) AS TIME)`;

function noValue({ name, type }: Field, found: DuckDBType): never {
  throw new Error(`${name}: the file has ${found}, which is not ${type}`);
}

const described: Readonly<Record<string, string>> = {
  BIGINT: 'an integer',
  DOUBLE: 'a number',
  'DECIMAL(38,9)': 'a NUMERIC',
  BIGNUM: 'a BIGNUMERIC',
  BOOLEAN: 'true or false',
  VARCHAR: 'UTF-8',
  JSON: 'JSON',
  BLOB: 'base64',
  DATE: 'a date',
  TIME: 'a time',
  TIMESTAMP: 'a datetime',
  TIMESTAMPTZ: 'a timestamp',
};

/** SQL of the reason after the value: a number of JSON may have lost the digits by which it would be one. */
function reasonOf(target: string, { sql, type }: SourceValue): string {
  const reason = ` is not ${described[target] ?? target}`;
  if (type.alias !== 'JSON' || !exactNumbers.has(target)) return quoteText(reason);
  const json = `CAST(${sql} AS VARCHAR)`;
  return `CASE WHEN ${isExact(json)} OR try_cast(${json} AS DOUBLE) IS NULL THEN ${quoteText(reason)}
    ELSE ${quoteText(`${reason}, as a number of JSON may have lost digits: write it as a text`)} END`;
}

const exactNumbers: ReadonlySet<string> = new Set(['BIGINT', 'DECIMAL(38,9)', 'BIGNUM']);

export const maxShown = 80;

function shown({ sql, type }: SourceValue): string {
  // DuckDB ends the process if it writes a time of another day.
  if (type.typeId === DuckDBTypeId.TIME) return `epoch_us(${sql}) || ' microseconds'`;
  return type.typeId === DuckDBTypeId.VARCHAR && type.alias === undefined
    ? `'"' || left(${sql}, ${maxShown}) || '"'`
    : `left(CAST(${sql} AS VARCHAR), ${maxShown})`;
}

/** SQL that is NULL for a value that is not of the type; undefined if none is. */
function convertedValue(target: string, source: SourceValue): string | undefined {
  const { sql, type } = source;
  if (target === 'JSON' && isValue(type)) {
    const isRaw = source.isRawJson && type.alias === 'JSON';
    const json = `CAST(${sql} AS JSON)`;
    return `CASE WHEN NOT ${isOddJson(`CAST(${json} AS VARCHAR)`)} THEN ${isRaw ? `json(${sql})` : json} END`;
  }
  if (String(type) === target) return withinRange(target, sql);
  if (type.alias === 'JSON') return ofJson(target, sql);
  if (target === 'DECIMAL(38,9)' && floats.has(type.typeId)) return ofFloat(sql, type);
  if (textTypes.has(type.typeId)) return ofText[target]?.(`CAST(${sql} AS VARCHAR)`);
  if (type.typeId === DuckDBTypeId.TIME_TZ && target === 'TIME') return withinRange(target, inUtc(sql));
  if (type.typeId === DuckDBTypeId.UUID && target === 'BLOB') return `CAST(${sql} AS BLOB)`;
  if (type.typeId === DuckDBTypeId.BLOB && target === 'VARCHAR') return `TRY(decode(${sql}))`;
  const cast = `try_cast(${sql} AS ${target})`;
  // Nanoseconds are cut, as in texts.
  if (target === 'TIMESTAMP' && instants.has(type.typeId)) return withinRange(target, cast);
  // A cast of a decimal alone may round to another neighbour.
  if (target === 'DOUBLE' && numbers.has(type.typeId))
    return floats.has(type.typeId) ? cast : `CAST(CAST(${sql} AS VARCHAR) AS DOUBLE)`;
  const isOfKind = numbers.has(type.typeId)
    ? ['BIGINT', 'DECIMAL(38,9)'].includes(target)
    : target === 'DATE' && instants.has(type.typeId);
  if (!isOfKind) return undefined;
  return `CASE WHEN try_cast(${cast} AS ${type}) = ${sql} THEN ${withinRange(target, cast)} END`;
}

/**
 * The number that the shortest text of a double means: a cast to a decimal multiplies the double itself, which rounds. Most are
 * found without their text, fifty times faster: of numbers with so few digits, each double has one.
 */
function ofFloat(sql: string, type: DuckDBType): string {
  const [digits, scales] = type.typeId === DuckDBTypeId.FLOAT ? [6, [4, 2, 0]] : [15, [9, 4, 0]];
  const cases = scales.map((scale) => {
    const units = `round(CAST(${sql} AS DOUBLE) * 1e${scale})`;
    return `WHEN abs(${sql}) < 1e${digits - scale} AND CAST(${units} / 1e${scale} AS ${type}) = ${sql}
      THEN CAST(try_cast(${units} AS BIGINT) * CAST(1e-${scale} AS DECIMAL(10,${scale})) AS DECIMAL(38,9))`;
  });
  return `CASE ${cases.join(' ')} ELSE ${ofText['DECIMAL(38,9)']?.(`CAST(${sql} AS VARCHAR)`)} END`;
}

/** True for all but texts, which may be no JSON. */
const isValue = ({ alias, typeId }: DuckDBType) => alias === 'JSON' || !textTypes.has(typeId);

const textTypes: ReadonlySet<DuckDBTypeId> = new Set([DuckDBTypeId.VARCHAR, DuckDBTypeId.ENUM]);

const numbers: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.TINYINT,
  DuckDBTypeId.SMALLINT,
  DuckDBTypeId.INTEGER,
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UTINYINT,
  DuckDBTypeId.USMALLINT,
  DuckDBTypeId.UINTEGER,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.FLOAT,
  DuckDBTypeId.DOUBLE,
  DuckDBTypeId.DECIMAL,
]);

const floats: ReadonlySet<DuckDBTypeId> = new Set([DuckDBTypeId.FLOAT, DuckDBTypeId.DOUBLE]);

const instants: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.DATE,
  DuckDBTypeId.TIMESTAMP,
  DuckDBTypeId.TIMESTAMP_TZ,
  DuckDBTypeId.TIMESTAMP_S,
  DuckDBTypeId.TIMESTAMP_MS,
  DuckDBTypeId.TIMESTAMP_NS,
]);

function ofJson(target: string, sql: string): string | undefined {
  const json = `CAST(${sql} AS VARCHAR)`;
  const isText = `starts_with(${json}, '"')`;
  const parse = ofText[target];
  if (parse === undefined) return undefined;
  const ofString = `CASE WHEN ${isText} THEN ${parse(`(${sql} ->> '$')`)} END`;
  if (target === 'BIGINT') return `coalesce(${plainInteger(json)}, ${wholeNumber(json)}, ${ofString})`;
  // DuckDB also reads the NaN that some writers of JSON put without quotes.
  if (target === 'DOUBLE') return `coalesce(${finite(json)}, ${parse(json)}, ${ofString})`;
  if (target === 'BOOLEAN') return `coalesce(${parse(json)}, ${ofString})`;
  if (target === 'DECIMAL(38,9)' || target === 'BIGNUM')
    return `coalesce(CASE WHEN ${isExact(json)} THEN ${parse(json)} END, ${ofString})`;
  return ofString;
}

const matches = (text: string, pattern: string) => `regexp_full_match(${text}, '${pattern}')`;

/** An integer as it is usually written, which a cast and back gives again: many times faster than a pattern. */
const plainInteger = (text: string) =>
  `CASE WHEN CAST(try_cast(${text} AS BIGINT) AS VARCHAR) = ${text} THEN try_cast(${text} AS BIGINT) END`;

/** `1.0` and `1e3` are integers in JSON. */
const wholeNumber = (json: string) => {
  const double = `try_cast(${json} AS DOUBLE)`;
  return `CASE WHEN abs(${double}) < ${exactBelow} AND trunc(${double}) = ${double} THEN CAST(${double} AS BIGINT) END`;
};

/** DuckDB reads a number with a fraction or an exponent as a double, whose digits before the point are exact below 2^53. */
const exactBelow = 2 ** 53;

const isExact = (json: string) =>
  `(NOT regexp_matches(${json}, '[.eE]') OR abs(try_cast(${json} AS DOUBLE)) < ${exactBelow})`;

const finite = (text: string) =>
  `CASE WHEN isfinite(try_cast(${text} AS DOUBLE)) THEN try_cast(${text} AS DOUBLE) END`;

const decimal = String.raw`\s*[+-]?(\d+\.?\d*|\.\d+)`;
const hour = String.raw`([01]?\d|2[0-3])`;
const clock = String.raw`${hour}:\d{1,2}(:\d{1,2}(\.\d{1,9})?)?`;
const day = String.raw`\d{4}-\d{1,2}-\d{1,2}`;

/** JSON as BigQuery writes it, without spaces. */
const jsonOf = (text: string) =>
  `CASE WHEN json_valid(${text}) AND NOT ${isOddJson(text)} THEN json(${text}) END`;

/**
 * True for JSON of DuckDB that JSON does not have, as NaN, infinity and a comma before a bracket, or BigQuery does not have, as
 * numbers beyond FLOAT64 and more than 500 levels. Most texts are looked at once, by a pattern, and most others twice.
 */
function isOddJson(text: string): string {
  const mayBe = String.raw`regexp_matches(${text}, '(?i)nan|inf|,\s*[\]}]|\de\+?\d{3}|\d{309}')`;
  const withoutTexts = String.raw`regexp_replace(${text}, '"([^"\\]|\\.)*"', '""', 'g')`;
  const numbers = String.raw`regexp_extract_all(${withoutTexts}, '[\d.]+(?:[eE][+-]?\d+)?')`;
  const number = parameterSql('number');
  const beyond = `list_filter(${numbers}, lambda ${number}: NOT coalesce(isfinite(try_cast(${number} AS DOUBLE)), false))`;
  const isOdd = String.raw`regexp_matches(${withoutTexts}, '(?i)nan|inf|,\s*[\]}]')`;
  const brackets = `strlen(${text}) - strlen(translate(${text}, '[{', ''))`;
  return `CASE WHEN regexp_full_match(${text}, '${plainJson}') THEN false
    WHEN CASE WHEN ${mayBe} THEN ${isOdd} OR len(${beyond}) > 0 ELSE false END THEN true
    WHEN ${brackets} > 500 THEN host_json_levels(${text}) > 500 ELSE false END`;
}

const plainScalar = String.raw`true|false|null|"(?:[^"\\]|\\.)*"|-?\d{1,20}(?:\.\d+)?(?:[eE](?:-\d+|\+?\d\d?))?\b`;

/** JSON of 20 levels: a pattern of all 500 would take 15 ms to compile in each query. */
const plainJson = [
  '(?s)',
  String.raw`(?:[,:\s]*(?:${plainScalar}|[\[{]`.repeat(20),
  String.raw`(?:[,:\s]*(?:${plainScalar}))*\s*`,
  String.raw`[\]}]))*\s*`.repeat(20),
].join('');

/** SQL of the value that a text means, NULL for one that means none; by the type. The spellings are those of BigQuery's load. */
const ofText: Readonly<Record<string, (text: string) => string>> = {
  JSON: jsonOf,
  BIGINT: (text) =>
    `coalesce(${plainInteger(text)},
      CASE WHEN ${matches(text, String.raw`\s*[+-]?(\d+|0[xX][0-9a-fA-F]+)\s*`)} THEN try_cast(${text} AS BIGINT) END)`,
  DOUBLE: (text) =>
    `CASE WHEN ${matches(text, String.raw`${decimal}([eE][+-]?\d+)?\s*`)} THEN ${finite(text)}
      WHEN ${matches(text, '(?i)[+-]?(nan|inf|infinity)')} THEN try_cast(${text} AS DOUBLE) END`,
  'DECIMAL(38,9)': (text) => {
    const cast = `try_cast(${text} AS DECIMAL(38,9))`;
    return `CASE WHEN ${matches(text, String.raw`\s*[+-]?(\d+(\.\d{0,9}0*)?|\.\d{1,9}0*)\s*`)} THEN ${cast}
      WHEN ${matches(text, String.raw`${decimal}[eE][+-]?\d+\s*`)} AND CAST(${cast} AS DOUBLE) = try_cast(${text} AS DOUBLE)
      THEN ${cast} END`;
  },
  BOOLEAN: (text) =>
    `CASE WHEN lower(${text}) IN ('true', 't', 'yes', 'y', '1') THEN true
      WHEN lower(${text}) IN ('false', 'f', 'no', 'n', '0') THEN false END`,
  BIGNUM: (text) => `TRY(host_bignumeric(${text}))`,
  BLOB: (text) => `TRY(from_base64(${text}))`,
  DATE: (text) => `CASE WHEN ${matches(text, day)} AND ${text} >= '0001' THEN try_cast(${text} AS DATE) END`,
  TIME: (text) => `CASE WHEN ${matches(text, clock)} THEN try_cast(${text} AS TIME) END`,
  TIMESTAMP: (text) =>
    `CASE WHEN ${matches(text, `${day}([Tt ]${clock})?`)} AND ${text} >= '0001' THEN try_cast(upper(${text}) AS TIMESTAMP) END`,
};
