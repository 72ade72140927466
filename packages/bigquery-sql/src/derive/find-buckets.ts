import { conjunctsOf } from '../tree/build.ts';
import { isEqual } from '../tree/equal.ts';
import { forEachNode, forEachPart, someNode } from '../tree/map.ts';
import type { Expression, From, Join, Node, Query, Select, SetOperation, Unnest } from '../tree/nodes.ts';
import { keysOf, makesGroups, resultMembers } from '../tree/query-parts.ts';
import { isScalar } from '../types.ts';
import { NotDerivable } from './edit-text.ts';
import { axesOf, axisTime, readsNow, readsTime, rowTime } from './time-steps.ts';
import {
  commonBucket,
  isDetermined,
  itemsAfter,
  type Relation,
  resolveIn,
  resolveItem,
  type Scope,
  scopeOf,
  timeColumnOf,
  untimed,
} from './timed-relations.ts';
import { type Find, isBucket, type WindowEdge, WindowEdges } from './window-edges.ts';

/** The buckets of a query. */
export interface FoundBuckets {
  /** The column of the result that has them. */
  readonly bucket: { readonly column: string; readonly value: Expression; readonly descending: boolean };
  /** All by which the rows of a bucket depend on the current time. */
  readonly edges: readonly WindowEdge[];
}

type CommonTables = ReadonlyMap<string, () => Relation>;

/** @throws NotDerivable if rows of the result are not proved to depend on the rows of one bucket each */
export function findBuckets(
  query: Query,
  timeOf: (table: string) => string | undefined,
  find: Find,
): FoundBuckets {
  return new Search(timeOf, find).result(query);
}

class Search {
  readonly #timeOf: (table: string) => string | undefined;
  readonly #find: Find;
  readonly #edges: WindowEdges;

  constructor(timeOf: (table: string) => string | undefined, find: Find) {
    this.#timeOf = timeOf;
    this.#find = find;
    this.#edges = new WindowEdges(find);
  }

  result(query: Query): FoundBuckets {
    const { columns, isTimed } = this.#relation(query, new Map());
    if (!isTimed) throw new NotDerivable('it reads no table');
    const top = query.kind === 'with' ? query.body : query;
    const [first] = top.kind === 'select' ? top.orderBy : [];
    const shown = top.kind === 'select' && first ? orderedColumn(top, first.value) : undefined;
    const value = shown && columns.get(shown.name);
    if (!first || !value || !readsTime(value))
      throw new NotDerivable(
        'its ORDER BY does not begin with a column that is a bucket of time',
        this.#find(({ kind }) => kind === 'OrderByItem'),
      );
    const { name: column } = shown;
    if (!isScalar(shown.value.type, 'TIMESTAMP', 'DATETIME', 'DATE') || !isBucket(value))
      throw new NotDerivable(
        `the buckets of the column ${column} are not made by a function that is understood`,
      );
    for (const one of columns.values()) this.#edges.add(one);
    return { bucket: { column, value, descending: first.descending }, edges: this.#edges.found };
  }

  #relation(query: Query, tables: CommonTables): Relation {
    switch (query.kind) {
      case 'select':
        return this.#select(query, tables);
      case 'set':
        return this.#set(query, tables);
      case 'with': {
        const own = new Map(tables);
        for (const { name, query: inner, recursive } of query.tables) {
          const before = new Map(own);
          own.set(
            name,
            once(() => (recursive ? this.#recursive(inner) : this.#relation(inner, before))),
          );
        }
        return this.#relation(query.body, own);
      }
    }
  }

  #recursive(query: Query): Relation {
    if (!readsTables(query) && !readsNow(query)) return untimed;
    throw new NotDerivable(
      'a table that reads itself may put the rows of several buckets together',
      this.#find((node) => node.kind === 'With' && node.recursive),
    );
  }

  /** Values of one column of the union must be made in one way. */
  #set({ inputs }: SetOperation, tables: CommonTables): Relation {
    const relations = inputs.map((input) => ({
      ...this.#relation(input, tables),
      names: resultMembers(input).map(({ name }) => name),
    }));
    if (relations.some(({ axis }) => axis)) throw this.#edges.wrongAxis();
    const timed = relations.filter(({ isTimed }) => isTimed);
    const columns = new Map<string, Expression>();
    for (const [at, name] of (relations[0]?.names ?? []).entries()) {
      const [value, ...others] = timed.map(({ columns, names }) => columns.get(names[at] ?? ''));
      if (value && readsTime(value) && others.every((other) => other && isEqual(value, other)))
        columns.set(name, value);
    }
    for (const { columns } of relations) for (const value of columns.values()) this.#edges.add(value);
    return { columns, isTimed: timed.length > 0 };
  }

  #select(select: Select, tables: CommonTables): Relation {
    const { isTimed, axis, ...scope } = this.#from(select.from, tables, select.where);
    const resolve = (value: Expression) => resolveIn(value, scope);
    this.#checkSubqueries(select);
    const sorted = select.orderBy.map(({ value }) => value);
    for (const value of [...select.where, ...select.having, ...select.qualify, ...sorted])
      this.#edges.add(resolve(value));
    const keys = valuesOf(select).map(resolve);
    for (const key of keys) this.#edges.add(key);
    const columns = new Map<string, Expression>();
    for (const { name, value } of select.columns) {
      const resolved = resolve(value);
      if (isDetermined(resolved)) columns.set(name, resolved);
      else this.#edges.add(resolved);
    }
    if ((axis || isTimed) && hasWindow(select))
      throw new NotDerivable(
        'a window function sees the rows of several buckets',
        this.#find((node) => node.kind === 'FunctionCall' && node.over !== undefined),
      );
    if (axis && (isTimed || isGrouped(select) || select.limit || select.where.length > 0))
      throw this.#edges.wrongAxis();
    if (isTimed) this.#checkRows(select, keys);
    return { columns, isTimed, axis };
  }

  /** Each row must be of one bucket. */
  #checkRows(select: Select, keys: readonly Expression[]): void {
    if (select.limit || select.offset)
      throw new NotDerivable(
        'LIMIT chooses among the rows of all buckets',
        this.#find(({ kind }) => kind === 'Limit' || kind === 'PipeLimit'),
      );
    if (!isGrouped(select)) return;
    if (select.groupBy?.sets || !keys.some((key) => isDetermined(key) && readsTime(key)))
      throw new NotDerivable(
        'rows of several buckets are put together: no bucket of time is in GROUP BY',
        startOf(select) ?? this.#find(({ kind }) => kind === 'GroupBy'),
      );
  }

  #from(from: From | undefined, tables: CommonTables, where: readonly Expression[]): Scope {
    switch (from?.kind) {
      case undefined:
        return { items: new Map(), isTimed: false };
      case 'table':
        return this.#table(from);
      case 'derived':
        return scopeOf(from.alias, this.#relation(from.query, tables));
      case 'reference':
        return scopeOf(from.alias, tables.get(from.name)?.() ?? untimed);
      case 'unnest':
        return this.#unnest(from);
      case 'join':
        return this.#join(from, tables, where);
      case 'sample':
        throw new NotDerivable('TABLESAMPLE chooses other rows in each run', startOf(from));
    }
  }

  #table({ alias, name, start }: Extract<From, { kind: 'table' }>): Scope {
    const time = this.#timeOf(name);
    if (time === undefined)
      throw new NotDerivable(`the table ${name} has no TIMESTAMP that every row has (mode REQUIRED)`, start);
    return scopeOf(alias, { columns: timeColumnOf(time, rowTime), isTimed: true });
  }

  #unnest({ alias, array: axis, offset }: Unnest): Scope {
    if (!readsNow(axis)) return scopeOf(alias, untimed);
    if (offset)
      throw new NotDerivable(
        'WITH OFFSET counts from the beginning of an array that depends on the current time',
        this.#find((node) => 'withOffset' in node && node.withOffset !== undefined),
      );
    if (axesOf(axis) === undefined) throw this.#edges.wrongAxis();
    return scopeOf(alias, { columns: timeColumnOf('value', axisTime), isTimed: false, axis });
  }

  #join(
    { join, left: first, right: second, on }: Join,
    tables: CommonTables,
    where: readonly Expression[],
  ): Scope {
    const conditions = join === 'INNER' || join === 'CROSS' ? where : [];
    const left = this.#from(first, tables, conditions);
    const right = this.#from(resolveItem(second, left), tables, conditions);
    const bucket = commonBucket([...(on ? [on] : []), ...conditions].flatMap(conjunctsOf), left, right);
    if (left.axis && right.axis) throw this.#edges.wrongAxis();
    const axis = left.axis ?? right.axis;
    if (bucket && axis) this.#edges.addAxis(axis, bucket);
    if (on) this.#edges.add(resolveIn(on, { items: new Map([...left.items, ...right.items]) }));
    const isEither = !(left.isTimed && right.isTimed);
    const isKept = (value: Expression) =>
      !readsTime(value) || isEither || (bucket !== undefined && isEqual(value, bucket));
    const after = ({ items }: Scope, outer: string) =>
      itemsAfter(items, bucket, (value) => join !== outer && join !== 'FULL' && isKept(value));
    return {
      items: new Map([...after(left, 'RIGHT'), ...after(right, 'LEFT')]),
      isTimed: left.isTimed || right.isTimed,
      axis: bucket ? undefined : axis,
    };
  }

  /** Rows that a subquery reads are of no bucket. The queries in FROM are relations of their own. */
  #checkSubqueries(node: Node): void {
    forEachPart(node, (part) => {
      if (part.kind === 'table' || part.kind === 'derived' || part.kind === 'reference') return;
      if (part.kind === 'subquery' && readsTables(part.query))
        throw new NotDerivable(
          'a subquery in an expression reads a table without regard to the bucket',
          startOf(part) ??
            this.#find(({ kind }) => kind === 'ScalarSubquery' || kind === 'Exists' || kind === 'In'),
        );
      this.#checkSubqueries(part);
    });
  }
}

const once = <T>(compute: () => T): (() => T) => {
  let computed: { readonly value: T } | undefined;
  return () => {
    computed ??= { value: compute() };
    return computed.value;
  };
};

const isGrouped = (select: Select): boolean => select.distinct || makesGroups(select);

const hasWindow = ({ columns, orderBy, qualify }: Select): boolean =>
  qualify.length > 0 ||
  [...columns, ...orderBy].some(({ value }) =>
    someNode(value, (node) => node.kind === 'aggregate' && node.over !== undefined),
  );

/** The values of which each row, or group of rows, has others. */
const valuesOf = (select: Select): readonly Expression[] =>
  select.distinct && !select.groupBy ? select.columns.map(({ value }) => value) : keysOf(select);

/** The column of the result by which rows are ordered first. */
const orderedColumn = ({ columns }: Select, key: Expression): Select['columns'][number] | undefined =>
  key.kind === 'position' ? columns[key.index - 1] : columns.find(({ value }) => isEqual(value, key));

const readsTables = (query: Query): boolean =>
  someNode(query, ({ kind }) => kind === 'table' || kind === 'reference');

/** The place of the first table within a node. */
function startOf(node: Node): number | undefined {
  let start: number | undefined;
  forEachNode(node, (part) => {
    if (part.kind === 'table') start ??= part.start;
  });
  return start;
}
