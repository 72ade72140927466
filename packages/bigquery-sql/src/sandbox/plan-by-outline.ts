import { DuckDBTimestampTZValue } from '@duckdb/node-api';
import type { Bindings } from '../duckdb/bindings.ts';
import { computeTimes } from '../duckdb/compute-constants.ts';
import { callerTree, genericTree, type PlannedColumn, planHoisted } from '../duckdb/plan.ts';
import { hoist } from '../passes/constants/hoist.ts';
import { duckdbText } from '../passes/duckdb-text.ts';
import type { KnownValues } from '../passes/pass.ts';
import { columnsRead } from '../passes/rewriting/columns-read.ts';
import { literal } from '../tree/build.ts';
import { mapParts, type Mapper, mapperWith } from '../tree/map.ts';
import type { Literal, Query, Select } from '../tree/nodes.ts';
import { sameName, scalar } from '../types.ts';
import type { Outline } from './outline.ts';
import { type TableRead, tableReads } from './table-reads.ts';

/** How a caller's query runs where the common tables are tables that have what it reads, and nothing else. */
export interface OutlinePlan {
  readonly sql: string;
  readonly bindings: Bindings;
  readonly reads: readonly TableRead[];
}

interface PlanOptions {
  readonly columns: readonly PlannedColumn[];
  readonly maxRows: number;
  readonly known: KnownValues;
  /** The parameters of the saved query, and the time. */
  readonly bindings: Bindings;
  /** Given as false if what the query reads must not depend on how its columns are written. */
  readonly withPasses?: boolean;
}

/**
 * The SQL of a caller's query for DuckDB, and what it reads.
 *
 * @param query from `judgeByOutline`
 */
export function planByOutline(
  outline: Outline,
  query: Query,
  { columns, maxRows, known, bindings, withPasses = true }: PlanOptions,
): OutlinePlan {
  const tree = withPasses ? callerTree(query, columns, maxRows, known) : undefined;
  if (tree !== undefined) {
    const hoisted = hoist(tree, true);
    const { sql, constants } = planHoisted(hoisted);
    const complete = computeTimes(constants, bindings);
    if (complete !== undefined)
      return { sql, bindings: complete, reads: readsOf(outline, hoisted.query, complete) };
  }
  const generic = withoutUnread(genericTree(query, columns, maxRows));
  return { sql: duckdbText(generic), bindings, reads: readsOf(outline, generic, bindings) };
}

function readsOf({ parameters, tables }: Outline, query: Query, bindings: Bindings): readonly TableRead[] {
  const plain = new Map(tables.map((table) => [table.name, table.plain]));
  return tableReads(query, {
    isPlain: (table, path) => plain.get(table)?.has(path) ?? false,
    isParameter: (name) => parameters.some((parameter) => sameName(parameter.name, name)),
    constant: (name) => timeLiteral(bindings.get(name)?.value),
  });
}

function timeLiteral(value: unknown): Literal | undefined {
  if (!(value instanceof DuckDBTimestampTZValue)) return undefined;
  const seconds = value.micros / 1_000_000n - (value.micros % 1_000_000n < 0n ? 1n : 0n);
  const micros = value.micros - seconds * 1_000_000n;
  const text = new Date(Number(seconds) * 1000).toISOString().slice(0, 19).replace('T', ' ');
  return literal(scalar('TIMESTAMP'), `${text}.${String(micros).padStart(6, '0')}+00`);
}

/** The queries that put the columns of tables together, with only those that are read of them. */
function withoutUnread(query: Query): Query {
  const read = columnsRead(query);
  const mapper: Mapper = mapperWith({
    from(node) {
      if (node.kind !== 'derived' || !putsTogether(node.query)) return mapParts(node, mapper);
      const names = read.get(node.alias);
      const columns = node.query.columns.filter(({ name }) => names?.has(name));
      const none = [{ name: 'row', value: literal(scalar('BOOL'), true) }];
      return { ...node, query: { ...node.query, columns: columns.length > 0 ? columns : none } };
    },
  });
  return mapper.query(query);
}

/** True if a query only names the columns of a table, and puts its records together. */
function putsTogether(query: Query): query is Select {
  if (query.kind !== 'select' || query.from?.kind !== 'table' || query.distinct || query.groupBy)
    return false;
  const { columns, where, having, qualify, orderBy, limit, offset } = query;
  return (
    columns.every(({ value }) => value.kind === 'column' || value.kind === 'record') &&
    [where, having, qualify, orderBy].every((clause) => clause.length === 0) &&
    !limit &&
    !offset
  );
}
