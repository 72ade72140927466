import { type Node, parse } from 'sql-parser-cst';
import { describe, expect, test } from 'vitest';
import { loadCatalog } from '../../src/catalog/load-catalog.ts';

const dateParts = new Set(['second', 'minute', 'hour', 'day', 'week', 'month', 'year']);

type Tree = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node & Tree =>
  typeof value === 'object' && value !== null && 'type' in value;

function children(node: Tree): readonly (Node & Tree)[] {
  return Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter(isNode);
}

/** All nodes of a tree, the root included. */
function nodes(root: Node & Tree): readonly (Node & Tree)[] {
  return [root, ...children(root).flatMap(nodes)];
}

/** True if an expression is the same for all rows: it contains no column and no subquery. */
function isConstant(node: Node & Tree): boolean {
  if (node.type === 'select_stmt' || node.type === 'member_expr') return false;
  if (node.type === 'identifier') return dateParts.has(node.name.toLowerCase());
  return children(node).every(
    (child) => (node.type === 'func_call' && child === (node.name as Node)) || isConstant(child),
  );
}

/** The operands of the ANDs of a condition. */
function conjuncts(node: Node & Tree): readonly (Node & Tree)[] {
  if (node.type !== 'binary_expr') return [node];
  const operator: unknown = node.operator;
  if (isNode(operator) && operator.type === 'keyword' && operator.name === 'AND') {
    return [node.left, node.right].flatMap((side) => conjuncts(side as Node & Tree));
  }
  return [node];
}

/** The tables in the FROM clause of a SELECT, each with its alias. */
function tablesOf(select: Node & Tree, names: ReadonlySet<string>): readonly string[] {
  const from = children(select).find(({ type }) => type === 'from_clause');
  return (from === undefined ? [] : nodes(from)).flatMap((node) => {
    if (node.type !== 'alias' || node.expr.type !== 'identifier' || !names.has(node.expr.name)) return [];
    return node.alias.type === 'identifier' ? [node.alias.name] : [];
  });
}

/** True if the SELECT bounds the table's timestamp from below by a constant, as pruning needs it. */
function isBounded(select: Node & Tree, table: string): boolean {
  const where = children(select).find(({ type }) => type === 'where_clause');
  const conditions = where?.type === 'where_clause' ? conjuncts(where.expr as Node & Tree) : [];
  return conditions.some((condition) => {
    if (condition.type !== 'binary_expr' || !['>', '>='].includes(String(condition.operator))) return false;
    const { left, right } = condition;
    if (left.type !== 'member_expr' || left.object.type !== 'identifier') return false;
    const isTimestamp = left.property.type === 'identifier' && left.property.name === 'timestamp';
    return isTimestamp && left.object.name === table && isConstant(right as Node & Tree);
  });
}

function unbounded(
  sql: string,
  names: ReadonlySet<string>,
): { tables: number; unbounded: readonly string[] } {
  const program = parse(sql, { dialect: 'bigquery', paramTypes: ['@name'], includeRange: true }) as Node &
    Tree;
  const found = nodes(program)
    .filter(({ type }) => type === 'select_stmt')
    .flatMap((select) => tablesOf(select, names).map((table) => ({ select, table })));
  const open = found.filter(({ select, table }) => !isBounded(select, table)).map(({ table }) => table);
  return { tables: found.length, unbounded: open };
}

describe('BigQuery can prune partitions by timestamp', () => {
  const { queries, tables } = loadCatalog('queries');
  const names = new Set(tables.map(({ name }) => name));

  test.each(queries.map((query) => [query.name, query] as const))(
    '%s bounds the timestamp of every table it reads by a constant',
    (_, { sql }) => {
      const { tables, unbounded: open } = unbounded(sql, names);
      expect(open).toEqual([]);
      expect(tables).toBeGreaterThan(0);
    },
  );

  test.each([
    ['no bound', 'select 1 from edge_logs as t'],
    [
      'a bound in a CASE over the column',
      'select 1 from edge_logs as t where case when t.timestamp > @a then true end',
    ],
    [
      'a function of the column',
      "select 1 from edge_logs as t where timestamp_trunc(t.timestamp, day) > timestamp '2026-01-01'",
    ],
    [
      'a bound that is a subquery',
      'select 1 from edge_logs as t where t.timestamp > (select max(x) from edge_logs as o)',
    ],
    ['a bound that is a column', 'select 1 from edge_logs as t where t.timestamp > t.other'],
    [
      'a bound beside an OR',
      "select 1 from edge_logs as t where t.timestamp > timestamp '2026-01-01' or true",
    ],
  ])('%s would be found', (_, sql) => {
    expect(unbounded(sql, names).unbounded).toContain('t');
  });
});
