import { describe, expect, test } from 'vitest';
import { loadCatalog } from '../../src/catalog/folder/load-catalog.ts';
import {
  childrenOf,
  type Expression,
  type Node,
  parseQuery,
  type Select,
  walk,
} from '@querygate/bigquery-sql/syntax';

const dateParts = new Set(['second', 'minute', 'hour', 'day', 'week', 'month', 'year']);

/** True if an expression is the same for all rows: it contains no column and no subquery. */
function isConstant(node: Node): boolean {
  if (node.kind === 'Query') return false;
  if (node.kind === 'Path') return node.parts.length === 1 && dateParts.has(node.parts[0].name.toLowerCase());
  return childrenOf(node).every(
    (child) => (node.kind === 'FunctionCall' && child === node.name) || isConstant(child),
  );
}

/** The operands of the ANDs of a condition. */
const conjuncts = (node: Expression): readonly Expression[] =>
  node.kind === 'Logical' && node.operator === 'AND' ? node.operands.flatMap(conjuncts) : [node];

/** The tables in the FROM clause of a SELECT, each with its alias. */
function tablesOf({ from }: Select, names: ReadonlySet<string>): readonly string[] {
  const found: string[] = [];
  if (from)
    walk(from, (node) => {
      const isTable = node.kind === 'Table' && node.alias && names.has(node.path.parts[0].name);
      if (isTable && node.alias) found.push(node.alias.name);
    });
  return found;
}

/** True if the SELECT bounds the table's timestamp from below by a constant, as pruning needs it. */
const isBounded = ({ where }: Select, table: string): boolean =>
  (where ? conjuncts(where) : []).some((condition) => {
    if (condition.kind !== 'Comparison' || !['>', '>='].includes(condition.operator)) return false;
    const { left, right } = condition;
    const names = left.kind === 'Path' ? left.parts.map(({ name }) => name) : [];
    return names.join('.') === `${table}.timestamp` && isConstant(right);
  });

function unbounded(
  sql: string,
  names: ReadonlySet<string>,
): { tables: number; unbounded: readonly string[] } {
  const found: { readonly select: Select; readonly table: string }[] = [];
  walk(parseQuery(sql), (node) => {
    if (node.kind === 'Select')
      found.push(...tablesOf(node, names).map((table) => ({ select: node, table })));
  });
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
