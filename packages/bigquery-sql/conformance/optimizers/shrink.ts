import { nullLiteral } from '../../src/tree/build.ts';
import { forEachPart, mapParts } from '../../src/tree/map.ts';
import type { Expression, From, Node, Query, Select } from '../../src/tree/nodes.ts';

/** How many smaller trees are tried. */
const maxTries = 1_000;

/** The smallest tree found for which a test holds. */
export async function shrink(query: Query, test: (query: Query) => Promise<boolean>): Promise<Query> {
  let smallest = query;
  let tries = 0;
  let progress = true;
  while (progress) {
    progress = false;
    for (const smaller of smallerTrees(smallest)) {
      tries += 1;
      if (tries > maxTries) return smallest;
      progress = await test(smaller);
      if (!progress) continue;
      smallest = smaller;
      break;
    }
  }
  return smallest;
}

/** Trees with one node less or simpler, the smallest first. Some are not valid. */
function* smallerTrees<N extends Node>(node: N): Generator<N> {
  // A node is replaced by nodes of its own group: a query by queries, an expression by expressions.
  yield* simplerNodes(node) as readonly N[];
  const parts: Node[] = [];
  forEachPart(node, (part) => parts.push(part));
  for (const [at, part] of parts.entries())
    for (const smaller of smallerTrees(part)) yield replacePart(node, at, smaller);
}

function replacePart<N extends Node>(node: N, index: number, replacement: Node): N {
  let at = 0;
  const replace = <P extends Node>(part: P): P => (at++ === index ? (replacement as P) : part);
  return mapParts(node, { expression: replace, query: replace, from: replace });
}

function simplerNodes(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'select':
      return simplerSelects(node);
    case 'set':
      return [...node.inputs, ...without(node.inputs).map((inputs) => ({ ...node, inputs }))];
    case 'with':
      return [node.body, ...without(node.tables).map((tables) => ({ ...node, tables }))];
    case 'join':
      return [node.left, node.right];
    case 'sample':
      return [node.of];
    case 'table':
    case 'reference':
    case 'derived':
    case 'unnest':
      return derivedItems(node);
    default:
      return simplerExpressions(node);
  }
}

function simplerSelects(node: Select): readonly Query[] {
  const { limit: _limit, offset: _offset, ...all } = node;
  const { groupBy: _groupBy, ...ungrouped } = node;
  const { from: _from, ...alone } = node;
  const shorter = <Key extends 'columns' | 'where' | 'having' | 'qualify' | 'orderBy'>(key: Key) =>
    without<Select[Key][number]>(node[key]).map((items): Select => ({ ...node, [key]: items }));
  return [
    ...(node.from?.kind === 'derived' ? [node.from.query] : []),
    ...(node.from ? [alone] : []),
    ...shorter('columns').filter(({ columns }) => columns.length > 0),
    ...shorter('where'),
    ...shorter('having'),
    ...shorter('qualify'),
    ...shorter('orderBy'),
    ...(node.limit || node.offset ? [all] : []),
    ...(node.groupBy ? [ungrouped] : []),
    ...(node.distinct ? [{ ...node, distinct: false }] : []),
  ];
}

/** `FROM (SELECT … FROM item)` becomes `FROM item`, if it has the same alias. */
const derivedItems = (node: From): readonly From[] => {
  if (node.kind !== 'derived' || node.query.kind !== 'select') return [];
  const { from } = node.query;
  return from && 'alias' in from ? [{ ...from, alias: node.alias }] : [];
};

function simplerExpressions(node: Expression): readonly Expression[] {
  if (node.kind === 'literal' || node.kind === 'column' || node.kind === 'position') return [];
  const parts: Expression[] = [];
  forEachPart(node, (part) => {
    if ('type' in part) parts.push(part);
  });
  return [...parts, nullLiteral(node.type)];
}

/** The lists that lack one of the items. */
const without = <T>(items: readonly T[]): readonly (readonly T[])[] =>
  items.map((_, at) => items.filter((__, other) => other !== at));
