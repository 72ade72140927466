import type { Catalog } from '../../../catalog/model/saved-query.ts';
import { type PublicName, publicNames } from '../../../catalog/model/versions.ts';
import { mayQuery } from '../../../call/gate.ts';
import { mayPassSql, type Principal } from '../../../keys/principal.ts';
import { memoize } from '../../../memoize.ts';
import { clientNames } from '../definitions/client-names.ts';
import { maxListedTools, searchNames } from '../definitions/search-tools.ts';

/** A tool: a saved query, or SQL of a model over its common tables. */
export interface NamedTool {
  /** As clients take it. */
  readonly name: string;
  /** That of the endpoint, with `.sql` behind it for SQL: calls may have it too, and the log has it. */
  readonly fullName: string;
  readonly endpoint: PublicName;
  readonly takesSql: boolean;
}

/** The tools of a version of the catalog. */
export interface ToolNames {
  /** Those that a key may call and whose queries are not deprecated, in the order of their names. */
  listed(principal: Principal): readonly NamedTool[];
  /** True if they are too many to be listed for a key: then it gets tools that find and run them. */
  areSearched(principal: Principal): boolean;
  /** Any of a name, or of a full name, also one that the key may not call. */
  find(name: string): NamedTool | undefined;
  /** The same, of those that are listed for a key. */
  findListed(name: string, principal: Principal): NamedTool | undefined;
  /** The tool for SQL over an endpoint. */
  sqlToolOf(endpoint: Pick<PublicName, 'name'>): NamedTool | undefined;
}

/**
 * Of each query its default version.
 *
 * @param tag of the queries; undefined: all. A query has the same name in each
 */
export function buildToolNames(catalog: Catalog, tag?: string): ToolNames {
  const all = toolsOf(catalog).filter(
    ({ endpoint }) => tag === undefined || endpoint.query.tags?.includes(tag) === true,
  );
  const byName = new Map([
    ...all.map((tool) => [tool.name, tool] as const),
    ...all.map((tool) => [tool.fullName, tool] as const),
  ]);
  const current = [...all]
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
    findListed(name, principal) {
      const found = byName.get(name);
      return found !== undefined && listed(principal).includes(found) ? found : undefined;
    },
    sqlToolOf: ({ name }) => all.find(({ endpoint, takesSql }) => takesSql && endpoint.name === name),
  };
}

const searched: ReadonlySet<string> = new Set(Object.values(searchNames));

/** Of all queries of a catalog. */
const toolsOf = memoize((catalog: Catalog): readonly NamedTool[] => {
  const endpoints = publicNames(catalog).filter(({ isPinned }) => !isPinned);
  const ofQueries = new Map(
    endpoints.map((endpoint) => [endpoint.name, { fullName: endpoint.name, endpoint, takesSql: false }]),
  );
  const forSql = endpoints
    .filter(({ name, query }) => query.querySandboxing === 'enabled' && !ofQueries.has(sqlToolName(name)))
    .map((endpoint) => ({ fullName: sqlToolName(endpoint.name), endpoint, takesSql: true }));
  const all = [...ofQueries.values(), ...forSql];
  const names = clientNames(
    all.map(({ fullName }) => fullName),
    searched,
  );
  return all.map((tool) => ({ ...tool, name: names.get(tool.fullName) ?? tool.fullName }));
});

const sqlToolName = (name: string): string => `${name}.sql`;
