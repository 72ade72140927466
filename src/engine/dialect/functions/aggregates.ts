import type { FuncArgs, FuncCall } from 'sql-parser-cst';
import { convert, distance } from '../coercion.ts';
import { orderText } from '../expr/order-by.ts';
import type { Scope, Sql } from '../scope.ts';
import type { Rule, Translator } from '../translator.ts';
import { describeType, unknown } from '../types.ts';
import { Unsupported } from '../unsupported.ts';
import { type Aggregate, aggregates } from './aggregate-table.ts';
import { overText } from './windows.ts';

export const aggregateNames: readonly string[] = Object.keys(aggregates);

export function aggregateOf(name: string): Rule<FuncCall> | undefined {
  const aggregate = Object.hasOwn(aggregates, name) ? aggregates[name] : undefined;
  return aggregate && ((node, scope, tr) => aggregateCall(node, name.toUpperCase(), aggregate, scope, tr));
}

function aggregateCall(
  node: FuncCall,
  name: string,
  aggregate: Aggregate,
  scope: Scope,
  tr: Translator,
): Sql {
  const args = argumentsOf(node, name, aggregate, scope, tr);
  const inside = node.args?.expr;
  if (inside?.having && (name === 'MAX' || name === 'MIN'))
    return extremeHaving(name, args, inside.having, scope, tr);
  requireAllowed(node, name, aggregate);
  const having = inside?.having && havingArgument(inside.having, scope, tr);
  const callee = having?.callee ?? aggregate.function;
  const texts = [
    ...(aggregate.arguments?.(node, args) ?? args.map(({ text }) => text)),
    ...(having?.args ?? []),
  ];

  const distinctText = inside?.distinctKw ? 'DISTINCT ' : '';
  const orderBy = inside?.orderBy ? ` ${orderText(inside.orderBy, scope, tr)}` : '';
  const ignoreNulls = ignoresNulls(inside, name);
  const nulls = ignoreNulls && aggregate.window ? ' IGNORE NULLS' : '';
  const filter = ignoreNulls && !aggregate.window ? ` FILTER (${args[0]?.text} IS NOT NULL)` : '';
  const called = `${callee}(${distinctText}${texts.join(', ') || (name === 'COUNT' ? '*' : '')}${orderBy}${nulls})`;
  const over = overText(node, scope, tr);
  const value = withLimit(`${called}${filter}${over}`, inside, scope, tr);
  return { text: aggregate.finish?.(value, args, over) ?? value, type: aggregate.result(args) };
}

function argumentsOf(
  node: FuncCall,
  name: string,
  aggregate: Aggregate,
  scope: Scope,
  tr: Translator,
): readonly Sql[] {
  const items = (node.args?.expr.args.items ?? []).filter(({ type }) => type !== 'all_columns');
  const args = items.map((item) => tr.expr(item, scope));
  const [least, most] = aggregate.arity;
  const { takes } = aggregate;
  const fits = args.length >= least && args.length <= most;
  if (!fits || (takes && args.some((arg) => distance(arg, takes) === undefined))) {
    throw new Unsupported(
      node,
      `${name} does not take (${args.map(({ type }) => describeType(type)).join(', ')})`,
    );
  }
  return takes ? args.map((arg) => ({ ...arg, text: convert(arg, takes), type: takes })) : args;
}

/** Functions that always ignore NULLs in DuckDB. */
const alwaysIgnoreNulls: readonly string[] = ['APPROX_QUANTILES', 'PERCENTILE_CONT', 'PERCENTILE_DISC'];

function requireAllowed(node: FuncCall, name: string, { allows = [], window }: Aggregate): void {
  const inside = node.args?.expr;
  const nulls = inside?.nullHandlingKw;
  if (nulls?.[0].name === 'RESPECT' && alwaysIgnoreNulls.includes(name))
    throw new Unsupported(nulls[0], `${name} with RESPECT NULLS is not supported`);
  const extras = [
    ['distinct', inside?.distinctKw],
    ['order', inside?.orderBy],
    ['limit', inside?.limit],
    ['having', inside?.having],
  ] as const;
  for (const [extra, part] of extras) {
    if (part && !allows.includes(extra))
      throw new Unsupported(part, `${name} takes no ${extra.toUpperCase()}`);
  }
  if (node.filter) throw new Unsupported(node.filter, 'BigQuery has no FILTER: use IF inside the aggregate');
  if (window && !node.over) throw new Unsupported(node, `${name} needs OVER`);
  if (node.over && (inside?.orderBy || inside?.limit))
    throw new Unsupported(node, `${name} with OVER takes no ORDER BY or LIMIT inside`);
}

function ignoresNulls(inside: FuncArgs | undefined, name: string): boolean {
  if (name === 'STRING_AGG') return true;
  return inside?.nullHandlingKw?.[0].name === 'IGNORE';
}

/** `ANY_VALUE(x HAVING MAX y)`. */
function havingArgument({ minMaxKw, expr }: NonNullable<FuncArgs['having']>, scope: Scope, tr: Translator) {
  return {
    callee: minMaxKw.name === 'MAX' ? 'arg_max_null' : 'arg_min_null',
    args: [tr.expr(expr, scope).text],
  };
}

/** `MAX(x HAVING MIN y)`: the maximum of x over the rows with the smallest y. */
function extremeHaving(
  name: 'MAX' | 'MIN',
  args: readonly Sql[],
  { minMaxKw, expr }: NonNullable<FuncArgs['having']>,
  scope: Scope,
  tr: Translator,
): Sql {
  const key = tr.expr(expr, scope).text;
  const rows = `list(struct_pack(k := ${key}, v := ${args[0]?.text}))`;
  const kept = 'list_transform(list_filter(s.rows, lambda e: e.k = s.edge), lambda e: e.v)';
  const edge = `${minMaxKw.name.toLowerCase()}(${key})`;
  const text = `list_transform([struct_pack(rows := ${rows}, edge := ${edge})], lambda s: list_${name.toLowerCase()}(${kept}))[1]`;
  return { text, type: args[0]?.type ?? unknown };
}

function withLimit(value: string, inside: FuncArgs | undefined, scope: Scope, tr: Translator): string {
  const count = inside?.limit?.count;
  if (!count || count.type === 'limit_all') return value;
  return `list_slice(${value}, 1, ${tr.expr(count, scope).text})`;
}
