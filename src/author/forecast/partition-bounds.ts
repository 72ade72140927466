import { type Syntax, skip, walk } from '@querygate/bigquery-sql/syntax';
import { foldName } from '@querygate/text';
import type { Partitioning } from '../../engine-contract/engine.ts';

/** A condition on the column by which a table is partitioned. */
export interface PartitionBound {
  readonly column: string;
  readonly unit: Partitioning['unit'];
  /** As it is written. */
  readonly text: string;
  /** True if BigQuery cannot prune by it, because of what is around the column, and by no other condition beside it. */
  readonly isWrapped: boolean;
  /** The lower bound of rows, if it is a constant. */
  readonly after: ConstantText | undefined;
}

/** An expression without columns. */
export interface ConstantText {
  readonly expression: Syntax.Expression;
  readonly sql: string;
  /** The names of the parameters in it. */
  readonly parameters: ReadonlySet<string>;
}

interface PartitionedTable extends Partitioning {
  /** In lower case. */
  readonly alias: string;
}

/** Functions around a column through which BigQuery prunes. */
const pruning: ReadonlySet<string> = new Set([
  ...['TIMESTAMP', 'DATE', 'DATETIME'],
  ...['TIMESTAMP_TRUNC', 'DATE_TRUNC', 'DATETIME_TRUNC'],
]);

/** The conditions of each SELECT on columns by which its tables are partitioned. @param partitions by the tables' names as written */
export function partitionBounds(
  query: Syntax.Query,
  sql: string,
  partitions: ReadonlyMap<string, Partitioning>,
): readonly PartitionBound[] {
  const found: PartitionBound[] = [];
  walk(query, (node) => {
    if (node.kind !== 'Select' || node.from === undefined) return;
    const conditions: Syntax.Expression[] = node.where === undefined ? [] : [node.where];
    const tables: PartitionedTable[] = [];
    walk(node.from, (item) => {
      if (item.kind === 'Query') return skip;
      if (item.kind === 'Join' && item.condition?.kind === 'On') conditions.push(item.condition.condition);
      if (item.kind === 'Table') tables.push(...partitionedTable(item, partitions));
      return undefined;
    });
    for (const table of tables) {
      const bounds = conditions.flatMap(conjuncts).flatMap((one) => boundOf(one, table, sql));
      const prunes = bounds.some(({ isWrapped }) => !isWrapped);
      found.push(...bounds.filter(({ isWrapped }) => !(isWrapped && prunes)));
    }
  });
  return found;
}

function partitionedTable(
  { path, alias }: Syntax.Table,
  partitions: ReadonlyMap<string, Partitioning>,
): readonly PartitionedTable[] {
  const name = path.parts.map((part) => part.name).join('.');
  const partitioning = partitions.get(name);
  const own = alias?.name ?? name.split('.').at(-1) ?? '';
  return partitioning === undefined ? [] : [{ ...partitioning, alias: foldName(own) }];
}

const conjuncts = (condition: Syntax.Expression): readonly Syntax.Expression[] =>
  condition.kind === 'Logical' && condition.operator === 'AND'
    ? condition.operands.flatMap(conjuncts)
    : [condition];

function boundOf(
  condition: Syntax.Expression,
  table: PartitionedTable,
  sql: string,
): readonly PartitionBound[] {
  const { column, unit } = table;
  const bound = (
    value: Syntax.Expression,
    others: readonly Syntax.Expression[],
    after?: Syntax.Expression,
  ) => {
    const how = pathTo(value, table);
    if (how === 'absent' || !others.every(isConstant)) return [];
    const text = sql.slice(value.start, value.end).replace(/\s+/g, ' ');
    const isWrapped = how === 'wrapped';
    return [
      { column, unit, text, isWrapped, after: isWrapped ? undefined : after && constantOf(after, sql) },
    ];
  };
  if (condition.kind === 'Between' && !condition.negated)
    return bound(condition.operand, [condition.low, condition.high], condition.low);
  if (condition.kind !== 'Comparison' || condition.operator === '!=') return [];
  const { operator, left, right } = condition;
  const isLower = {
    '=': [true, true],
    '>': [true, false],
    '>=': [true, false],
    '<': [false, true],
    '<=': [false, true],
  }[operator];
  return [
    ...bound(left, [right], isLower?.[0] ? right : undefined),
    ...bound(right, [left], isLower?.[1] ? left : undefined),
  ];
}

/** How a value reaches the column: as it is, through a function that BigQuery looks through, or through another one. */
function pathTo(value: Syntax.Expression, table: PartitionedTable): 'pruning' | 'wrapped' | 'absent' {
  if (isColumn(value, table)) return 'pruning';
  if (value.kind === 'FunctionCall' && pruning.has(functionName(value))) {
    const [first] = value.args;
    if (first !== undefined && isColumn(first, table)) return 'pruning';
  }
  let isFound = false;
  walk(value, (node) => {
    if (node.kind === 'Query') return skip;
    isFound ||= isColumn(node, table);
    return undefined;
  });
  return isFound ? 'wrapped' : 'absent';
}

const functionName = ({ name }: Syntax.FunctionCall) => (name.parts.at(-1)?.name ?? '').toUpperCase();

function isColumn(node: Syntax.Node, { alias, column }: PartitionedTable): boolean {
  if (node.kind !== 'Path') return false;
  const [first, second, ...rest] = node.parts.map(({ name }) => foldName(name));
  const name = foldName(column);
  return second === undefined ? first === name : first === alias && second === name && rest.length === 0;
}

const dateParts =
  /^(?:MICROSECOND|MILLISECOND|SECOND|MINUTE|HOUR|DAY|WEEK|ISOWEEK|MONTH|QUARTER|YEAR|ISOYEAR)$/i;

/** BigQuery prunes by constants only. */
function isConstant(value: Syntax.Expression): boolean {
  let isFound = true;
  walk(value, (node, around) => {
    if (node.kind === 'Query') isFound = false;
    if (node.kind !== 'Path') return;
    const call = around.at(-1);
    const isName = call?.kind === 'FunctionCall' && call.name === node;
    isFound &&= isName || (node.parts.length === 1 && dateParts.test(node.parts[0].name));
  });
  return isFound;
}

function constantOf(expression: Syntax.Expression, sql: string): ConstantText {
  const parameters = new Set<string>();
  walk(expression, (node) => {
    if (node.kind === 'NamedParameter') parameters.add(node.name.name);
  });
  return { expression, sql, parameters };
}
