import type { FuncCall, SubSelect } from 'sql-parser-cst';
import { commonSupertype, convert } from '../coercion.ts';
import { concatenation } from '../expr/arrays.ts';
import { compare, requireBool } from '../expr/comparison.ts';
import { arrayQuery } from '../expr/subqueries.ts';
import { callMacro, plainArguments } from '../macros/macro-call.ts';
import {
  type TimeExpression,
  timeExpressionOfCoalesce,
  timeExpressionOfNullIf,
} from '../passes/time-expressions.ts';
import type { Scope, Sql } from '../scope.ts';
import { nowParameter, type Rule, type Translator } from '../translator.ts';
import { describeType, isScalar, nullType, scalar, type Type } from '../types.ts';
import { Unsupported } from '../unsupported.ts';
import { format } from './format.ts';
import { formatTime } from './time/format-time.ts';
import { parseTime } from './time/parse-time.ts';
import { jsonArray, jsonObject, toJson, toJsonString } from './to-json.ts';

/** The current time, the same everywhere in a run; bound by the engine, so that tests can set it. */
const now = (tr: Translator) => `CAST(${tr.parameter(nowParameter)} AS TIMESTAMPTZ)`;

const currentTimestamp: Rule<FuncCall> = (node, _scope, tr) => {
  if (plainArguments(node).length > 0) throw new Unsupported(node, 'CURRENT_TIMESTAMP takes no arguments');
  return { text: now(tr), type: scalar('TIMESTAMP'), timeExpression: ({ now }) => now };
};

/** CURRENT_DATE and the like, in UTC or in the time zone that is the argument. */
const currentIn =
  (name: 'DATE' | 'DATETIME' | 'TIME', duckdb: string): Rule<FuncCall> =>
  (node, scope, tr) => {
    const [zone, another] = plainArguments(node);
    if (another) throw new Unsupported(another, `CURRENT_${name} takes at most a time zone`);
    const zoneText = zone ? tr.expr(zone, scope).text : "'UTC'";
    return { text: `CAST(bq.civil(${now(tr)}, ${zoneText}) AS ${duckdb})`, type: scalar(name) };
  };

/** Functions of any number of arguments with one common type. */
const variadic =
  (
    name: string,
    write: (args: readonly string[], type: Type) => string,
    timeExpressionOf?: (args: readonly Sql[]) => TimeExpression | undefined,
  ): Rule<FuncCall> =>
  (node, scope, tr) => {
    const args = plainArguments(node).map((arg) => tr.expr(arg, scope));
    const type = commonSupertype(node, name, args);
    const texts = args.map((arg) => convert(arg, type));
    const timeExpression = args.every(({ text }, at) => text === texts[at])
      ? timeExpressionOf?.(args)
      : undefined;
    return { text: write(texts, type), type, ...(timeExpression && { timeExpression }) };
  };

const conditional: Rule<FuncCall> = (node, scope, tr) => {
  const [condition, yes, no, another] = plainArguments(node);
  if (!condition || !yes || !no || another)
    throw new Unsupported(node, 'IF takes a condition and two values');
  const [test, ...values] = [condition, yes, no].map((arg) => tr.expr(arg, scope));
  if (test) requireBool(condition, test, 'IF');
  const type = commonSupertype(node, 'IF', values);
  const [then = '', otherwise = ''] = values.map((value) => convert(value, type));
  return { text: `CASE WHEN ${test?.text} THEN ${then} ELSE ${otherwise} END`, type };
};

const list = (name: string) => (args: readonly string[]) => `${name}(${args.join(', ')})`;

/** DuckDB's greatest and least ignore NULLs; in BigQuery one NULL makes the result NULL. */
const strict = (name: string) => (args: readonly string[]) =>
  `CASE WHEN ${args.map((arg) => `${arg} IS NULL`).join(' OR ')} THEN NULL ELSE ${name}(${args.join(', ')}) END`;

/** BigQuery's LEAST returns NaN if one value is NaN; in DuckDB NaN is the greatest number. */
const least = (args: readonly string[], type: Type) => {
  const greatest = `greatest(${args.join(', ')})`;
  const text = strict('least')(args);
  return isScalar(type, 'FLOAT64')
    ? `CASE WHEN isnan(${greatest}) THEN ${greatest} + ${text} ELSE ${text} END`
    : text;
};

const numericArgument = (node: FuncCall, scope: Scope, tr: Translator): Sql => {
  const [arg, another] = plainArguments(node);
  if (!arg || another) throw new Unsupported(node, 'expected exactly one argument');
  const value = tr.expr(arg, scope);
  if (value.type.kind === 'null') return { text: 'CAST(NULL AS BIGINT)', type: scalar('INT64') };
  if (!isScalar(value.type, 'INT64', 'FLOAT64', 'NUMERIC'))
    throw new Unsupported(arg, `expected INT64, FLOAT64 or NUMERIC, got ${describeType(value.type)}`);
  return value;
};

const nullIfZero: Rule<FuncCall> = (node, scope, tr) => {
  const value = numericArgument(node, scope, tr);
  return { text: `nullif(${value.text}, 0)`, type: value.type };
};

const zeroIfNull: Rule<FuncCall> = (node, scope, tr) => {
  const value = numericArgument(node, scope, tr);
  return { text: `coalesce(${value.text}, 0)`, type: value.type };
};

const arrayConcat: Rule<FuncCall> = (node, scope, tr) =>
  concatenation(
    node,
    'ARRAY_CONCAT',
    plainArguments(node).map((arg) => tr.expr(arg, scope)),
  );

/** The parser reads `array(SELECT …)` in lower case as a function call. */
const arrayOfQuery: Rule<FuncCall> = (node, scope, tr) => {
  const [expr, another] = node.args?.expr.args.items ?? [];
  const isQuery =
    expr?.type === 'select_stmt' || expr?.type === 'compound_select_stmt' || expr?.type === 'paren_expr';
  if (!expr || !isQuery || another) throw new Unsupported(node, 'ARRAY takes a subquery');
  return arrayQuery({ type: 'paren_expr', expr: expr as SubSelect, range: node.range ?? [0, 0] }, scope, tr);
};

const error: Rule<FuncCall> = (node, scope, tr) => {
  const [message, another] = plainArguments(node);
  if (!message || another) throw new Unsupported(node, 'ERROR takes a message');
  return { text: `bq.fail(${tr.expr(message, scope).text})`, type: nullType };
};

const generateUuid: Rule<FuncCall> = (node) => {
  if (plainArguments(node).length > 0) throw new Unsupported(node, 'GENERATE_UUID takes no arguments');
  return { text: 'CAST(uuid() AS VARCHAR)', type: scalar('STRING') };
};

const nullIf: Rule<FuncCall> = (node, scope, tr) => {
  const args = plainArguments(node).map((arg) => tr.expr(arg, scope));
  const [value, other, another] = args;
  if (!value || !other || another) throw new Unsupported(node, 'NULLIF takes two values');
  const type = commonSupertype(node, 'NULLIF', args);
  const test = compare(node, '=', value, other);
  const timeExpression = timeExpressionOfNullIf(args);
  const text = `CASE WHEN ${test.text} THEN NULL ELSE ${convert(value, type)} END`;
  return { text, type, ...(timeExpression && { timeExpression }) };
};

/** CONCAT joins BYTES, or values that can be cast to STRING; the result is NULL if one of them is. */
const concat: Rule<FuncCall> = (node, scope, tr) => {
  const args = plainArguments(node).map((arg) => tr.expr(arg, scope));
  if (args.length === 0) throw new Unsupported(node, 'CONCAT takes at least one argument');
  const name = args.some((arg) => isScalar(arg.type, 'BYTES')) ? 'BYTES' : 'STRING';
  const type = scalar(name);
  const parts = args.map((arg) => {
    const isJoinable = arg.type.kind !== 'scalar' || isScalar(arg.type, 'STRING', 'BYTES');
    return isJoinable ? arg : callMacro(node, 'cast_string', [arg], 'CONCAT');
  });
  if (parts.some((part) => part.type.kind === 'scalar' && !isScalar(part.type, name))) {
    throw new Unsupported(node, 'CONCAT cannot mix STRING and BYTES');
  }
  return { text: `(${parts.map((part) => convert(part, type)).join(' || ')})`, type };
};

/** EDIT_DISTANCE: its limit is the named argument `max_distance => n`. */
const editDistance: Rule<FuncCall> = (node, scope, tr) => {
  const args = plainArguments(node).map((arg) =>
    arg.type === 'named_arg' && arg.name.name.toLowerCase() === 'max_distance' ? arg.value : arg,
  );
  return callMacro(
    node,
    'edit_distance',
    args.map((arg) => tr.expr(arg, scope)),
  );
};

const specialFunctions: Readonly<Record<string, Rule<FuncCall>>> = {
  current_timestamp: currentTimestamp,
  current_date: currentIn('DATE', 'DATE'),
  current_datetime: currentIn('DATETIME', 'TIMESTAMP'),
  current_time: currentIn('TIME', 'TIME'),
  coalesce: variadic('COALESCE', list('coalesce'), timeExpressionOfCoalesce),
  ifnull: variadic('IFNULL', list('coalesce'), timeExpressionOfCoalesce),
  nullif: nullIf,
  greatest: variadic('GREATEST', strict('greatest')),
  least: variadic('LEAST', least),
  if: conditional,
  nullifzero: nullIfZero,
  zeroifnull: zeroIfNull,
  array_concat: arrayConcat,
  array: arrayOfQuery,
  error,
  generate_uuid: generateUuid,
  concat,
  edit_distance: editDistance,
  format,
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

export const specialFunction = (name: string): Rule<FuncCall> | undefined =>
  Object.hasOwn(specialFunctions, name) ? specialFunctions[name] : undefined;
