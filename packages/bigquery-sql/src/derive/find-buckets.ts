import type { Node as SyntaxNode } from '../syntax/nodes.ts';
import { isEqual } from '../tree/equal.ts';
import { forEachNode, forEachPart, mapExpression, someExpression, someNode } from '../tree/map.ts';
import type {
  Column,
  Expression,
  From,
  Join,
  Node,
  Query,
  Select,
  SetOperation,
  Unnest,
} from '../tree/nodes.ts';
import { resultMembers } from '../tree/result-members.ts';
import { isScalar, scalar } from '../types.ts';
import { NotDerivable } from './edit-text.ts';
import { bucketsOf } from './time-ranges.ts';
import {
  type Axis,
  axesOf,
  axisTime,
  readsNow,
  readsTime,
  rowTime,
  waysFromNow,
  waysFromTime,
} from './time-steps.ts';

/** A comparison by which a row depends on the current time. */
export interface WindowEdge {
  /** From the time of the row. */
  readonly value: Expression;
  readonly operator: '<' | '<=' | '>' | '>=' | '=';
  /** From the current time; or the array whose first or last element it is. */
  readonly edge: Expression;
  readonly end?: keyof Axis;
}

/** The buckets of a query. */
export interface FoundBuckets {
  /** The column of the result that has them. */
  readonly bucket: { readonly column: string; readonly value: Expression; readonly descending: boolean };
  /** All by which the rows of a bucket depend on the current time. */
  readonly edges: readonly WindowEdge[];
}

type Find = (test: (node: SyntaxNode) => boolean) => number | undefined;

/**
 * The columns of a relation whose values are computed from the time of a row, from parameters and from the current time alone. If
 * one is computed from the time of a row, then each row of the relation with a value depends on those rows of tables only from
 * whose times the same value is computed.
 */
type Columns = ReadonlyMap<string, Expression>;

interface Relation {
  readonly columns: Columns;
  /** True if it has rows of tables. */
  readonly isTimed: boolean;
  /** The array of bucket starts that it has, as long as it is not compared with the buckets of rows. */
  readonly axis?: Expression | undefined;
}

const noColumns: Columns = new Map();

interface Scope {
  /** By alias. */
  readonly items: ReadonlyMap<string, Relation>;
  readonly isTimed: boolean;
  readonly axis?: Expression | undefined;
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
  readonly #edges: WindowEdge[] = [];

  constructor(timeOf: (table: string) => string | undefined, find: Find) {
    this.#timeOf = timeOf;
    this.#find = find;
  }

  result(query: Query): FoundBuckets {
    const { columns, isTimed } = this.#relation(query, new Map());
    if (!isTimed) throw new NotDerivable('it reads no table');
    const top = query.kind === 'with' ? query.body : query;
    const [first] = top.kind === 'select' ? top.orderBy : [];
    const at = top.kind === 'select' && first ? orderedColumn(top, first.value) : undefined;
    const column = at === undefined ? undefined : resultMembers(top)[at]?.name;
    const value = column === undefined ? undefined : columns.get(column);
    if (first === undefined || column === undefined || value === undefined || !readsTime(value))
      throw new NotDerivable(
        'its ORDER BY does not begin with a column that is a bucket of time',
        this.#find(({ kind }) => kind === 'OrderByItem'),
      );
    if (top.kind !== 'select') throw new NotDerivable('it is not ordered');
    const type = top.columns[at ?? 0]?.value.type;
    const ways = waysFromTime(value);
    if (!type || !isScalar(type, 'TIMESTAMP', 'DATETIME', 'DATE') || !ways?.every((way) => bucketsOf(way)))
      throw new NotDerivable(
        `the buckets of the column ${column} are not made by a function that is understood`,
      );
    for (const shown of columns.values()) this.#checkClock(shown);
    return { bucket: { column, value, descending: first.descending }, edges: this.#edges };
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
          const relation = () => this.#common(inner, recursive, before);
          own.set(name, once(relation));
        }
        return this.#relation(query.body, own);
      }
    }
  }

  #common(query: Query, recursive: boolean, tables: CommonTables): Relation {
    if (!recursive) return this.#relation(query, tables);
    if (readsTables(query) || readsNow(query))
      throw new NotDerivable(
        'a table that reads itself may put the rows of several buckets together',
        this.#find((node) => node.kind === 'With' && node.recursive),
      );
    return { columns: noColumns, isTimed: false };
  }

  /** Values of one column of the union must be made in one way. */
  #set({ inputs }: SetOperation, tables: CommonTables): Relation {
    const relations = inputs.map((input) => ({
      ...this.#relation(input, tables),
      names: resultMembers(input),
    }));
    if (relations.some(({ axis }) => axis)) throw this.#wrongAxis();
    const timed = relations.filter(({ isTimed }) => isTimed);
    const [first] = relations;
    const columns = new Map<string, Expression>();
    for (const [at, { name }] of (first?.names ?? []).entries()) {
      const values = timed.map(({ columns, names }) => columns.get(names[at]?.name ?? ''));
      const [value] = values;
      if (value !== undefined && readsTime(value) && values.every((other) => other && isEqual(value, other)))
        columns.set(name, value);
    }
    for (const { columns } of relations) for (const value of columns.values()) this.#checkClock(value);
    return { columns, isTimed: timed.length > 0 };
  }

  #select(select: Select, tables: CommonTables): Relation {
    const scope = this.#from(select.from, tables, select.where);
    const resolve = (value: Expression) => resolveIn(value, scope);
    this.#checkSubqueries(select);
    for (const condition of [...select.where, ...select.having]) this.#checkClock(resolve(condition));
    const columns = new Map<string, Expression>();
    for (const { name, value } of select.columns) {
      const resolved = resolve(value);
      if (isDetermined(resolved)) columns.set(name, resolved);
      else this.#checkClock(resolved);
    }
    if (!scope.isTimed) {
      if (scope.axis && (isGrouped(select) || select.limit || select.where.length > 0))
        throw this.#wrongAxis();
      return { columns, isTimed: false, axis: scope.axis };
    }
    if (scope.axis) throw this.#wrongAxis();
    for (const { value } of select.orderBy) this.#checkClock(resolve(value));
    this.#checkRows(select, scope);
    return { columns, isTimed: true };
  }

  /** Each row must be of one bucket. */
  #checkRows(select: Select, scope: Scope): void {
    const resolve = (value: Expression) => resolveIn(value, scope);
    if (select.limit || select.offset)
      throw new NotDerivable(
        'LIMIT chooses among the rows of all buckets',
        this.#find(({ kind }) => kind === 'Limit' || kind === 'PipeLimit'),
      );
    const isWindow = (node: Node) => node.kind === 'aggregate' && node.over !== undefined;
    if (select.qualify.length > 0 || select.columns.some(({ value }) => someNode(value, isWindow)))
      throw new NotDerivable(
        'a window function sees the rows of several buckets',
        this.#find((node) => node.kind === 'FunctionCall' && node.over !== undefined),
      );
    if (!isGrouped(select)) return;
    const { groupBy } = select;
    const keys = groupBy
      ? groupBy.keys.map((key) =>
          resolve(key.kind === 'position' ? (select.columns[key.index - 1]?.value ?? key) : key),
        )
      : select.distinct
        ? select.columns.map(({ value }) => resolve(value))
        : [];
    for (const key of keys) this.#checkClock(key);
    const isBucket = (key: Expression) => isDetermined(key) && readsTime(key);
    if (groupBy?.sets || !keys.some(isBucket))
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
        return itemOf(from.alias, this.#relation(from.query, tables));
      case 'reference':
        return itemOf(from.alias, tables.get(from.name)?.() ?? { columns: noColumns, isTimed: false });
      case 'unnest':
        return this.#unnest(from, new Map());
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
    return itemOf(alias, { columns: new Map([[time, hole(rowTime)]]), isTimed: true });
  }

  /** @param around the items to its left */
  #unnest({ alias, array }: Unnest, around: Scope['items']): Scope {
    const resolved = resolveIn(array, { items: around });
    if (!readsNow(resolved)) return itemOf(alias, { columns: noColumns, isTimed: false });
    if (axesOf(resolved) === undefined) throw this.#wrongAxis();
    return itemOf(alias, { columns: new Map([['value', hole(axisTime)]]), isTimed: false, axis: resolved });
  }

  #join(join: Join, tables: CommonTables, where: readonly Expression[]): Scope {
    const isInner = join.join === 'INNER' || join.join === 'CROSS';
    const left = this.#from(join.left, tables, isInner ? where : []);
    const right =
      join.right.kind === 'unnest'
        ? this.#unnest(join.right, left.items)
        : this.#from(join.right, tables, isInner ? where : []);
    const conditions = [...(join.on ? conjuncts(join.on) : []), ...(isInner ? where.flatMap(conjuncts) : [])];
    const both = { items: new Map([...left.items, ...right.items]) };
    const equal = commonBucket(conditions, left, right);
    if (left.axis && right.axis) throw this.#wrongAxis();
    const axis = left.axis ?? right.axis;
    const hasBoth = left.isTimed && right.isTimed;
    if (equal && axis) this.#addAxis(axis, equal);
    const merged: Scope = {
      items: new Map([
        ...itemsAfter(left.items, { equal, keeps: join.join !== 'RIGHT' && join.join !== 'FULL', hasBoth }),
        ...itemsAfter(right.items, { equal, keeps: join.join !== 'LEFT' && join.join !== 'FULL', hasBoth }),
      ]),
      isTimed: left.isTimed || right.isTimed,
      axis: equal ? undefined : axis,
    };
    if (join.on) this.#checkClock(resolveIn(join.on, both));
    return merged;
  }

  /** What a subquery reads is of no bucket. */
  #checkSubqueries(select: Select): void {
    forEachPart(select, (part) => {
      if (['table', 'derived', 'reference', 'unnest', 'join', 'sample'].includes(part.kind)) return;
      forEachNode(part, (node) => {
        if (node.kind !== 'subquery' || !readsTables(node.query)) return;
        throw new NotDerivable(
          'a subquery in an expression reads a table without regard to the bucket',
          startOf(node) ??
            this.#find(({ kind }) => kind === 'ScalarSubquery' || kind === 'Exists' || kind === 'In'),
        );
      });
    });
  }

  /** Buckets from the first to the last element. */
  #addAxis(array: Expression, value: Expression): void {
    if (!waysFromTime(value)?.every((way) => bucketsOf(way))) throw this.#wrongAxis();
    this.#edges.push({ value, operator: '>=', edge: array, end: 'first' });
    this.#edges.push({ value, operator: '<=', edge: array, end: 'last' });
  }

  /** The current time may only be compared with the time of a row. */
  #checkClock(value: Expression): void {
    if (!readsNow(value)) return;
    if (value.kind === 'operation' && this.#addComparison(value.operator, value.operands)) return;
    if (value.kind === 'parameter' || value.kind === 'subquery')
      throw new NotDerivable(
        'the current time is used otherwise than in a comparison with the time of a row',
        this.#find((node) => node.kind === 'FunctionCall' && /^current_/i.test(node.name.parts[0].name)),
      );
    forEachPart(value, (part) => this.#checkClock(part as Expression));
  }

  #addComparison(operator: string, operands: readonly Expression[]): boolean {
    const [one, other, third] = operands;
    if (!one || !other) return false;
    if (operator === 'BETWEEN' || operator === 'NOT BETWEEN')
      return third !== undefined && this.#addEdge(one, '>=', other) && this.#addEdge(one, '<=', third);
    const mirror = mirrored[operator];
    return (
      mirror !== undefined &&
      (this.#addEdge(one, operator as '<', other) || this.#addEdge(other, mirror, one))
    );
  }

  #addEdge(value: Expression, operator: WindowEdge['operator'], edge: Expression): boolean {
    if (!isDetermined(value) || !readsTime(value) || readsNow(value)) return false;
    if (!isDetermined(edge) || readsTime(edge)) return false;
    if (!readsNow(edge)) return true;
    if (!waysFromTime(value)?.every((way) => bucketsOf(way)) || !waysFromNow(edge)) return false;
    this.#edges.push({ value, operator, edge });
    return true;
  }

  #wrongAxis(): NotDerivable {
    return new NotDerivable(
      'an array that depends on the current time is not joined by equality with a bucket, or is not of whole buckets',
      this.#find((node) => node.kind === 'FunctionCall' && /^generate_/i.test(node.name.parts[0].name)),
    );
  }
}

const once = <T>(compute: () => T): (() => T) => {
  let computed: { readonly value: T } | undefined;
  return () => {
    computed ??= { value: compute() };
    return computed.value;
  };
};

const mirrored: Readonly<Record<string, WindowEdge['operator']>> = {
  '=': '=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

const hole = (from: string): Column => ({ kind: 'column', from, name: '', type: scalar('TIMESTAMP') });

const itemOf = (alias: string, relation: Relation): Scope => ({
  items: new Map([[alias, relation]]),
  isTimed: relation.isTimed,
  axis: relation.axis,
});

/** Replaces columns that are computed from times alone. */
const resolveIn = (value: Expression, { items }: Pick<Scope, 'items'>): Expression =>
  mapExpression(value, (node) =>
    node.kind === 'column' ? (items.get(node.from)?.columns.get(node.name) ?? node) : node,
  );

/** Longer ones are not followed: each column may be computed from several others. */
const maxNodes = 500;

/** True if a value is computed from times and parameters alone. */
function isDetermined(value: Expression): boolean {
  let nodes = 0;
  let isOther = false;
  forEachNode(value, (node) => {
    nodes += 1;
    isOther ||= node.kind === 'aggregate' || node.kind === 'subquery';
    isOther ||= node.kind === 'column' && node.from !== rowTime && node.from !== axisTime;
  });
  return !isOther && nodes <= maxNodes;
}

const conjuncts = (condition: Expression): readonly Expression[] =>
  condition.kind === 'operation' && condition.operator === 'AND'
    ? condition.operands.flatMap(conjuncts)
    : [condition];

/** The bucket of which the rows of both sides of a join are, as its conditions say. */
function commonBucket(conditions: readonly Expression[], left: Scope, right: Scope): Expression | undefined {
  for (const condition of conditions) {
    if (condition.kind !== 'operation' || condition.operator !== '=') continue;
    const [one, other] = condition.operands;
    if (!one || !other) continue;
    for (const [a, b] of [
      [resolveIn(one, left), resolveIn(other, right)],
      [resolveIn(other, left), resolveIn(one, right)],
    ] as const) {
      if (!isDetermined(a) || !isDetermined(b)) continue;
      if (isAxis(a) && left.axis && isTimeOnly(b)) return b;
      if (isAxis(b) && right.axis && isTimeOnly(a)) return a;
      if (isTimeOnly(a) && isEqual(a, b)) return a;
    }
  }
  return undefined;
}

const isAxis = (value: Expression) => value.kind === 'column' && value.from === axisTime;
const isTimeOnly = (value: Expression) =>
  readsTime(value) && !readsNow(value) && !someExpression(value, (node) => isAxis(node));

/** The columns that are still computed so after a join. */
function itemsAfter(
  items: Scope['items'],
  {
    equal,
    keeps,
    hasBoth,
  }: { readonly equal: Expression | undefined; readonly keeps: boolean; readonly hasBoth: boolean },
): Scope['items'] {
  const isKept = (value: Expression) => {
    if (!readsTime(value)) return keeps;
    return keeps && (!hasBoth || (equal !== undefined && isEqual(value, equal)));
  };
  const substitute = (value: Expression) =>
    equal === undefined ? value : mapExpression(value, (node) => (isAxis(node) ? equal : node));
  return new Map(
    [...items].map(([alias, { columns, ...relation }]) => [
      alias,
      {
        ...relation,
        columns: new Map(
          [...columns]
            .map(([name, value]) => [name, substitute(value)] as const)
            .filter(([, value]) => isKept(value)),
        ),
      },
    ]),
  );
}

const isGrouped = ({ groupBy, distinct, columns, having }: Select): boolean =>
  groupBy !== undefined ||
  distinct ||
  having.length > 0 ||
  columns.some(({ value }) =>
    someExpression(value, (node) => node.kind === 'aggregate' && node.over === undefined),
  );

/** The column of the result by which rows are ordered first. */
function orderedColumn({ columns }: Select, key: Expression): number | undefined {
  if (key.kind === 'position') return key.index - 1;
  const at = columns.findIndex(({ value }) => isEqual(value, key));
  return at < 0 ? undefined : at;
}

const readsTables = (query: Query): boolean =>
  someNode(query, ({ kind }) => kind === 'table' || kind === 'reference');

function startOf(node: Node): number | undefined {
  let start: number | undefined;
  forEachNode(node, (part) => {
    if (part.kind === 'table') start ??= part.start;
  });
  return start;
}
