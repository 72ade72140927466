import type { Catalog } from '../../../catalog/model/saved-query.ts';
import { type PublicName, publicNames } from '../../../catalog/model/versions.ts';
import { mayQuery } from '../../../http/access/authorize.ts';
import { mayPassSql, type Principal } from '../../../keys/principal.ts';
import { maxListedTools } from '../definitions/search-tools.ts';

/** A tool: a saved query, or SQL of a model over its common tables. */
export interface NamedTool {
  readonly name: string;
  readonly endpoint: PublicName;
  readonly takesSql: boolean;
}

/** The tools of a version of the catalog. */
export interface ToolNames {
  /** Those that a key may call and whose queries are not deprecated, in the order of their names. */
  listed(principal: Principal): readonly NamedTool[];
  /** Whether they are too many to be listed for a key: then it gets tools that find and run them. */
  areSearched(principal: Principal): boolean;
  /** Any of a name, also one that the key may not call. */
  find(name: string): NamedTool | undefined;
}

/**
 * Of each query its default version: the names of others have a character that names of tools have not.
 *
 * @param tag of the queries; undefined: all
 */
export function buildToolNames(catalog: Catalog, tag?: string): ToolNames {
  const byName = new Map<string, NamedTool>();
  const endpoints = publicNames(catalog).filter(
    ({ isPinned, query }) => !isPinned && (tag === undefined || query.tags?.includes(tag)),
  );
  for (const endpoint of endpoints) {
    byName.set(endpoint.name, { name: endpoint.name, endpoint, takesSql: false });
  }
  for (const endpoint of endpoints) {
    const name = `${endpoint.name}.sql`;
    if (endpoint.query.querySandboxing === 'enabled' && !byName.has(name))
      byName.set(name, { name, endpoint, takesSql: true });
  }
  const current = [...byName.values()]
    .filter(({ endpoint }) => endpoint.query.deprecated === undefined)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const listed = (principal: Principal) =>
    current.filter(
      ({ endpoint, takesSql }) => mayQuery(principal, endpoint.query) && (!takesSql || mayPassSql(principal)),
    );
  return {
    listed,
    areSearched: (principal) => listed(principal).length > maxListedTools,
    find: (name) => byName.get(name),
  };
}
