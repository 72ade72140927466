import { literalOf } from './expressions.ts';
import {
  choose,
  elementOf,
  isArray,
  type Maker,
  orderedTypes,
  partitionTypes,
  pick,
  type Scope,
} from './maker.ts';
import { list, optional, sorted, sql, type Tree } from './tree.ts';

/** An aggregate of a type over the rows of a scope, whose value does not depend on their order; undefined if there is none. */
export function aggregateCall(
  maker: Maker,
  type: string,
  scope: Scope,
  depth: number,
  isWindow = false,
): Tree | undefined {
  const { random } = maker;
  const rows: Scope = {
    columns: scope.columns,
    key: scope.key,
    commonTables: scope.commonTables,
    allowsSubqueries: scope.allowsSubqueries,
  };
  const of = (argument: string) => maker.expression(argument, rows, Math.max(depth - 1, 0));
  const any = () => rowValue(maker, rows, orderedTypes, Math.max(depth - 1, 0));
  const varying = (argument: string) => rowValue(maker, rows, [argument], Math.max(depth - 1, 0));
  const distinct = () => (random.percent(25) && !isWindow ? 'DISTINCT ' : '');
  // Which row has the greatest value is not defined if several have it.
  const having = () =>
    random.percent(10) && !isWindow ? optional` HAVING ${pick(random, ['MAX', 'MIN'])} ${any()}` : '';
  const call = (name: string, argument: Tree) => sorted(type)`${name}(${argument})`;
  const ordered = orderedTypes.includes(type);
  const numeric = ['INT64', 'NUMERIC', 'BIGNUMERIC'].includes(type);
  return choose<Tree>(random, [
    [type === 'INT64' ? 2 : 0, () => sorted(type)`COUNT(*)`],
    [type === 'INT64' ? 2 : 0, () => call('COUNT', sql`${distinct()}${any()}`)],
    [type === 'INT64' ? 1 : 0, () => call('COUNTIF', of('BOOL'))],
    [type === 'INT64' ? 0.5 : 0, () => call(pick(random, ['BIT_AND', 'BIT_OR', 'BIT_XOR']), of(type))],
    [type === 'INT64' ? 3 : 0, () => call('SUM', sql`${distinct()}${smallInteger(maker, rows)}${having()}`)],
    [numeric ? 1 : 0, () => call('SUM', sql`${distinct()}${of(type)}${having()}`)],
    [type === 'NUMERIC' || type === 'BIGNUMERIC' ? 1 : 0, () => call('AVG', of(type))],
    [type === 'FLOAT64' ? 2 : 0, () => call('SUM', finiteNumber(maker, rows))],
    [type === 'FLOAT64' ? 2 : 0, () => call('AVG', sql`${distinct()}${finiteNumber(maker, rows)}`)],
    [type === 'FLOAT64' ? 1 : 0, () => call('AVG', smallInteger(maker, rows))],
    [ordered ? 3 : 0, () => call(pick(random, ['MIN', 'MAX']), sql`${varying(type)}${having()}`)],
    [ordered && !isWindow ? 1 : 0, () => sameValue(maker, type, varying(type))],
    [type === 'BOOL' ? 2 : 0, () => call(pick(random, ['LOGICAL_AND', 'LOGICAL_OR']), of('BOOL'))],
    [type === 'STRING' && !isWindow ? 2 : 0, () => joinedText(maker, varying)],
    [isArray(type) && !isWindow ? 4 : 0, () => collected(maker, type, varying)],
    [ordered && !isWindow ? 1 : 0, () => firstOf(maker, type, varying)],
  ]);
}

/** An aggregate whose last digits depend on the order of rows: nothing may be computed of it. */
export function inexactAggregate(maker: Maker, scope: Scope): Tree {
  const { random } = maker;
  const finite = () => finiteNumber(maker, scope);
  const names = ['STDDEV', 'STDDEV_POP', 'STDDEV_SAMP', 'VARIANCE', 'VAR_POP', 'VAR_SAMP'];
  return random.percent(70)
    ? sorted('FLOAT64')`${pick(random, names)}(${finite()})`
    : sorted('FLOAT64')`${pick(random, ['CORR', 'COVAR_POP', 'COVAR_SAMP'])}(${finite()}, ${finite()})`;
}

/** Numbers whose sums are exact in any order. */
function finiteNumber({ random, inputs }: Maker, scope: Scope): Tree {
  const columns = scope.columns.filter((column) => column.inputs === 'finite');
  const literals = inputs.get('finite')?.inputs ?? [];
  const one = () =>
    columns.length > 0 && random.percent(85) ? pick(random, columns).name : pick(random, literals).literal;
  return random.percent(80)
    ? sorted('FLOAT64')`${one()}`
    : sorted('FLOAT64')`IF(${one()} > ${one()}, ${one()}, ${one()})`;
}

function smallInteger(maker: Maker, scope: Scope): Tree {
  const columns = scope.columns.filter(({ inputs }) => inputs === 'small' || inputs === 'id');
  if (columns.length > 0 && maker.random.percent(90))
    return sorted('INT64')`${pick(maker.random, columns).name}`;
  return sorted('INT64')`${pick(maker.random, ['0', '1', '2', '-3', 'CAST(NULL AS INT64)'])}`;
}

function sameValue({ random }: Maker, type: string, value: Tree): Tree {
  return sorted(type)`ANY_VALUE(${value} HAVING ${pick(random, ['MAX', 'MIN'])} ${value})`;
}

function joinedText({ random }: Maker, of: (type: string) => Tree): Tree {
  const value = of('STRING');
  const limit = random.percent(20) ? optional` LIMIT ${pick(random, ['1', '2'])}` : '';
  return sorted(
    'STRING',
  )`STRING_AGG(${pick(random, ['', 'DISTINCT '])}${value}, ${pick(random, ["','", "''", "' - '"])} ORDER BY ${value}${pick(random, ['', ' DESC'])}${limit})`;
}

function collected(maker: Maker, type: string, of: (type: string) => Tree): Tree | undefined {
  const element = elementOf(type);
  if (!orderedTypes.includes(element)) return undefined;
  return sorted(type)`${listOf(maker, of(element))}`;
}

/** Values in a defined order. Several NULLs, and equal values, are one as good as the other. */
function listOf({ random }: Maker, value: Tree): Tree {
  const distinct = pick(random, ['', 'DISTINCT ']);
  const nulls = pick(random, [' IGNORE NULLS', ' IGNORE NULLS', ' RESPECT NULLS', '']);
  const limit = random.percent(25) ? optional` LIMIT ${pick(random, ['1', '2', '3'])}` : '';
  const order = pick(random, ['', ' DESC']);
  return sql`ARRAY_AGG(${distinct}${value}${nulls} ORDER BY ${value}${order}${limit})`;
}

const firstOf = (maker: Maker, type: string, of: (type: string) => Tree): Tree =>
  sorted(type)`${listOf(maker, of(type))}[SAFE_OFFSET(${pick(maker.random, ['0', '1'])})]`;

/** A window function of a type over the rows of a scope. */
export function windowCall(maker: Maker, type: string, scope: Scope, depth: number): Tree | undefined {
  const { random } = maker;
  const rows: Scope = { ...scope, allowsSubqueries: scope.allowsSubqueries && random.percent(20) };
  const of = (argument: string) => maker.expression(argument, rows, Math.max(depth - 1, 0));
  const window = (order: Order, frame: Frame = 'none') => windowOf(maker, rows, order, frame);
  const call = (text: Tree, order: Order, frame: Frame = 'none') =>
    sorted(type)`${text} OVER (${window(order, frame)})`;
  const isInt = type === 'INT64';
  const isRow = scope.key !== undefined && orderedTypes.includes(type);
  const navigation = () =>
    sql`${pick(random, ['FIRST_VALUE', 'LAST_VALUE'])}(${of(type)}${pick(random, ['', ' IGNORE NULLS', ' RESPECT NULLS'])})`;
  const shift = () =>
    sql`${pick(random, ['LAG', 'LEAD'])}(${of(type)}${optional`, ${pick(random, ['1', '0', '2'])}${random.percent(50) ? optional`, ${literalOf(maker, type) ?? 'NULL'}` : ''}`})`;
  return choose<Tree>(random, [
    [isInt ? 3 : 0, () => call(pick(random, ['RANK()', 'DENSE_RANK()']), 'any')],
    [isInt && scope.key ? 3 : 0, () => call('ROW_NUMBER()', 'total')],
    [isInt && scope.key ? 1 : 0, () => call(`NTILE(${pick(random, ['1', '2', '3', '7'])})`, 'total')],
    [type === 'FLOAT64' ? 2 : 0, () => call(pick(random, ['PERCENT_RANK()', 'CUME_DIST()']), 'any')],
    [isRow ? 2 : 0, () => call(shift(), 'total')],
    [isRow ? 2 : 0, () => call(navigation(), 'total', 'rows')],
    [
      isRow ? 1 : 0,
      () => call(sql`NTH_VALUE(${of(type)}, ${pick(random, ['1', '2', '3'])})`, 'total', 'rows'),
    ],
    [
      orderedTypes.includes(type) ? 0.7 : 0,
      () => call(sql`PERCENTILE_DISC(${of(type)}, ${pick(random, ['0', '0.5', '1'])})`, 'none'),
    ],
    [4, () => overWindow(maker, type, rows, depth, window)],
  ]);
}

type Order = 'none' | 'any' | 'total';
type Frame = 'none' | 'rows' | 'range';

function overWindow(
  maker: Maker,
  type: string,
  rows: Scope,
  depth: number,
  window: (order: Order, frame?: Frame) => Tree,
): Tree | undefined {
  const call = aggregateCall(maker, type, rows, depth, true);
  const total = rows.key ? 1 : 0;
  const over = choose<Tree>(maker.random, [
    [2, () => window('none')],
    [2, () => window('any')],
    [2 * total, () => window('total', 'rows')],
    [1, () => window('any', 'range')],
  ]);
  return call && sorted(type)`${call} OVER (${over ?? ''})`;
}

function windowOf(maker: Maker, scope: Scope, order: Order, frame: Frame): Tree {
  const { random } = maker;
  const partitions = random.some(2, () => rowValue(maker, scope, partitionTypes));
  const partition = partitions.length > 0 ? optional`PARTITION BY ${list(partitions)} ` : '';
  if (order === 'none') return partition;
  if (frame === 'range')
    return sql`${partition}ORDER BY ${smallInteger(maker, scope)}${direction(random.below(3))} RANGE ${bounds(maker)}`;
  const keys = [
    ...random.some(2, () => sql`${rowValue(maker, scope, orderedTypes)}${direction(random.below(6))}`),
    ...(order === 'total' ? (scope.key ?? []) : []),
  ];
  const sorts = keys.length > 0 ? keys : [rowValue(maker, scope, orderedTypes)];
  const rows = frame === 'rows' ? optional` ROWS ${bounds(maker)}` : '';
  return sql`${partition}ORDER BY ${list(sorts, ', ', order === 'total' ? sorts.length : 1)}${rows}`;
}

/** A value that is not a literal: neither GROUP BY nor the clauses of a window take one. */
export function rowValue(maker: Maker, scope: Scope, types: readonly string[], depth = 1): Tree {
  const { random } = maker;
  const columns = scope.columns.filter(({ type }) => types.includes(type));
  const column = columns.length > 0 ? pick(random, columns) : undefined;
  if (column && random.percent(70)) return sorted(column.type)`${column.name}`;
  const type = pick(random, types);
  const value = maker.expression(type, withoutSubqueries(scope), depth);
  if (typeof value !== 'string' && value.kind !== 'value') return value;
  return column ? sorted(column.type)`${column.name}` : sorted(type)`COALESCE(${value}, ${value})`;
}

export const withoutSubqueries = (scope: Scope): Scope => ({ ...scope, allowsSubqueries: false });

export const direction = (at: number): string =>
  ['', ' DESC', ' ASC', ' NULLS LAST', ' DESC NULLS FIRST', ' ASC NULLS FIRST'][at] ?? '';

function bounds({ random }: Maker): string {
  const all = [
    'UNBOUNDED PRECEDING',
    '2 PRECEDING',
    '1 PRECEDING',
    'CURRENT ROW',
    '1 FOLLOWING',
    '2 FOLLOWING',
    'UNBOUNDED FOLLOWING',
  ];
  const from = random.below(6);
  const to = Math.max(from, 1 + random.below(6));
  return `BETWEEN ${all[from]} AND ${all[to]}`;
}
