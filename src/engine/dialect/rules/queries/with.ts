import type * as Syntax from '../../syntax/nodes.ts';
import { someNode } from '../../tree/map.ts';
import type { CommonTable, Query } from '../../tree/nodes.ts';
import { sameName } from '../../types.ts';
import type { Context, ResolvedQuery } from '../context.ts';
import type { Relation, Scope } from '../scope.ts';
import { Unsupported } from '../unsupported.ts';
import { combine } from './set-operations.ts';

/** The common tables of a WITH clause, and the scope that contains them. Each can use those before it. */
export interface CommonTables {
  readonly scope: Scope;
  readonly tables: readonly CommonTable[];
}

export function resolveWith(node: Syntax.With, parent: Scope, context: Context): CommonTables {
  const relations = new Map<string, Relation>();
  const scope = { ...parent, relations };
  const tables = node.tables.map((table): CommonTable => {
    const key = table.name.name.toLowerCase();
    if (relations.has(key))
      throw new Unsupported(table.name, `WITH has two queries named ${table.name.name}`);
    const name = context.fresh(table.name.name);
    const recursive = node.recursive && mentions(table.query, table.name.name);
    const resolved = recursive
      ? recursiveQuery(table, name, relations, scope, context)
      : context.query(table.query, scope);
    relations.set(key, commonRelation(name, resolved));
    return { name, query: resolved.query, recursive };
  });
  return { scope, tables };
}

const commonRelation = (name: string, { columns, isValue }: ResolvedQuery): Relation => ({
  columns,
  isValue,
  from: (alias) => ({ kind: 'reference', alias, name }),
});

/** `anchor UNION ALL step`, where the step reads the rows that the step before it has found. */
function recursiveQuery(
  { name: label, query }: Syntax.CommonTable,
  name: string,
  relations: Map<string, Relation>,
  scope: Scope,
  context: Context,
): ResolvedQuery {
  const { body } = query;
  const [anchor, step, another] = body.kind === 'SetOperation' ? body.inputs : [];
  if (body.kind !== 'SetOperation' || body.operator !== 'UNION' || !anchor || !step || another)
    throw new Unsupported(
      label,
      'a recursive query is a UNION of two queries, of which the second refers to it',
    );
  if (query.orderBy.length > 0 || query.limit)
    throw new Unsupported(label, 'a recursive query takes no ORDER BY and no LIMIT');
  const key = label.name.toLowerCase();
  const first = context.query(asQuery(anchor), scope);
  relations.set(key, commonRelation(name, first));
  const next = context.query(asQuery(step), scope);
  relations.delete(key);
  const combined = combine(body, body, [first, next], context);
  return {
    ...combined,
    columns: first.columns.map((column, at) => ({ ...column, ...combined.columns[at] })),
  };
}

const asQuery = (node: Syntax.Select | Syntax.Query): Syntax.Query =>
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

/** A query after the common tables that it reads: BigQuery does not run the others. */
export function withTables(tables: readonly CommonTable[], body: Query): Query {
  const needed: CommonTable[] = [];
  for (const table of tables.toReversed()) {
    if ([body, ...needed.map(({ query }) => query)].some((reader) => reads(reader, table.name)))
      needed.unshift(table);
  }
  return needed.length === 0 ? body : { kind: 'with', tables: needed, body };
}

const reads = (reader: Query, name: string): boolean =>
  someNode(reader, (node) => node.kind === 'reference' && node.name === name);

/** Whether a query names a table without a path. */
function mentions(part: unknown, name: string): boolean {
  if (typeof part !== 'object' || part === null) return false;
  const { kind, path } = part as Partial<Syntax.Table>;
  if (kind === 'Table' && path && path.parts.length === 1 && sameName(path.parts[0].name, name)) return true;
  return Object.values(part).some((inner) => mentions(inner, name));
}
