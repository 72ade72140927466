import {
  and,
  call,
  caseWhen,
  castTo,
  compareWith,
  isNull,
  literal,
  nullLiteral,
  operation,
  or,
  textLiteral,
} from '../../tree/build.ts';
import { macroName } from '../../tree/macro-name.ts';
import type { Expression } from '../../tree/nodes.ts';
import { nowParameter, userParameter } from '../../tree/own-parameters.ts';
import { describeType, isScalar, type ScalarName, scalar, type Type } from '../../types.ts';
import { bindValues } from '../bind-values.ts';
import { commonSupertype, convert } from '../coercion.ts';
import { collate } from '../collation.ts';
import { compare, requireBool } from '../expressions/comparison.ts';
import { concatenateArrays, concatenateTexts } from '../expressions/operators.ts';
import { callMacro } from '../macro-call.ts';
import { requireZone } from '../moment-text.ts';
import { Unsupported } from '../unsupported.ts';
import { isOrdered } from './aggregates/aggregate.ts';
import { rangeFunctions } from './ranges.ts';
import { atDigits } from './numbers/at-digits.ts';
import { rangeBucket } from './numbers/range-bucket.ts';
import type { SpecialFunction } from './special-function.ts';
import { containsSubstr } from './text/contains-substr.ts';
import { format } from './text/format.ts';
import { jsonArrayEdit, jsonRemove, jsonSet } from './text/json-edit.ts';
import { jsonReads } from './text/json-read.ts';
import { search } from './text/search.ts';
import { jsonArray, jsonObject, toJson, toJsonString } from './text/to-json.ts';
import { formatTime } from './time/format-time.ts';
import { parseTime } from './time/parse-time.ts';

/** The current time, the same everywhere in a run; bound by the engine, so that tests can set it. */
const now: Expression = { kind: 'parameter', name: nowParameter, type: scalar('TIMESTAMP') };

const currentTimestamp: SpecialFunction = (place, args) => {
  if (args.length > 0) throw new Unsupported(place, 'CURRENT_TIMESTAMP takes no arguments');
  return now;
};

/** The id of the key for which a query runs; bound by the engine. */
const sessionUser: SpecialFunction = (place, args) => {
  if (args.length > 0) throw new Unsupported(place, 'SESSION_USER takes no arguments');
  return { kind: 'parameter', name: userParameter, type: scalar('STRING') };
};

/** CURRENT_DATE and the like, in UTC or in the time zone that is the argument. */
const currentIn =
  (name: ScalarName): SpecialFunction =>
  (place, [zone, another]) => {
    if (another || (zone && !isScalar(zone.type, 'STRING') && zone.type.kind !== 'null'))
      throw new Unsupported(place, `CURRENT_${name} takes at most a time zone`);
    requireZone(place, zone);
    const civil = call('bq.civil', [now, zone ?? textLiteral('UTC')], scalar('DATETIME'));
    return castTo(civil, scalar(name));
  };

/** Functions of any number of arguments with one common type. */
const variadic =
  (name: string, write: (args: readonly Expression[], type: Type) => Expression): SpecialFunction =>
  (place, args) => {
    if (args.length === 0) throw new Unsupported(place, `${name} takes at least one argument`);
    const type = commonSupertype(place, name, args);
    return write(
      args.map((arg) => convert(arg, type)),
      type,
    );
  };

const coalesce = (args: readonly Expression[], type: Type) => call('coalesce', args, type);

const ifNull: SpecialFunction = (place, args, context) => {
  if (args.length !== 2) throw new Unsupported(place, 'IFNULL takes two values');
  return variadic('IFNULL', coalesce)(place, args, context);
};

const conditional: SpecialFunction = (place, [condition, yes, no, another]) => {
  if (!condition || !yes || !no || another)
    throw new Unsupported(place, 'IF takes a condition and two values');
  requireBool(place.args[0] ?? place, condition, 'IF');
  const type = commonSupertype(place, 'IF', [yes, no]);
  return caseWhen(condition, convert(yes, type), convert(no, type), type);
};

/** DuckDB's greatest and least ignore NULLs; in BigQuery one NULL makes the result NULL. */
const strict = (name: string, args: readonly Expression[], type: Type): Expression =>
  caseWhen(or(args.map(isNull)), nullLiteral(type), call(name, args, type), type);

const greatest = (args: readonly Expression[], type: Type) =>
  bindValues(args, (...values) =>
    isScalar(type, 'INTERVAL') ? firstExtreme('>=', values, type) : strict('greatest', values, type),
  );

/** The first value that is so beside each other one: DuckDB's greatest and least take 1 DAY for more than 25 HOUR. */
function firstExtreme(operator: '>=' | '<=', values: readonly Expression[], type: Type): Expression {
  const branches = values.map((value, at) => ({
    when: and(values.toSpliced(at, 1).map((other) => compareWith(operator, value, other))),
    result: value,
  }));
  return { kind: 'case', branches, type };
}

/** GREATEST and LEAST compare values by `<`. */
const extreme =
  (name: string, write: (args: readonly Expression[], type: Type) => Expression): SpecialFunction =>
  (place, args, context) => {
    const wrong = args.find(({ type }) => !isOrdered(type));
    if (wrong) throw new Unsupported(place, `${name} does not take ${describeType(wrong.type)}`);
    return variadic(name, write)(place, args, context);
  };

/** BigQuery's LEAST returns NaN if one value is NaN; in DuckDB NaN is the greatest number. */
const least = (args: readonly Expression[], type: Type) =>
  bindValues(args, (...values) => {
    if (isScalar(type, 'INTERVAL')) return firstExtreme('<=', values, type);
    const smallest = strict('least', values, type);
    if (!isScalar(type, 'FLOAT64')) return smallest;
    const hasNaN = call('isnan', [call('greatest', values, type)], scalar('BOOL'));
    const noNulls = operation('IS NOT NULL', [smallest]);
    return caseWhen(operation('AND', [hasNaN, noNulls]), literal(type, 'nan'), smallest);
  });

const arrayConcat: SpecialFunction = (place, args) => {
  if (args.length === 0) throw new Unsupported(place, 'ARRAY_CONCAT takes at least one array');
  return concatenateArrays(place, 'ARRAY_CONCAT', args);
};

const error: SpecialFunction = (place, [message, another]) => {
  if (!message || another) throw new Unsupported(place, 'ERROR takes a message');
  const text = convert(message, scalar('STRING'));
  const said = call('coalesce', [text, textLiteral('ERROR is called with NULL')], text.type);
  return call('bq.fail', [said], { kind: 'null' });
};

const generateUuid: SpecialFunction = (place, args) => {
  if (args.length > 0) throw new Unsupported(place, 'GENERATE_UUID takes no arguments');
  return castTo(call('uuid', []), scalar('STRING'));
};

const nullIf: SpecialFunction = (place, args) => {
  const [value, other, another] = args;
  if (!value || !other || another) throw new Unsupported(place, 'NULLIF takes two values');
  const type = commonSupertype(place, 'NULLIF', args);
  return bindValues([convert(value, type)], (bound = value) =>
    caseWhen(compare(place, '=', bound, other), nullLiteral(type), bound, type),
  );
};

/** CONCAT joins BYTES, or values that can be cast to STRING; the result is NULL if one of them is. */
const concat: SpecialFunction = (place, args) => {
  if (args.length === 0) throw new Unsupported(place, 'CONCAT takes at least one argument');
  if (args.some(({ type }) => type.kind === 'array' || type.kind === 'struct')) {
    const types = args.map(({ type }) => describeType(type)).join(', ');
    throw new Unsupported(place, `CONCAT does not take (${types})`);
  }
  return concatenateTexts(place, 'CONCAT', args);
};

/** DuckDB's hashes are hexadecimal texts, of which the macros make BYTES. */
const toHex: SpecialFunction = (place, args) => {
  const [value, another] = args;
  const hash = value?.kind === 'call' && !another ? macroName(value.function) : undefined;
  if (value?.kind !== 'call' || hash === undefined || !['md5', 'sha1', 'sha256'].includes(hash))
    return callMacro(place, 'to_hex', args);
  return call(hash, value.args, scalar('STRING'));
};

/** SUBSTR at usual literal positions is that of DuckDB; its macro has the other ones. */
const substr: SpecialFunction = (place, args) => {
  const [text, ...positions] = args;
  const isUsual = (position: Expression, at: number) =>
    position.kind === 'literal' &&
    typeof position.value === 'bigint' &&
    position.value >= (at === 0 ? 1n : 0n) &&
    position.value < 2n ** 32n;
  const isPlain = text && isScalar(text.type, 'STRING') && positions.length > 0 && positions.length < 3;
  if (!isPlain || !positions.every(isUsual)) return callMacro(place, 'substr', args);
  return call('substr', args, text.type);
};

/** ARRAY_TO_STRING with a literal delimiter has a macro of its own. */
const arrayToString: SpecialFunction = (place, args) => {
  const [texts, delimiter, another] = args;
  const isOfTexts = texts?.type.kind === 'array' && isScalar(texts.type.element, 'STRING');
  const isLiteral = delimiter?.kind === 'literal' && typeof delimiter.value === 'string';
  const isPlain = isOfTexts && isLiteral && isScalar(delimiter.type, 'STRING') && !another;
  return callMacro(place, isPlain ? 'array_joined' : 'array_to_string', args, 'ARRAY_TO_STRING');
};

/** The type of a value, which no row decides. */
const typeOf: SpecialFunction = (place, [value, another]) => {
  if (!value || another) throw new Unsupported(place, 'TYPEOF takes one value');
  return textLiteral(value.type.kind === 'null' ? 'INT64' : describeType(value.type));
};

/** FLOAT64 of a JSON number, which is rounded unless its second argument is 'exact'. */
const jsonFloat64: SpecialFunction = (place, [value, mode, another]) => {
  if (!value || another) throw new Unsupported(place, 'FLOAT64 takes a JSON value');
  if (mode && (mode.kind !== 'literal' || mode.value !== 'round'))
    throw new Unsupported(place, "wide_number_mode is supported as 'round' only");
  return callMacro(place, 'float64', [value]);
};

/** PARSE_JSON: its second argument says what becomes of numbers that JSON values can't hold. */
const parseJson: SpecialFunction = (place, [text, mode, another]) => {
  if (!text || another) throw new Unsupported(place, 'PARSE_JSON takes a STRING');
  if (mode && (mode.kind !== 'literal' || (mode.value !== 'exact' && mode.value !== 'round')))
    throw new Unsupported(place, "wide_number_mode is 'exact' or 'round'");
  return callMacro(
    place,
    mode?.value === 'round' ? 'parse_json_rounded' : 'parse_json',
    [text],
    'PARSE_JSON',
  );
};

const specialFunctions: Readonly<Record<string, SpecialFunction>> = {
  current_timestamp: currentTimestamp,
  session_user: sessionUser,
  collate,
  current_date: currentIn('DATE'),
  current_datetime: currentIn('DATETIME'),
  current_time: currentIn('TIME'),
  coalesce: variadic('COALESCE', coalesce),
  ifnull: ifNull,
  nullif: nullIf,
  greatest: extreme('GREATEST', greatest),
  least: extreme('LEAST', least),
  if: conditional,
  array_concat: arrayConcat,
  array_to_string: arrayToString,
  error,
  generate_uuid: generateUuid,
  concat,
  format,
  ...rangeFunctions,
  range_bucket: rangeBucket,
  to_hex: toHex,
  substr,
  substring: substr,
  round: atDigits('round'),
  trunc: atDigits('trunc'),
  typeof: typeOf,
  float64: jsonFloat64,
  parse_json: parseJson,
  contains_substr: containsSubstr,
  search,
  ...jsonReads,
  json_set: jsonSet,
  json_remove: jsonRemove,
  json_array_append: jsonArrayEdit('json_array_append'),
  json_array_insert: jsonArrayEdit('json_array_insert'),
  json_array: jsonArray,
  json_object: jsonObject,
  to_json: toJson,
  to_json_string: toJsonString,
  format_date: formatTime,
  format_datetime: formatTime,
  format_time: formatTime,
  format_timestamp: formatTime,
  parse_date: parseTime,
  parse_datetime: parseTime,
  parse_time: parseTime,
  parse_timestamp: parseTime,
};

export const specialFunctionNames: readonly string[] = Object.keys(specialFunctions);

export const specialFunction = (name: string): SpecialFunction | undefined =>
  Object.hasOwn(specialFunctions, name) ? specialFunctions[name] : undefined;
