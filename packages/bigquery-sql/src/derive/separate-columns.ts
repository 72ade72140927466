import { separateValues } from '../analysis/separate-values.ts';
import { isParameter, memberValue } from '../analysis/tenant-conditions.ts';
import { conjunctsOf } from '../tree/build.ts';
import { macroName } from '../tree/macro-name.ts';
import { forEachPart } from '../tree/map.ts';
import type { Expression, From, Query, Select, Unnest } from '../tree/nodes.ts';
import { printExpression } from '../tree/print.ts';
import { resultMembers } from '../tree/query-parts.ts';

/** The columns of a relation that separate its rows; `none` if it reads neither a table nor the list. */
type Separation = ReadonlySet<string> | 'none';

/** The sources of rows beside the tables of the database. */
interface Tables {
  readonly list: string | undefined;
  /** The common tables that a query may refer to. */
  readonly common: ReadonlyMap<string, Separation>;
}

/**
 * The columns that separate the rows of a query: those with one value are computed only from rows of tables that have this
 * value in a column too. Of the tables of an outer join, a row may have none in place of them.
 *
 * @param query before any pass
 * @param list a parameter whose elements separate rows as those of a table do, and of which each row has one in the columns
 */
export function separateColumns(query: Query, list?: string): ReadonlySet<string> {
  const separation = separationOf(query, { list, common: new Map() });
  return separation === 'none' ? new Set() : separation;
}

const nothing: ReadonlySet<string> = new Set();

function separationOf(query: Query, tables: Tables): Separation {
  switch (query.kind) {
    case 'select':
      return ofSelect(query, tables);
    case 'with': {
      const known = new Map(tables.common);
      for (const { name, query: inner, recursive } of query.tables) {
        const own = recursive ? new Map(known).set(name, 'none') : known;
        const found = separationOf(inner, { ...tables, common: own });
        known.set(name, recursive && found !== 'none' ? nothing : found);
      }
      return separationOf(query.body, { ...tables, common: known });
    }
    case 'set': {
      const [first, ...others] = query.inputs.map((input) => positionsOf(input, separationOf(input, tables)));
      if ([first, ...others].every((one) => one === 'none')) return 'none';
      const names = query.inputs[0] ? resultMembers(query.inputs[0]).map(({ name }) => name) : [];
      const inAll = (at: number) => [first, ...others].every((one) => one !== 'none' && one?.has(at));
      return new Set(names.filter((_, at) => inAll(at)));
    }
  }
}

const positionsOf = (query: Query, separation: Separation): ReadonlySet<number> | 'none' =>
  separation === 'none'
    ? 'none'
    : new Set(resultMembers(query).flatMap(({ name }, at) => (separation.has(name) ? [at] : [])));

/** The values that rows must have in a list. */
export const membersOf = ({ where }: Select, list: string): readonly Expression[] =>
  where.flatMap((test) => memberValue(test, list) ?? []);

/** True for the elements of a list, without their places. */
export const isElementsOf = ({ array, offset }: Unnest, list: string): boolean =>
  !offset && isParameter(array, list);

/** One item of FROM. */
interface Item {
  readonly alias: string;
  /** Of a table each column may separate its rows. */
  readonly separation: Separation | 'any';
  /** The array whose elements it has. */
  readonly array?: Expression;
  /** The condition of the outer join in which a row may lack it. */
  readonly optional?: readonly Expression[];
}

function ofSelect(select: Select, tables: Tables): Separation {
  const items: Item[] = [];
  const tests = [...select.where];
  const isPlain =
    select.from === undefined || collect(select.from, { tables, items, tests, optional: undefined });
  if (!isPlain || readsInSubquery(select, tables)) return nothing;
  const reading = items.filter(({ separation }) => separation !== 'none');
  const members = tables.list === undefined ? [] : membersOf(select, tables.list);
  if (reading.length === 0) return members.length === 0 ? 'none' : nothing;
  const separate = separateValues(select);
  if (separate === undefined || select.limit || select.offset) return nothing;
  const found = new Set<string>();
  for (const { name, value } of select.columns) {
    if (!separate.ofRows(value)) continue;
    const equal = equalTo(value, tests);
    const isOfList = members.every((member) => equal.has(printExpression(member)));
    if (isOfList && reading.every((item) => isSeparated(item, items, equal))) found.add(name);
  }
  return found;
}

/** @returns false for joins whose conditions say nothing of the rows on the left */
function collect(
  from: From,
  into: {
    readonly tables: Tables;
    readonly items: Item[];
    readonly tests: Expression[];
    readonly optional: readonly Expression[] | undefined;
  },
): boolean {
  const { items, tables, tests, optional } = into;
  const add = (alias: string, separation: Item['separation'], array?: Expression) => {
    items.push({ alias, separation, ...(array && { array }), ...(optional && { optional }) });
    return true;
  };
  switch (from.kind) {
    case 'table':
      return add(from.alias, 'any');
    case 'reference':
      return add(from.alias, tables.common.get(from.name) ?? nothing);
    case 'derived':
      return add(from.alias, separationOf(from.query, tables));
    case 'unnest':
      return tables.list !== undefined && isElementsOf(from, tables.list)
        ? add(from.alias, 'any')
        : add(from.alias, 'none', from.array);
    case 'sample':
      return collect(from.of, into);
    case 'join': {
      const on = from.on ? conjunctsOf(from.on) : [];
      if (from.join === 'RIGHT' || from.join === 'FULL') return false;
      if (from.join === 'LEFT')
        return collect(from.left, into) && collect(from.right, { ...into, tests: [], optional: on });
      if (optional === undefined) tests.push(...on);
      return collect(from.left, into) && collect(from.right, into);
    }
  }
}

/** The values that equal one in each row, by their texts. */
function equalTo(value: Expression, tests: readonly Expression[]): Map<string, Expression> {
  const equal = new Map([[printExpression(value), value]]);
  for (let size = 0; size < equal.size; ) {
    size = equal.size;
    addEqual(equal, tests);
  }
  return equal;
}

function addEqual(equal: Map<string, Expression>, tests: readonly Expression[]): void {
  for (const test of tests) {
    if (test.kind !== 'operation' || test.operator !== '=') continue;
    const [left, right] = test.operands.map((value) => [printExpression(value), value] as const);
    if (left === undefined || right === undefined) continue;
    if (equal.has(left[0])) equal.set(...right);
    else if (equal.has(right[0])) equal.set(...left);
  }
}

/** True if a value of a set is one that separates the rows of an item. */
function isSeparated(item: Item, items: readonly Item[], known: ReadonlyMap<string, Expression>): boolean {
  const equal = new Map(known);
  // A row of the item is there only if the condition holds.
  if (item.optional !== undefined) addEqual(equal, item.optional);
  return [...equal.values()].some((value) => separates(value, item, items));
}

function separates(value: Expression, item: Item, items: readonly Item[]): boolean {
  const column = sourceOf(value);
  if (column === undefined) return false;
  const owner = items.find(({ alias }) => alias === column.from);
  if (owner !== item) return owner?.array !== undefined && separates(owner.array, item, items);
  if (item.separation === 'any') return true;
  // A computed value says less than the column: rows with equal values may have different ones.
  return item.separation !== 'none' && value.kind === 'column' && item.separation.has(value.name);
}

/** The only column from which a value is computed, and nothing else but literals. */
function sourceOf(value: Expression): Extract<Expression, { kind: 'column' }> | undefined {
  if (value.kind === 'column') return value;
  if (value.kind === 'record') return sourceOf(value.present);
  if (value.kind === 'field' || value.kind === 'element') return sourceOf(value.of);
  if (value.kind !== 'call' || macroName(value.function) !== 'regexp_extract') return undefined;
  const [subject, ...others] = value.args;
  return subject && others.every(({ kind }) => kind === 'literal') ? sourceOf(subject) : undefined;
}

/** True if a subquery in an expression reads a table or the list. */
function readsInSubquery(select: Select, tables: Tables): boolean {
  let found = false;
  const readIn = (node: Parameters<typeof forEachPart>[0]): void => {
    if (node.kind === 'subquery') found ||= separationOf(node.query, tables) !== 'none';
    const isFrom = node.kind === 'table' || node.kind === 'derived' || node.kind === 'reference';
    if (!isFrom) forEachPart(node, readIn);
  };
  forEachPart(select, readIn);
  return found;
}
