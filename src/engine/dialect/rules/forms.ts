import type { FuncCall, Node } from 'sql-parser-cst';
import { Refusal } from '../refusal.ts';
import type { Scope, Sql } from '../scope.ts';
import type { Rule, Translator } from '../translator.ts';
import { describeType, scalar, type Type } from '../type.ts';
import { plainArguments } from './calls.ts';
import { converted, supertype } from './coercion.ts';
import { formatMoment } from './moment-formats.ts';
import { parseMoment } from './moment-parsing.ts';
import { concat } from './concat.ts';
import { format } from './format.ts';

/** The one moment that a run calls now; bound by the engine, so that tests can set it. */
const now = (to: Translator) => `CAST(${to.parameter('current_timestamp')} AS TIMESTAMPTZ)`;

const currentTimestamp: Rule<FuncCall> = (node, _scope, to) => {
  if (plainArguments(node).length > 0) throw new Refusal(node, 'CURRENT_TIMESTAMP takes no arguments');
  return { text: now(to), type: scalar('TIMESTAMP') };
};

/** Functions of the current time, as the type they yield, in UTC or in the zone that is their argument. */
const current =
  (name: 'DATE' | 'DATETIME' | 'TIME', duckdb: string): Rule<FuncCall> =>
  (node, scope, to) => {
    const [zone, another] = plainArguments(node);
    if (another) throw new Refusal(another, `CURRENT_${name} takes a time zone at most`);
    const zoneText = zone ? to.expr(zone, scope).text : "'UTC'";
    return { text: `CAST(bq.civil(${now(to)}, ${zoneText}) AS ${duckdb})`, type: scalar(name) };
  };

/** Functions of any number of arguments that share one type. */
const variadic =
  (name: string, write: (args: readonly string[]) => string): Rule<FuncCall> =>
  (node, scope, to) => {
    const args = plainArguments(node).map((arg) => to.expr(arg, scope));
    const type = common(node, name, args);
    return { text: write(args.map((arg) => converted(arg, type))), type };
  };

export function common(node: Node, name: string, args: readonly Sql[]): Type {
  const type = supertype(args);
  if (type) return type;
  throw new Refusal(
    node,
    `${name} has no common type for (${args.map((arg) => describeType(arg.type)).join(', ')})`,
  );
}

const conditional: Rule<FuncCall> = (node, scope, to) => {
  const [condition, yes, no, another] = plainArguments(node);
  if (!condition || !yes || !no || another) throw new Refusal(node, 'IF takes a condition and two values');
  const [test, ...values] = [condition, yes, no].map((arg) => to.expr(arg, scope));
  const type = common(node, 'IF', values);
  const [then = '', otherwise = ''] = values.map((value) => converted(value, type));
  return { text: `CASE WHEN ${test?.text} THEN ${then} ELSE ${otherwise} END`, type };
};

const list = (name: string) => (args: readonly string[]) => `${name}(${args.join(', ')})`;

/** DuckDB's greatest and least skip NULLs; BigQuery's yield NULL when one is. */
const strict = (name: string) => (args: readonly string[]) =>
  `CASE WHEN ${args.map((arg) => `${arg} IS NULL`).join(' OR ')} THEN NULL ELSE ${name}(${args.join(', ')}) END`;

const forms: Readonly<Record<string, Rule<FuncCall>>> = {
  current_timestamp: currentTimestamp,
  current_date: current('DATE', 'DATE'),
  current_datetime: current('DATETIME', 'TIMESTAMP'),
  current_time: current('TIME', 'TIME'),
  coalesce: variadic('COALESCE', list('coalesce')),
  ifnull: variadic('IFNULL', list('coalesce')),
  nullif: variadic('NULLIF', list('nullif')),
  greatest: variadic('GREATEST', strict('greatest')),
  least: variadic('LEAST', strict('least')),
  if: conditional,
  format_date: formatMoment,
  format_datetime: formatMoment,
  format_time: formatMoment,
  format_timestamp: formatMoment,
  parse_date: parseMoment,
  parse_datetime: parseMoment,
  parse_time: parseMoment,
  parse_timestamp: parseMoment,
  concat,
  format,
};

export const formOf = (name: string): Rule<FuncCall> | undefined => forms[name];

export type { Scope };
