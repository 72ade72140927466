import { foldName } from '@querygate/text';
import type * as Syntax from '../../syntax/nodes.ts';
import { forEachPart, someExpression, someNode } from '../../tree/map.ts';
import type { CommonTable, From, Join, Node, Query, Reference } from '../../tree/nodes.ts';
import { describeType, duckdbType } from '../../types.ts';
import { refuseCollations } from '../collation.ts';
import type { Context, ResolvedQuery } from '../context.ts';
import type { Relation, RelationColumn, Scope } from '../scope.ts';
import { type Place, Unsupported } from '../unsupported.ts';
import { combine } from './set-operations.ts';
import { tableReferences } from './table-references.ts';

/** A common table that reads itself, and the common tables of its own WITH clause, which come before it. */
export interface RecursiveQuery {
  readonly resolved: ResolvedQuery;
  readonly before: readonly CommonTable[];
}

/** The parts of resolving a WITH clause that a recursive query needs. */
export interface RecursiveTable {
  readonly node: Syntax.CommonTable;
  /** Its name in the tree. */
  readonly name: string;
  readonly scope: Scope;
  readonly withTables: (
    node: Syntax.With,
    scope: Scope,
  ) => { readonly scope: Scope; readonly tables: readonly CommonTable[] };
  readonly relation: (resolved: ResolvedQuery) => Relation;
}

/** `anchor UNION ALL step`, where the step reads the rows that the step before it has found. */
export function recursiveQuery(table: RecursiveTable, context: Context): RecursiveQuery {
  const { name: label, query } = table.node;
  const { body, anchor, step } = unionOf(label, query);
  const key = foldName(label.name);
  if (tableReferences(anchor).has(key))
    throw new Unsupported(label, `the first query of ${label.name}'s UNION must not read ${label.name}`);
  const { scope, tables } = query.with
    ? table.withTables(query.with, table.scope)
    : { scope: table.scope, tables: [] };

  const first = withoutPromises(context.query(anchor, scope));
  const relations = new Map([...scope.relations, [key, table.relation(first)]]);
  const next = context.query(step, { ...scope, relations });
  requireOneReference(label, next.query, table.name);
  refuseCollations(label, 'WITH RECURSIVE', [...first.columns, ...next.columns]);
  const combined = combine(body, body, [first, next], context);
  requireTypesOfAnchor(label, first.columns, combined.columns);
  const columns = first.columns.map((column, at) => ({ ...column, ...combined.columns[at] }));
  return { resolved: { ...combined, columns }, before: tables };
}

/** Columns without what may not hold in the rows of a step: that one is never NULL, or two are the same. */
const withoutPromises = (query: ResolvedQuery): ResolvedQuery => ({
  ...query,
  columns: query.columns.map(({ required: _, same: __, ...column }) => column),
});

/** The last query of the UNION is the step. */
function unionOf(label: Syntax.Identifier, query: Syntax.Query) {
  const { body } = query;
  const step = body.kind === 'SetOperation' ? body.inputs.at(-1) : undefined;
  if (body.kind !== 'SetOperation' || body.operator !== 'UNION' || !step)
    throw new Unsupported(label, 'a recursive query is a UNION of queries, of which the last refers to it');
  if (query.orderBy.length > 0 || query.limit || query.pipes.length > 0)
    throw new Unsupported(label, 'a recursive query takes no ORDER BY, no LIMIT and no pipe operators');
  const before = body.inputs.slice(0, -1);
  const [only, another] = before;
  const anchor = only && !another ? only : { ...body, inputs: before };
  return { body, anchor: asQuery(anchor), step: asQuery(step) };
}

const asQuery = (node: Syntax.Select | Syntax.Query | Syntax.SetOperation): Syntax.Query =>
  node.kind === 'Query'
    ? node
    : {
        kind: 'Query',
        start: node.start,
        end: node.end,
        with: undefined,
        body: node,
        orderBy: [],
        limit: undefined,
        pipes: [],
      };

function requireTypesOfAnchor(
  place: Place,
  anchor: readonly RelationColumn[],
  combined: readonly RelationColumn[],
): void {
  for (const [at, { name, type }] of anchor.entries()) {
    const found = combined[at]?.type ?? type;
    if (found.kind === 'unknown') continue;
    if (type.kind !== 'null' && duckdbType(type) !== duckdbType(found))
      throw new Unsupported(
        place,
        `column ${name} is ${describeType(type)} in the first query and becomes ${describeType(found)} in the last: CAST it`,
      );
  }
}

/** The step reads the rows before it once, row by row. */
function requireOneReference(place: Syntax.Identifier, step: Query, name: string): void {
  const isReference = (node: Node): node is Reference => node.kind === 'reference' && node.name === name;
  let count = 0;
  const inspect = (node: Node): void => {
    if (isReference(node)) count += 1;
    const reads = someNode(node, isReference);
    if (reads && node.kind === 'subquery')
      throw new Unsupported(place, `${place.name} cannot be read in a subquery of an expression`);
    if (reads && node.kind === 'select' && combinesRows(node))
      throw new Unsupported(
        place,
        `the query that reads ${place.name} takes no aggregates, no DISTINCT, no window functions, no ORDER BY and no LIMIT`,
      );
    if (node.kind === 'join' && isOuter(node) && someNode(missingSide(node), isReference))
      throw new Unsupported(place, `${place.name} cannot be the side of an outer join that may be missing`);
    forEachPart(node, inspect);
  };
  inspect(step);
  if (count > 1) throw new Unsupported(place, `${place.name} can be read once only in its own query`);
}

const isOuter = ({ join }: Join) => join === 'LEFT' || join === 'RIGHT' || join === 'FULL';

/** The side of an outer join whose rows may be missing; for FULL JOIN both. */
const missingSide = (node: Join): From =>
  node.join === 'LEFT' ? node.right : node.join === 'RIGHT' ? node.left : node;

/** True if a row of the result depends on several rows of FROM. */
function combinesRows(node: Extract<Query, { kind: 'select' }>): boolean {
  const { distinct, groupBy, orderBy, limit, columns, having, qualify } = node;
  if (distinct || groupBy || limit || orderBy.length > 0) return true;
  const expressions = [...columns.map(({ value }) => value), ...having, ...qualify];
  return expressions.some((value) => someExpression(value, ({ kind }) => kind === 'aggregate'));
}
