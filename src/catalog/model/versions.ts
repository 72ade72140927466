import { camelCase } from '../../names/graphql-names.ts';
import type { Catalog, SavedQuery } from './saved-query.ts';
import { parseVersionName, pinnedName } from './version-name.ts';

/** The parts of a query that its names follow from. */
export type VersionedQuery = Pick<SavedQuery, 'name' | 'isDefault'>;

/** The versions of one name, in the order of their files. */
interface Series<Query> {
  readonly base: string;
  readonly versions: readonly Query[];
  /** The version that the name alone means: the one whose header says so, else the file without a number. */
  readonly defaultVersion: Query | undefined;
}

const known = new WeakMap<readonly VersionedQuery[], ReadonlyMap<string, Series<VersionedQuery>>>();

/** The versions of all queries, by the name that they share. */
export function seriesOf<Query extends VersionedQuery>(
  queries: readonly Query[],
): ReadonlyMap<string, Series<Query>> {
  const made = known.get(queries);
  if (made !== undefined) return made as ReadonlyMap<string, Series<Query>>;
  const groups = Map.groupBy(queries, ({ name }) => parseVersionName(name).base);
  const series = new Map(
    [...groups].map(([base, versions]) => {
      const defaultVersion =
        versions.find(({ isDefault }) => isDefault) ?? versions.find(({ name }) => name === base);
      return [base, { base, versions, defaultVersion }] as const;
    }),
  );
  known.set(queries, series);
  return series;
}

const names = new WeakMap<readonly VersionedQuery[], ReadonlyMap<string, VersionedQuery>>();

/** The query that each name means: `name` the default version, `name@<number>` always the same one. */
export function queriesByName<Query extends VersionedQuery>(
  queries: readonly Query[],
): ReadonlyMap<string, Query> {
  const made = names.get(queries);
  if (made !== undefined) return made as ReadonlyMap<string, Query>;
  const byName = new Map<string, Query>();
  for (const { base, versions, defaultVersion } of seriesOf(queries).values()) {
    if (defaultVersion !== undefined) byName.set(base, defaultVersion);
    for (const query of versions) byName.set(pinnedName(parseVersionName(query.name)), query);
  }
  names.set(queries, byName);
  return byName;
}

/** One name under which callers find a query: in REST paths, and as a root field of GraphQL. */
export interface PublicName {
  readonly name: string;
  readonly field: string;
  readonly query: SavedQuery;
  /** True if it always means the same version. */
  readonly isPinned: boolean;
}

/**
 * The names that are shown to callers, in the order of the queries: that of the default, and each version's own. A query without
 * other versions is only shown by its name, though its number works too.
 *
 * @returns only names of queries that are in this part of the catalog
 */
export function publicNames({
  queries,
  all = queries,
}: Pick<Catalog, 'queries' | 'all'>): readonly PublicName[] {
  const series = seriesOf(all);
  return queries.flatMap((query) => {
    const version = parseVersionName(query.name);
    const { base } = version;
    const { versions = [], defaultVersion } = series.get(base) ?? {};
    const pinned = pinnedName(version);
    const isAlone = versions.length === 1 && query.name === base;
    return [
      ...(defaultVersion === query ? [{ name: base, field: camelCase(base), query, isPinned: false }] : []),
      ...(isAlone ? [] : [{ name: pinned, field: camelCase(pinned), query, isPinned: true }]),
    ];
  });
}

/** The first public name of each query: the name alone where it means that version. */
export function mainNames(catalog: Pick<Catalog, 'queries' | 'all'>): ReadonlyMap<SavedQuery, PublicName> {
  const main = new Map<SavedQuery, PublicName>();
  for (const name of publicNames(catalog)) if (!main.has(name.query)) main.set(name.query, name);
  return main;
}

/** True if the name alone means this version. */
export function isDefaultVersion(
  { queries, all = queries }: Pick<Catalog, 'queries' | 'all'>,
  query: SavedQuery,
): boolean {
  return seriesOf(all).get(parseVersionName(query.name).base)?.defaultVersion === query;
}
