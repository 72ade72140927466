import { planningCosts } from '../macros/macros.ts';
import { isTooDeep, maxExpandedSize } from '../planning-cost/planning-limits.ts';
import type { Rules } from '../rules/context.ts';
import { type Scope, typedColumns } from '../rules/scope.ts';
import { type Place, Unsupported } from '../rules/unsupported.ts';
import { forEachPart } from '../tree/map.ts';
import type { Node } from '../tree/nodes.ts';
import { userParameter } from '../tree/own-parameters.ts';
import type { Type } from '../types.ts';

/** It ends the work at once, which a problem of one part does not. */
export class TooLarge extends Error {
  readonly place: Place;

  constructor(place: Place, message: string) {
    super(message);
    this.place = place;
  }
}

/** Problems of one text, of which one is shown: a text of unknown names only has thousands. */
export const maxProblems = 100;

/** Nodes of one tree, again wherever they are shared: so many are made in some milliseconds. */
const maxNodes = 10_000;

/** Columns of one subquery. */
const maxColumns = 300;

/** Scalars of one type: structs of structs grow exponentially. */
const maxTypeSize = 1_000;

/** Structs and arrays inside each other; BigQuery's tables may have 15. */
const maxTypeDepth = 15;

/**
 * Rules that refuse what grows too large. A short text can name one subquery, alias or row repeatedly, and that again: each
 * step is checked before the next one multiplies it.
 */
export function boundedRules({ expression, query, from }: Rules): Rules {
  const { count, nodes } = buildNodeCount();
  const requireSmallTree = (place: Place, tree: Node): void => {
    count(place, tree);
    if (planningCosts.of(tree).size > maxExpandedSize)
      throw new TooLarge(place, 'this query becomes too large; ask for less at once');
  };
  return {
    limits: { columns: requireFewColumns, nodes },
    expression(node, scope, context) {
      const resolved = withColumns(scope, () => expression(node, scope, context));
      // An answer to a caller's SQL is kept for all keys of its tenant.
      if (resolved.kind === 'parameter' && resolved.name === userParameter)
        throw new Unsupported(node, 'the function SESSION_USER is not supported in SQL of callers');
      count(node, resolved);
      const cost = planningCosts.of(resolved);
      if (cost.size > maxExpandedSize)
        throw new TooLarge(node, 'this expression becomes too large; compute parts of it in a common table');
      if (isTooDeep(cost))
        throw new TooLarge(
          node,
          'too many calls and subqueries are inside each other; compute parts of it in a common table',
        );
      requireSmall(node, resolved.type);
      return resolved;
    },
    query(node, scope, context) {
      const resolved = query(node, scope, context);
      const { columns } = resolved;
      requireFewColumns(node, columns.length);
      requireSmallTree(node, resolved.query);
      for (const { type } of columns) requireSmall(node, type);
      return resolved;
    },
    from(node, scope, context) {
      const resolved = from(node, scope, context);
      if (resolved.from) requireSmallTree(node, resolved.from);
      return resolved;
    },
  };
}

export function requireFewColumns(place: Place, columns: number): void {
  if (columns > maxColumns)
    throw new TooLarge(place, `this query has ${columns} columns; the limit is ${maxColumns}`);
}

/** A problem of types says which types there are. */
function withColumns<T>(scope: Scope, resolve: () => T): T {
  try {
    return resolve();
  } catch (error) {
    const isOfTypes =
      error instanceof Unsupported && /does not take \(|cannot be compared/.test(error.message);
    if (!isOfTypes || error.known !== undefined) throw error;
    throw new Unsupported(error.place, error.message, { known: () => typedColumns(scope) });
  }
}

/** Counts each part of every node once, although each step gives those of the steps before it again. */
function buildNodeCount() {
  const seen = new WeakSet<Node>();
  let counted = 0;
  const nodes = (place: Place, more: number): void => {
    if (counted + more > maxNodes)
      throw new TooLarge(place, 'sql becomes too large here; ask for less at once');
  };
  return {
    nodes,
    count(place: Place, root: Node): void {
      const countIn = (node: Node): void => {
        counted += 1;
        if (seen.has(node)) return;
        seen.add(node);
        forEachPart(node, countIn);
      };
      if (!seen.has(root)) countIn(root);
      nodes(place, 0);
    },
  };
}

function requireSmall(place: Place, type: Type): void {
  const { size, depth } = measureOf(type);
  if (size > maxTypeSize) throw new TooLarge(place, 'this value has too many fields; select fewer');
  if (depth > maxTypeDepth)
    throw new TooLarge(place, `structs and arrays may be inside each other ${maxTypeDepth} times, not more`);
}

interface Measure {
  readonly size: number;
  readonly depth: number;
}

/** Parts of a type are shared: each is measured once. */
const measures = new WeakMap<Type, Measure>();

function measureOf(type: Type): Measure {
  const known = measures.get(type);
  if (known !== undefined) return known;
  const parts = partsOf(type).map(measureOf);
  const measure = {
    size: parts.reduce((sum, { size }) => sum + size, 1),
    depth: Math.max(0, ...parts.map(({ depth }) => depth + 1)),
  };
  measures.set(type, measure);
  return measure;
}

function partsOf(type: Type): readonly Type[] {
  switch (type.kind) {
    case 'array':
    case 'range':
      return [type.element];
    case 'struct':
      return type.fields.map((field) => field.type);
    default:
      return [];
  }
}
