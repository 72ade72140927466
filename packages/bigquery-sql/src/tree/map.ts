import type { Aggregate, Bound, Expression, Frame, From, Node, Query, Select, Window } from './nodes.ts';

/** The functions that replace the parts of a node. */
export interface Mapper {
  expression(node: Expression): Expression;
  query(node: Query): Query;
  from(node: From): From;
}

/** Leaves every part as it is. */
export const unchanged: Mapper = {
  expression: (part) => part,
  query: (part) => part,
  from: (part) => part,
};

/** A mapper that replaces some kinds of parts, and goes into all others. */
export function mapperWith(own: Partial<Mapper>): Mapper {
  const mapper: Mapper = {
    expression: (part) => mapParts(part, mapper),
    query: (part) => mapParts(part, mapper),
    from: (part) => mapParts(part, mapper),
    ...own,
  };
  return mapper;
}

/** Copies a node with each of its direct parts mapped; the same node if no part changes. */
export function mapParts<N extends Node>(node: N, mapper: Mapper): N;
export function mapParts(node: Node, mapper: Mapper): Node {
  switch (node.kind) {
    case 'literal':
    case 'parameter':
    case 'column':
    case 'local':
    case 'position':
    case 'reference':
      return node;
    case 'table':
      return node.systemTime === undefined
        ? node
        : update(node, {
            systemTime: update(node.systemTime, { value: mapper.expression(node.systemTime.value) }),
          });
    case 'call':
      return update(node, { args: mapAll(node.args, mapper.expression) });
    case 'operation':
      return update(node, { operands: mapAll(node.operands, mapper.expression) });
    case 'list':
      return update(node, { items: mapAll(node.items, mapper.expression) });
    case 'cast':
      return update(node, { value: mapper.expression(node.value) });
    case 'field':
    case 'element':
      return update(node, { of: mapper.expression(node.of) });
    case 'lambda':
      return update(node, { body: mapper.expression(node.body) });
    case 'struct':
      return update(node, { fields: mapMembers(node.fields, mapper) });
    case 'record':
      return update(node, {
        present: mapper.expression(node.present),
        fields: mapMembers(node.fields, mapper),
      });
    case 'case':
      return update(node, {
        branches: mapAll(node.branches, (branch) =>
          update(branch, { when: mapper.expression(branch.when), result: mapper.expression(branch.result) }),
        ),
        ...(node.otherwise && { otherwise: mapper.expression(node.otherwise) }),
      });
    case 'aggregate':
      return mapAggregate(node, mapper);
    case 'subquery':
      return update(node, {
        query: mapper.query(node.query),
        ...(node.value && { value: mapper.expression(node.value) }),
      });
    case 'select':
      return mapSelect(node, mapper);
    case 'set':
      return update(node, { inputs: mapAll(node.inputs, mapper.query) });
    case 'with':
      return update(node, {
        tables: mapAll(node.tables, (table) => update(table, { query: mapper.query(table.query) })),
        body: mapper.query(node.body),
      });
    case 'derived':
      return update(node, { query: mapper.query(node.query) });
    case 'unnest':
      return update(node, { array: mapper.expression(node.array) });
    case 'join':
      return update(node, {
        left: mapper.from(node.left),
        right: mapper.from(node.right),
        ...(node.on && { on: mapper.expression(node.on) }),
      });
    case 'sample':
      return update(node, { of: mapper.from(node.of) });
  }
}

/** Calls a function with each direct part of a node, in the order of the text. */
export function forEachPart(node: Node, use: (part: Node) => void): void {
  const each = <N extends Node>(part: N): N => {
    use(part);
    return part;
  };
  mapParts(node, { expression: each, query: each, from: each });
}

/** True if a test holds for a node or any node below it. */
export function someNode(node: Node, test: (node: Node) => boolean): boolean {
  if (test(node)) return true;
  let found = false;
  forEachPart(node, (part) => {
    found ||= someNode(part, test);
  });
  return found;
}

/** True if a test holds for an expression or any expression below it, but not in a subquery. */
export function someExpression(node: Expression, test: (node: Expression) => boolean): boolean {
  if (test(node)) return true;
  let found = false;
  forEachPart(node, (part) => {
    found ||= isExpression(part) && someExpression(part, test);
  });
  return found;
}

/** Of the parts of an expression, which are expressions and queries. */
const isExpression = (part: Node): part is Expression => !['select', 'set', 'with'].includes(part.kind);

/** Calls a function with a node and every node below it. */
export function forEachNode(node: Node, use: (node: Node) => void): void {
  use(node);
  forEachPart(node, (part) => forEachNode(part, use));
}

/** How many nodes a tree has. */
export function sizeOf(node: Node): number {
  let size = 0;
  forEachNode(node, () => {
    size += 1;
  });
  return size;
}

/** Replaces an expression and every expression below it, from the leaves up. */
export const mapExpression = (node: Expression, replace: (node: Expression) => Expression): Expression =>
  replace(mapExpressions(node, replace));

/** Replaces every expression below a node, from the leaves up. */
export function mapExpressions<N extends Node>(node: N, replace: (node: Expression) => Expression): N {
  const mapper: Mapper = mapperWith({ expression: (part) => replace(mapParts(part, mapper)) });
  return mapParts(node, mapper);
}

/** Replaces every SELECT of a query, from the leaves up. */
export function mapSelects(query: Query, replace: (select: Select) => Query): Query {
  const mapper: Mapper = mapperWith({
    query(part) {
      const mapped = mapParts(part, mapper);
      return mapped.kind === 'select' ? replace(mapped) : mapped;
    },
  });
  return mapper.query(query);
}

const mapAggregate = (node: Aggregate, mapper: Mapper): Aggregate =>
  update(node, {
    args: mapAll(node.args, mapper.expression),
    ...(node.orderBy && { orderBy: mapMembers(node.orderBy, mapper) }),
    ...(node.filter && { filter: mapper.expression(node.filter) }),
    ...(node.over && { over: mapWindow(node.over, mapper) }),
  });

function mapSelect(node: Select, mapper: Mapper): Select {
  const { expression } = mapper;
  return update(node, {
    columns: mapMembers(node.columns, mapper),
    ...(node.from && { from: mapper.from(node.from) }),
    where: mapAll(node.where, expression),
    ...(node.groupBy && {
      groupBy: update(node.groupBy, { keys: mapAll(node.groupBy.keys, expression) }),
    }),
    having: mapAll(node.having, expression),
    qualify: mapAll(node.qualify, expression),
    orderBy: mapMembers(node.orderBy, mapper),
    ...(node.limit && { limit: expression(node.limit) }),
    ...(node.offset && { offset: expression(node.offset) }),
  });
}

const mapMembers = <M extends { readonly value: Expression }>(
  members: readonly M[],
  { expression }: Mapper,
) => mapAll(members, (member) => update(member, { value: expression(member.value) } as Partial<M>));

const mapWindow = (node: Window, mapper: Mapper): Window =>
  update(node, {
    partitionBy: mapAll(node.partitionBy, mapper.expression),
    orderBy: mapMembers(node.orderBy, mapper),
    ...(node.frame && { frame: mapFrame(node.frame, mapper) }),
  });

const mapFrame = (node: Frame, mapper: Mapper): Frame =>
  update(node, { begin: mapBound(node.begin, mapper), end: mapBound(node.end, mapper) });

const mapBound = (node: Bound, { expression }: Mapper): Bound =>
  'amount' in node && node.amount ? update(node, { amount: expression(node.amount) }) : node;

/** The same array if no item changes. */
function mapAll<T>(items: readonly T[], map: (item: T) => T): readonly T[] {
  let changed: T[] | undefined;
  for (const [at, item] of items.entries()) {
    const mapped = map(item);
    if (changed) changed.push(mapped);
    else if (mapped !== item) changed = [...items.slice(0, at), mapped];
  }
  return changed ?? items;
}

/** The same object if no property changes. */
function update<T extends object>(object: T, properties: Partial<T>): T {
  for (const name in properties) {
    if (object[name] !== properties[name]) return { ...object, ...properties };
  }
  return object;
}
