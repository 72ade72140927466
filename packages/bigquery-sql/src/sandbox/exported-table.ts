import { tablesOf } from '../compile.ts';
import type { KnownValues } from '../passes/pass.ts';
import { runPasses } from '../passes/passes.ts';
import type { Relation } from '../rules/scope.ts';
import { and, boolLiteral, castTo, column, integerLiteral, or, select } from '../tree/build.ts';
import { freshNames } from '../tree/fresh-names.ts';
import { forEachNode } from '../tree/map.ts';
import type { CommonTable, Expression, Member, Query, RecordValue } from '../tree/nodes.ts';
import type { StoredColumn } from '../tree/stored-table.ts';
import { withTables } from '../tree/with-tables.ts';
import { arrayOf, duckdbType, scalar, structOf, type Type } from '../types.ts';
import { canFailOnTheWay } from './can-fail.ts';
import { conditionReader } from './condition-of.ts';
import { noLimit } from './filter-first.ts';
import type { OutlinedTable } from './outline.ts';
import type { TableRead } from './table-reads.ts';

/** A common table as a query by itself, of which a process that has nothing else gets the rows that it needs. */
export interface ExportedTable {
  readonly outline: OutlinedTable;
  /** The stored tables that it reads. */
  readonly tables: readonly string[];
  /**
   * The query for what is read of it: columns `c0`, `c1`, …, in the order of the read.
   *
   * @throws Error if the read names what the table does not have
   */
  query(read: TableRead, known: KnownValues): Query;
}

/** @param fresh makes aliases that are not in use */
export function exportTable(
  name: string,
  relation: Relation,
  commonTables: readonly CommonTable[],
  {
    fresh,
    parameterType,
  }: {
    readonly fresh: (prefix: string) => string;
    readonly parameterType: (name: string) => Type | undefined;
  },
): ExportedTable {
  const alias = fresh(name);
  const all = select({
    columns: relation.columns.map((one) => ({
      name: one.column,
      value: column(alias, one.column, one.type, one.required),
    })),
    from: relation.from(alias, 0, fresh),
  });
  const query = withTables(commonTables, all);
  const passed = runPasses(query, { known: {}, fresh: freshNames(query) }, laterPasses);
  const flat = flatten(passed);
  const isRead = readsStored(passed);
  const outline: OutlinedTable = {
    name,
    columns: relation.columns,
    isValue: relation.isValue ?? false,
    ...(relation.absent && { absent: relation.absent }),
    stored: relation.columns.map((one) => storedColumn(flat, one.column, one.column, one.required ?? false)),
    plain: new Set(flat.columns.filter(({ value }) => isRead(value)).map((member) => member.name)),
  };
  return {
    outline,
    tables: tablesOf(query),
    query: (read, known) => exportQuery(flat, { plain: outline.plain, parameterType }, read, known),
  };
}

/** Those that need values of parameters, or are of use only when it is known what is read. */
const laterPasses: ReadonlySet<string> = new Set([
  'fold parameters',
  'unnest in place',
  'prune columns',
  'top n first',
  'narrow quantiles',
  'join lists',
  'share json reads',
]);

/** A query with the fields of its records as columns of their own, named by their path. */
interface Flat {
  readonly columns: readonly Member[];
  /** The records by their paths. */
  readonly records: ReadonlyMap<string, RecordValue>;
  /** The query with other columns in their place. @param limit where it has none */
  readonly withColumns: (columns: readonly Member[], limit?: Expression) => Query;
}

function flatten(query: Query): Flat {
  const body = query.kind === 'with' ? query.body : query;
  if (body.kind !== 'select') throw new Error('passes keep the SELECT of a query');
  const records = new Map<string, RecordValue>();
  const parts = (path: string, value: Expression): readonly Member[] => {
    if (value.kind !== 'record') return [{ name: path, value }];
    records.set(path, value);
    const fields = value.fields.flatMap((field) => parts(`${path}.${field.name}`, field.value));
    return [{ name: path, value: value.present }, ...fields];
  };
  return {
    columns: body.columns.flatMap(({ name, value }) => parts(name, value)),
    records,
    withColumns(columns, limit = body.limit) {
      const select = { ...body, columns, ...(limit && { limit: body.limit ?? limit }) };
      return query.kind === 'with' ? { ...query, body: select } : select;
    },
  };
}

function storedColumn(flat: Flat, path: string, name: string, required: boolean): StoredColumn {
  const record = flat.records.get(path);
  const type = (record ?? valueAt(flat, path)).type;
  if (record === undefined) return { name, type, required };
  const fields = record.fields.map((field) => storedColumn(flat, `${path}.${field.name}`, field.name, false));
  return { name, type, required, fields };
}

function valueAt({ columns }: Flat, path: string): Expression {
  const found = columns.find(({ name }) => name === path);
  if (found === undefined) throw new Error(`a common table has no column ${path}`);
  return found.value;
}

/** Makes a test that is true for expressions that are a column of a stored table. */
function readsStored(query: Query): (value: Expression) => boolean {
  const aliases = new Set<string>();
  forEachNode(query, (node) => {
    if (node.kind === 'table') aliases.add(node.alias);
  });
  return (value) => value.kind === 'column' && aliases.has(value.from);
}

function exportQuery(
  flat: Flat,
  { plain, parameterType }: Comparable,
  read: TableRead,
  known: KnownValues,
): Query {
  const members = read.columns.map((path) => ({ name: path, value: valueAt(flat, path) }));
  const rows = (limit?: Expression) =>
    flat.withColumns(members.length > 0 ? members : [{ name: 'row', value: boolLiteral(true) }], limit);
  const fresh = freshNames(rows());
  const alias = fresh('rows');
  const columnOf = (path: string): Expression => {
    if (!plain.has(path) || !read.columns.includes(path)) throw new Error(`${path} cannot be compared`);
    return column(alias, path, valueAt(flat, path).type);
  };
  const condition = conditionReader({ column: columnOf, parameterType });
  const columns = members.map(({ name, value: { type } }, at) => {
    const value = column(alias, name, type);
    const exported = withTextIntervals(type);
    const isChanged = duckdbType(exported) !== duckdbType(type);
    return { name: `c${at}`, value: isChanged ? castTo(value, exported) : value };
  });
  const clauses = {
    columns: columns.length > 0 ? columns : [{ name: 'c0', value: boolLiteral(true) }],
    where: read.where.length > 0 ? [or(read.where.map((one) => and(one.map(condition))))] : [],
    orderBy: read.orderBy.map(({ column: path, descending, nulls }) => ({
      value: columnOf(path),
      descending,
      nulls: nulls === 'FIRST' ? ('FIRST' as const) : ('LAST' as const),
    })),
    ...(read.limit !== undefined && { limit: integerLiteral(read.limit) }),
  };
  const over = (query: Query): Query =>
    runPasses(
      select({ ...clauses, from: { kind: 'derived', alias, query } }),
      { known, fresh },
      withoutThresholds,
    );
  const query = over(rows());
  // DuckDB orders conditions as it likes: those of a text would decide for which rows one of the saved query is computed.
  return canFailOnTheWay(query) ? over(rows(noLimit)) : query;
}

/** Parquet has INTERVAL in milliseconds: each is written as text. */
function withTextIntervals(type: Type): Type {
  switch (type.kind) {
    case 'scalar':
      return type.name === 'INTERVAL' ? scalar('STRING') : type;
    case 'array':
      return arrayOf(withTextIntervals(type.element));
    case 'struct':
      return structOf(type.fields.map((field) => ({ ...field, type: withTextIntervals(field.type) })));
    default:
      return type;
  }
}

/** They are queries of their own, which would have to read the same snapshot. */
const withoutThresholds: ReadonlySet<string> = new Set(['top n first']);

/** The columns and parameters that conditions may compare. */
interface Comparable {
  readonly plain: ReadonlySet<string>;
  readonly parameterType: (name: string) => Type | undefined;
}
