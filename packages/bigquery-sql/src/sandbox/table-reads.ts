import { columnsRead } from '../passes/rewriting/columns-read.ts';
import { requiredItems } from '../passes/rewriting/from-items.ts';
import { forEachNode, someNode } from '../tree/map.ts';
import type { Expression, Literal, Operator, Query, Select, SortKey, Table } from '../tree/nodes.ts';
import type { ScalarName } from '../types.ts';
import { isCastable, maxDepth, maxParts, takes } from './condition-of.ts';

/**
 * The part of a table that a query needs: at least these columns of at least these rows. Plain data that can be sent.
 */
export interface TableRead {
  readonly table: string;
  /** The paths of stored columns. */
  readonly columns: readonly string[];
  /** Rows for which all conditions of one of the lists hold; all rows if there are no lists. */
  readonly where: readonly (readonly Predicate[])[];
  /** Only the first rows in this order, if there is a limit. */
  readonly orderBy: readonly {
    readonly column: string;
    readonly descending: boolean;
    readonly nulls: string;
  }[];
  readonly limit: number | undefined;
}

/**
 * A condition that cannot fail: comparisons of stored columns with constants, and what joins them. It can be written as
 * JSON: an INT64 is text.
 */
export type Predicate =
  | { readonly operator: Operator; readonly operands: readonly Predicate[] }
  | { readonly column: string }
  | { readonly type: ScalarName; readonly value: string | boolean }
  | { readonly type: ScalarName; readonly parameter: string };

interface ReadOptions {
  /** True if the values of a column, by its table and path, are read and not computed. */
  readonly isPlain: (table: string, path: string) => boolean;
  /** The value of a parameter that the query binds besides those of the saved query: its text as a literal. */
  readonly constant: (name: string) => Literal | undefined;
  readonly isParameter: (name: string) => boolean;
}

/** The reads of a query, one for each of its tables. */
export function tableReads(query: Query, options: ReadOptions): readonly TableRead[] {
  const columns = columnsRead(query);
  const reads = new Map<Table, TableRead>();
  forEachNode(query, (node) => {
    if (node.kind === 'table')
      reads.set(node, {
        ...wholeTable,
        table: node.name,
        columns: [...(columns.get(node.alias)?.keys() ?? [])],
      });
  });
  forEachNode(query, (node) => {
    if (node.kind !== 'select' || !node.from) return;
    for (const item of requiredItems(node.from)) {
      const read = item.kind === 'table' ? reads.get(item) : undefined;
      if (read !== undefined && item.kind === 'table')
        reads.set(item, { ...read, ...rowsRead(node, item, options) });
    }
  });
  return [...Map.groupBy(reads.values(), ({ table }) => table).values()].map(joined);
}

const wholeTable = { where: [], orderBy: [], limit: undefined } as const;

/** Of several reads of one table. */
function joined(reads: readonly TableRead[]): TableRead {
  const [first, second] = reads;
  if (first === undefined) throw new Error('a table that is not read');
  if (second === undefined) return first;
  const columns = [...new Set(reads.flatMap((read) => read.columns))];
  const where = reads.flatMap((read) => read.where);
  const isFiltered = reads.every((read) => read.where.length > 0) && partsOf(where.flat()) <= maxParts;
  return { ...first, ...wholeTable, columns, where: isFiltered ? where : [] };
}

const partsOf = (predicates: readonly Predicate[]): number =>
  predicates.reduce((sum, one) => sum + 1 + ('operator' in one ? partsOf(one.operands) : 0), 0);

type RowsRead = Pick<TableRead, 'where' | 'orderBy' | 'limit'>;

/** Which rows of a table a SELECT reads; the table occurs in nothing else. */
function rowsRead(node: Select, table: Table, options: ReadOptions): RowsRead {
  const conditions = node.where.flatMap((one) =>
    one.kind === 'operation' && one.operator === 'AND' ? one.operands : [one],
  );
  let parts = 0;
  const predicates = conditions.map((condition) => {
    const predicate = predicateOf(condition, table, options);
    if (predicate === undefined || parts + partsOf([predicate]) > maxParts) return undefined;
    parts += partsOf([predicate]);
    return predicate;
  });
  const usable = predicates.filter((predicate) => predicate !== undefined);
  const where = usable.length > 0 ? [usable] : [];
  const first = usable.length === predicates.length ? firstRows(node, table, options) : undefined;
  return { where, orderBy: first?.orderBy ?? [], limit: first?.limit };
}

/** The order and the number of rows that a SELECT takes of a table, if nothing but its conditions decides which. */
function firstRows(
  node: Select,
  table: Table,
  options: ReadOptions,
): Pick<TableRead, 'orderBy' | 'limit'> | undefined {
  const { from, distinct, groupBy, having, qualify, offset, limit, columns, orderBy } = node;
  if (from !== table || distinct || groupBy || offset || !isInteger(limit)) return undefined;
  if (having.length + qualify.length > 0 || orderBy.length > maxParts) return undefined;
  if (columns.some(({ value }) => someNode(value, makesOtherRows))) return undefined;
  const keys = orderBy.map((key) => keyOf(key, node, table, options));
  return keys.includes(undefined)
    ? undefined
    : { orderBy: keys.filter((key) => key !== undefined), limit: Number(limit.value) };
}

const isInteger = (value: Expression | undefined): value is Literal & { readonly value: bigint } =>
  value?.kind === 'literal' && typeof value.value === 'bigint';

/** Aggregates make one row of all, windows look at others, and arrays make several of one. */
const makesOtherRows = (node: { readonly kind: string; readonly function?: string }): boolean =>
  node.kind === 'aggregate' || (node.kind === 'call' && node.function === 'unnest');

function keyOf(
  { value, descending, nulls }: SortKey,
  { columns }: Select,
  table: Table,
  options: ReadOptions,
): TableRead['orderBy'][number] | undefined {
  const key = value.kind === 'position' ? columns[value.index - 1]?.value : value;
  const predicate = key && predicateOf(key, table, options);
  return predicate && 'column' in predicate ? { column: predicate.column, descending, nulls } : undefined;
}

function predicateOf(condition: Expression, table: Table, options: ReadOptions): Predicate | undefined {
  let parts = 0;
  const convert = (node: Expression, depth: number): Predicate | undefined => {
    parts += 1;
    if (parts > maxParts || depth > maxDepth) return undefined;
    switch (node.kind) {
      case 'column':
        return node.from === table.alias && options.isPlain(table.name, node.name)
          ? { column: node.name }
          : undefined;
      case 'literal':
        return literalPart(node);
      case 'parameter': {
        if (node.type.kind === 'scalar' && options.isParameter(node.name))
          return { type: node.type.name, parameter: node.name };
        const constant = options.constant(node.name);
        return constant && literalPart(constant);
      }
      case 'operation': {
        const types = node.operands.map(({ type }) => type);
        if (!takes(node.operator, types)) return undefined;
        const operands = node.operands.map((operand) => convert(operand, depth + 1));
        return operands.includes(undefined)
          ? undefined
          : { operator: node.operator, operands: operands.filter((operand) => operand !== undefined) };
      }
      default:
        return undefined;
    }
  };
  return convert(condition, 1);
}

function literalPart({ type, value }: Literal): Predicate | undefined {
  if (type.kind !== 'scalar' || value === null) return undefined;
  if (typeof value === 'boolean') return { type: type.name, value };
  const text = String(value);
  return isCastable(type.name, text) ? { type: type.name, value: text } : undefined;
}
