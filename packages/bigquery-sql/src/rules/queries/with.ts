import { foldName } from '@querygate/text';
import type * as Syntax from '../../syntax/nodes.ts';
import type { CommonTable } from '../../tree/nodes.ts';
import { sameName } from '../../types.ts';
import { type Context, type ResolvedQuery, unknownQuery } from '../context.ts';
import { childOf, type Relation, type Scope } from '../scope.ts';
import { Unsupported } from '../unsupported.ts';
import { recursiveQuery } from './recursive-query.ts';
import { inOrderOfReading, tableReferences } from './table-references.ts';

/** The common tables of a WITH clause, and the scope that contains them. Each can use those before it. */
export interface CommonTables {
  readonly scope: Scope;
  readonly tables: readonly CommonTable[];
}

export function resolveWith(node: Syntax.With, parent: Scope, context: Context): CommonTables {
  requireDistinctNames(node);
  const relations = new Map<string, Relation>();
  const scope = { ...parent, relations };
  const written = node.recursive ? inOrderOfReading(node.tables) : node.tables;
  const tables = written.flatMap((table): readonly CommonTable[] => {
    const key = foldName(table.name.name);
    const name = context.fresh(table.name.name);
    const recursive = node.recursive && tableReferences(table.query).has(key);
    const { resolved, before } = recursive
      ? recursiveQuery({ node: table, name, scope, ...recursiveRules(name, context) }, context)
      : { resolved: context.attempt(() => context.query(table.query, scope), unknownQuery), before: [] };
    relations.set(key, commonRelation(name, resolved));
    return [...before, { name, writtenName: table.name.name, query: resolved.query, recursive }];
  });
  return { scope, tables };
}

const recursiveRules = (name: string, context: Context) => ({
  withTables: (node: Syntax.With, scope: Scope) => resolveWith(node, childOf(scope), context),
  relation: (resolved: ResolvedQuery) => commonRelation(name, resolved),
});

function requireDistinctNames({ tables }: Syntax.With): void {
  for (const [at, { name }] of tables.entries()) {
    if (tables.slice(0, at).some((other) => sameName(other.name.name, name.name)))
      throw new Unsupported(name, `WITH has two queries named ${name.name}`);
  }
}

/** A common table as FROM reads it. */
export const commonRelation = (name: string, { query: _, ...resolved }: ResolvedQuery): Relation => ({
  ...resolved,
  of: JSON.stringify({ name }),
  from: (alias) => ({ kind: 'reference', alias, name }),
});
