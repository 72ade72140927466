import type { FuncCall } from 'sql-parser-cst';
import { Refusal } from '../refusal.ts';
import type { Scope, Sql } from '../scope.ts';
import type { Rule, Translator } from '../translator.ts';
import { arrayOf, describeType, isScalar, scalar, type Type, unknown } from '../type.ts';
import { overText } from './windows.ts';

/** How one aggregate is told to DuckDB, once its arguments are. */
interface Aggregate {
  readonly arity: readonly [least: number, most: number];
  readonly function: string;
  result(args: readonly Sql[]): Type;
  /** The arguments as DuckDB's function takes them; as they are where absent. */
  arguments?(node: FuncCall, args: readonly Sql[]): readonly string[];
  /** What the aggregate's value must be cast to, where DuckDB's type is another. */
  cast?(args: readonly Sql[]): string | undefined;
}

const int64 = () => scalar('INT64');
const same = ([arg]: readonly Sql[]): Type => arg?.type ?? unknown;
const ofType = (name: 'INT64' | 'NUMERIC', cast: string) => (args: readonly Sql[]) =>
  args[0] && isScalar(args[0].type, name) ? cast : undefined;

const aggregates: Readonly<Record<string, Aggregate>> = {
  count: { arity: [0, 1], function: 'count', result: int64 },
  countif: { arity: [1, 1], function: 'count_if', result: int64, cast: () => 'BIGINT' },
  sum: { arity: [1, 1], function: 'sum', result: same, cast: ofType('INT64', 'BIGINT') },
  avg: {
    arity: [1, 1],
    function: 'avg',
    result: ([arg]) => (arg && isScalar(arg.type, 'NUMERIC') ? arg.type : scalar('FLOAT64')),
    cast: ofType('NUMERIC', 'DECIMAL(38,9)'),
  },
  min: { arity: [1, 1], function: 'min', result: same },
  max: { arity: [1, 1], function: 'max', result: same },
  any_value: { arity: [1, 1], function: 'any_value', result: same },
  approx_quantiles: {
    arity: [2, 2],
    function: 'quantile_disc',
    result: ([arg]) => arrayOf(arg?.type ?? unknown),
    arguments: (node, [value]) => [value?.text ?? '', fractions(node)],
  },
};

/** The boundaries of n parts: n + 1 fractions. Exact quantiles stand for approximate ones. */
function fractions(node: FuncCall): string {
  const parts = node.args?.expr.args.items[1];
  if (parts?.type !== 'number_literal' || !Number.isInteger(parts.value) || parts.value < 1) {
    throw new Refusal(parts ?? node, 'APPROX_QUANTILES takes a positive integer literal here');
  }
  const { value } = parts;
  return `[${Array.from({ length: value + 1 }, (_, index) => index / value).join(', ')}]`;
}

export function aggregateOf(name: string): Rule<FuncCall> | undefined {
  const aggregate = Object.hasOwn(aggregates, name) ? aggregates[name] : undefined;
  return aggregate && ((node, scope, to) => write(node, name.toUpperCase(), aggregate, scope, to));
}

function write(node: FuncCall, name: string, aggregate: Aggregate, scope: Scope, to: Translator): Sql {
  const inside = node.args?.expr;
  const items = (inside?.args.items ?? []).filter(({ type }) => type !== 'all_columns');
  const args = items.map((item) => to.expr(item, scope));
  const [least, most] = aggregate.arity;
  if (args.length < least || args.length > most) {
    throw new Refusal(
      node,
      `${name} does not take (${args.map(({ type }) => describeType(type)).join(', ')})`,
    );
  }
  for (const extra of [node.filter, inside?.limit, inside?.having, inside?.orderBy]) {
    if (extra) throw new Refusal(extra, `${extra.type.replaceAll('_', ' ')} is not supported in ${name}`);
  }

  const texts = aggregate.arguments?.(node, args) ?? args.map(({ text }) => text);
  const distinct = inside?.distinctKw ? 'DISTINCT ' : '';
  const value = `${aggregate.function}(${distinct}${texts.join(', ') || '*'})${overText(node, scope, to)}`;
  const cast = aggregate.cast?.(args);
  return { text: cast ? `CAST(${value} AS ${cast})` : value, type: aggregate.result(args) };
}
