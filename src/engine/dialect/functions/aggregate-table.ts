import type { FuncCall } from 'sql-parser-cst';
import type { Sql } from '../scope.ts';
import { arrayOf, isScalar, scalar, type Type, unknown } from '../types.ts';
import { Unsupported } from '../unsupported.ts';

/** How one aggregate function is translated, after its arguments. */
export interface Aggregate {
  readonly arity: readonly [least: number, most: number];
  /** DuckDB's function. */
  readonly function: string;
  result(args: readonly Sql[]): Type;
  /** The type of every argument; any type if absent. */
  readonly takes?: Type;
  /** Translates the arguments for DuckDB's function; unchanged if absent. */
  arguments?(node: FuncCall, args: readonly Sql[]): readonly string[];
  /** Translates the result. Additional aggregates in it must be followed by `over`. */
  finish?(value: string, args: readonly Sql[], over: string): string;
  /** The clauses that are allowed inside the parentheses. */
  readonly allows?: readonly ('distinct' | 'order' | 'limit' | 'having' | 'ignore nulls')[];
  /** True for functions that exist only with OVER. */
  readonly window?: true;
}

const [int64, float64, bool, string] = [scalar('INT64'), scalar('FLOAT64'), scalar('BOOL'), scalar('STRING')];
const first = ([arg]: readonly Sql[]): Type => arg?.type ?? unknown;
const list = ([arg]: readonly Sql[]): Type => arrayOf(arg?.type ?? unknown);
const isInt = ([arg]: readonly Sql[]) => arg !== undefined && isScalar(arg.type, 'INT64');
const isFloat = ([arg]: readonly Sql[]) => arg !== undefined && isScalar(arg.type, 'FLOAT64');
const isNumeric = ([arg]: readonly Sql[]) => arg !== undefined && isScalar(arg.type, 'NUMERIC');
const isBignumeric = ([arg]: readonly Sql[]) => arg !== undefined && isScalar(arg.type, 'BIGNUMERIC');

const distinct = { allows: ['distinct'] } as const;
const toInt64 = (value: string) => `CAST(${value} AS BIGINT)`;

const statistic = (name: string): Aggregate => ({
  arity: [1, 1],
  function: name,
  takes: float64,
  result: () => float64,
  // DuckDB fails for NaN and infinities, for which BigQuery returns NaN.
  arguments: (_node, [arg]) => [`CASE WHEN isfinite(${arg?.text}) THEN ${arg?.text} END`],
  finish: (value, [arg], over) =>
    `CASE WHEN bool_or(NOT isfinite(${arg?.text}))${over} THEN CAST('nan' AS DOUBLE) ELSE ${value} END`,
  ...distinct,
});
const pairStatistic = (name: string, least = 1): Aggregate => ({
  arity: [2, 2],
  function: name,
  takes: float64,
  result: () => float64,
  finish: (value, [x, y], over) =>
    `CASE WHEN regr_count(${x?.text}, ${y?.text})${over} >= ${least} THEN ${value} END`,
  ...distinct,
});
const bits = (name: string): Aggregate => ({
  arity: [1, 1],
  function: name,
  takes: int64,
  result: () => int64,
  ...distinct,
});
const numbering = (name: string, result: Type = int64): Aggregate => ({
  arity: [0, 0],
  function: name,
  result: () => result,
  arguments: () => [''],
  window: true,
});
const navigation = (name: string, most: number, least = 1): Aggregate => ({
  arity: [least, most],
  function: name,
  result: first,
  allows: ['ignore nulls'],
  window: true,
});

const shifted = (name: string): Aggregate => ({
  ...navigation(name, 3),
  arguments: (node, args) => {
    const offset = node.args?.expr.args.items[1];
    if (offset && args[1]?.text.startsWith('CAST(-'))
      throw new Unsupported(offset, `the offset of ${name.toUpperCase()} must not be negative`);
    return args.map(({ text }) => text);
  },
});

/** Every aggregate and window function, by BigQuery's name in lower case. */
export const aggregates: Readonly<Record<string, Aggregate>> = {
  count: { arity: [0, 1], function: 'count', result: () => int64, ...distinct },
  countif: {
    arity: [1, 1],
    // DuckDB's count_if is a sum, which is NULL if every condition is NULL.
    function: 'count',
    takes: bool,
    result: () => int64,
    arguments: (_node, [condition]) => [`NULLIF(${condition?.text}, false)`],
    ...distinct,
  },
  sum: {
    arity: [1, 1],
    function: 'sum',
    result: first,
    finish: (value, args, over) => {
      if (isInt(args)) return toInt64(value);
      if (isNumeric(args)) return `bq.numeric_sum(${value})`;
      if (isBignumeric(args)) return `bq.bignumeric_sum(${value})`;
      if (!isFloat(args)) return value;
      const infinite = `bool_or(isinf(${args[0]?.text}))${over}`;
      return `CASE WHEN isinf(${value}) AND NOT ${infinite} THEN bq.fail('double overflow') ELSE ${value} END`;
    },
    ...distinct,
  },
  avg: {
    arity: [1, 1],
    function: 'avg',
    arguments: (node, args) => {
      if (isBignumeric(args)) throw new Unsupported(node, 'AVG of BIGNUMERIC is not supported');
      return [args[0]?.text ?? ''];
    },
    result: (args) => (isNumeric(args) ? scalar('NUMERIC') : float64),
    finish: (value, args) => (isNumeric(args) ? `CAST(${value} AS DECIMAL(38,9))` : value),
    ...distinct,
  },
  min: {
    arity: [1, 1],
    function: 'min',
    result: first,
    finish: (value, args, over) =>
      isFloat(args)
        ? `CASE WHEN bool_or(isnan(${args[0]?.text}))${over} THEN CAST('nan' AS DOUBLE) ELSE ${value} END`
        : value,
    ...distinct,
  },
  // In DuckDB NaN is the greatest number, so it is the result as in BigQuery.
  max: { arity: [1, 1], function: 'max', result: first, ...distinct },
  any_value: { arity: [1, 1], function: 'any_value', result: first, allows: ['having'] },
  max_by: { arity: [2, 2], function: 'arg_max_null', result: first },
  min_by: { arity: [2, 2], function: 'arg_min_null', result: first },
  logical_and: { arity: [1, 1], function: 'bool_and', takes: bool, result: () => bool, ...distinct },
  logical_or: { arity: [1, 1], function: 'bool_or', takes: bool, result: () => bool, ...distinct },
  bit_and: bits('bit_and'),
  bit_or: bits('bit_or'),
  bit_xor: bits('bit_xor'),
  array_agg: {
    arity: [1, 1],
    function: 'list',
    result: list,
    allows: ['distinct', 'order', 'limit', 'ignore nulls'],
  },
  array_concat_agg: {
    arity: [1, 1],
    function: 'list',
    result: first,
    finish: (value) => `flatten(list_filter(${value}, lambda a: a IS NOT NULL))`,
    allows: ['order', 'limit'],
  },
  string_agg: {
    arity: [1, 2],
    function: 'list',
    result: first,
    arguments: (node, args) => {
      if (
        !args.every(({ type }) => isScalar(type, 'STRING') || isScalar(type, 'BYTES') || type.kind === 'null')
      )
        throw new Unsupported(node, 'STRING_AGG takes STRING or BYTES');
      return [args[0]?.text ?? ''];
    },
    finish: (value, [arg, delimiter = { text: "','", type: string }]) =>
      arg && isScalar(arg.type, 'BYTES')
        ? `bq."array_to_string(a blob[], delimiter blob)"(${value}, ${delimiter.text})`
        : `${/^'([^']|'')*'$/.test(delimiter.text) ? '' : 'bq.'}array_to_string(${value}, ${delimiter.text})`,
    allows: ['distinct', 'order', 'limit'],
  },
  stddev: statistic('stddev_samp'),
  stddev_samp: statistic('stddev_samp'),
  stddev_pop: statistic('stddev_pop'),
  variance: statistic('var_samp'),
  var_samp: statistic('var_samp'),
  var_pop: statistic('var_pop'),
  corr: pairStatistic('corr', 2),
  covar_pop: pairStatistic('covar_pop'),
  covar_samp: pairStatistic('covar_samp'),
  grouping: { arity: [1, 1], function: 'grouping', result: () => int64 },
  approx_count_distinct: {
    arity: [1, 1],
    function: 'count',
    result: () => int64,
    arguments: (_node, [value]) => [`DISTINCT ${value?.text}`],
  },
  approx_quantiles: {
    arity: [2, 2],
    function: 'quantile_disc',
    result: list,
    arguments: (node, [value]) => [value?.text ?? '', fractions(node)],
    allows: ['distinct', 'ignore nulls'],
  },
  approx_top_count: {
    arity: [2, 2],
    function: 'histogram',
    result: ([arg]) =>
      arrayOf({
        kind: 'struct',
        fields: [
          { name: 'value', type: arg?.type ?? unknown },
          { name: 'count', type: int64 },
        ],
      }),
    arguments: (_node, [value]) => [value?.text ?? ''],
    finish: (value, [arg, n]) => `bq.top_count(${value}, count(*) - count(${arg?.text}), ${n?.text})`,
  },
  row_number: numbering('row_number'),
  rank: numbering('rank'),
  dense_rank: numbering('dense_rank'),
  percent_rank: numbering('percent_rank', float64),
  cume_dist: numbering('cume_dist', float64),
  ntile: { ...numbering('ntile'), arity: [1, 1], arguments: (_node, [n]) => [n?.text ?? ''] },
  lag: shifted('lag'),
  lead: shifted('lead'),
  first_value: navigation('first_value', 1),
  last_value: navigation('last_value', 1),
  nth_value: navigation('nth_value', 2, 2),
  percentile_cont: {
    arity: [2, 2],
    function: 'quantile_cont',
    takes: float64,
    result: () => float64,
    window: true,
  },
  percentile_disc: { arity: [2, 2], function: 'quantile_disc', result: first, window: true },
};

/** The n + 1 boundaries of n parts, as fractions. Exact quantiles replace approximate ones. */
function fractions(node: FuncCall): string {
  const parts = node.args?.expr.args.items[1];
  if (parts?.type !== 'number_literal' || !Number.isInteger(parts.value) || parts.value < 1) {
    throw new Unsupported(
      parts ?? node,
      'the second argument of APPROX_QUANTILES must be a positive integer literal',
    );
  }
  const { value } = parts;
  return `[${Array.from({ length: value + 1 }, (_, index) => index / value).join(', ')}]`;
}
