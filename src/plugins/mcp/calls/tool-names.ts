import type { Catalog } from '../../../catalog/model/saved-query.ts';
import { type PublicName, publicNames } from '../../../catalog/model/versions.ts';
import { mayQuery } from '../../../http/access/authorize.ts';
import { mayPassSql, type Principal } from '../../../keys/principal.ts';

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
  /** Any of a name, also one that the key may not call. */
  find(name: string): NamedTool | undefined;
}

/** Of each query its default version: the names of others have a character that names of tools have not. */
export function buildToolNames(catalog: Catalog): ToolNames {
  const byName = new Map<string, NamedTool>();
  const endpoints = publicNames(catalog).filter(({ isPinned }) => !isPinned);
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
  return {
    listed: (principal) =>
      current.filter(
        ({ endpoint, takesSql }) =>
          mayQuery(principal, endpoint.query) && (!takesSql || mayPassSql(principal)),
      ),
    find: (name) => byName.get(name),
  };
}
