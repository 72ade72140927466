import {
  camelCase,
  lookUpQuery,
  parseVersionName,
  pinnedName,
  publicNames,
  seriesOf,
} from 'querygate/catalog';
import type { SavedQuery } from 'querygate';
import { type Change, change, type Pair, removal } from '../change.ts';

/** All queries of both versions of the folder: an address leads to one of them. */
export interface BothCatalogs {
  readonly before: readonly SavedQuery[];
  readonly after: readonly SavedQuery[];
}

/** Changes of the names, the UUID and the aliases of an endpoint. */
export function compareAddresses(pair: Pair, all: BothCatalogs): readonly Change[] {
  const { before, after } = pair;
  const leadsTo = (address: string) => lookUpQuery({ queries: all.after }, address);
  const changes: Change[] = [];
  const isRenamed = before.name !== after.name;
  const lost = publicNamesOf(before, all.before).filter((name) => {
    const found = leadsTo(name);
    return found === undefined || (isRenamed && found !== after);
  });
  if (lost.length > 0) changes.push(change('endpoint-renamed', [], renamedText(pair, lost, leadsTo)));
  else if (isRenamed)
    changes.push(change('endpoint-renamed-with-alias', [], `${before.name} is ${after.name} now`));
  if (before.id !== after.id) {
    const kind = leadsTo(before.id) === after ? 'id-changed-with-alias' : 'id-changed';
    changes.push(change(kind, ['id'], `id ${before.id} → ${after.id}`));
  }
  for (const alias of before.aliases)
    if (leadsTo(alias) === undefined)
      changes.push(removal('alias-removed', ['aliases'], `alias ${alias} removed`));
  for (const alias of after.aliases)
    if (lookUpQuery({ queries: all.before }, alias) !== before)
      changes.push(change('alias-added', ['aliases'], `alias ${alias} added`));
  return [...changes, ...reusedAddresses(before, after, all)];
}

function renamedText(
  { before, after }: Pair,
  lost: readonly string[],
  leadsTo: (address: string) => SavedQuery | undefined,
): string {
  const what =
    before.name === after.name
      ? `${lost.join(', ')} leads nowhere now`
      : `${before.name} is ${after.name} now`;
  // No file may have the number of a version among its aliases.
  const free = lost.filter((name) => leadsTo(name) === undefined && !name.includes('@'));
  const isNumbered = parseVersionName(before.name).base === parseVersionName(after.name).base;
  if (free.length === 0) return isNumbered ? `${what}; keep the number of the version` : what;
  // Only the name of the versions can be without a default.
  if (free.length === 1 && free[0] === parseVersionName(after.name).base)
    return `${what}; default: true would keep ${free[0]}`;
  return `${what}; aliases: [${free.join(', ')}] would keep the path`;
}

/** Says which name is removed: an endpoint, or one version of a name that means another one now. */
export function removedText({ name }: SavedQuery, { after }: BothCatalogs): string {
  const version = parseVersionName(name);
  const rest = seriesOf(after).get(version.base);
  if (rest === undefined) return 'endpoint removed';
  const { defaultVersion } = rest;
  const meaning =
    defaultVersion === undefined
      ? `${version.base} has no default version`
      : `${version.base} means ${pinnedName(parseVersionName(defaultVersion.name))}`;
  return `version ${version.version} removed; ${meaning}`;
}

/** Computed once for the queries of a version. */
const publicNamesIn = new WeakMap<
  readonly SavedQuery[],
  ReadonlyMap<SavedQuery, ReturnType<typeof publicNames>>
>();

/** The names that are shown to callers: the endpoint's, and that of the version if there are several. */
function publicNamesOf(query: SavedQuery, queries: readonly SavedQuery[]): readonly string[] {
  const known =
    publicNamesIn.get(queries) ?? Map.groupBy(publicNames({ queries }), ({ query: named }) => named);
  publicNamesIn.set(queries, known);
  return known.get(query)?.map(({ name }) => name) ?? [];
}

/** The name of a version that schemas do not have any more: it is the only one that is left. */
export function comparePinnedNames({ before, after }: Pair, all: BothCatalogs): readonly Change[] {
  if (before.name !== after.name) return [];
  const names = publicNamesOf(after, all.after);
  return publicNamesOf(before, all.before)
    .filter((name) => !names.includes(name) && lookUpQuery({ queries: all.after }, name) === after)
    .map((name) =>
      change(
        'only-version',
        [],
        `${name} is the only version now: the root field ${camelCase(name)} is removed`,
      ),
    );
}

/** The addresses of an endpoint that lead to another one now. */
export function reusedAddresses(
  before: SavedQuery,
  after: SavedQuery | undefined,
  all: BothCatalogs,
): readonly Change[] {
  const addresses = new Set([...publicNamesOf(before, all.before), before.id, ...before.aliases]);
  return [...addresses].flatMap((address) => {
    const found = lookUpQuery({ queries: all.after }, address);
    if (found === undefined || found === after) return [];
    // Another version of the same name as its default is a change of the name, which is compared by itself.
    if (parseVersionName(found.name).base === address && hasVersions(address, all)) return [];
    const former = all.before.find(({ id }) => id === found.id)?.name ?? found.name;
    const which = former === found.name ? found.name : `${found.name}, which was ${former}`;
    return [change('address-reused', [], `${address} leads to another endpoint now: ${which}`)];
  });
}

/** True if a name has several versions, before or after. */
const hasVersions = (base: string, all: BothCatalogs): boolean =>
  [all.before, all.after].some((queries) => (seriesOf(queries).get(base)?.versions.length ?? 0) > 1);

/** The names that mean another version than before, each with both of them. */
export function movedDefaults(
  pairs: readonly Pair[],
  all: BothCatalogs,
): readonly (Pair & { readonly name: string })[] {
  const afterOf = new Map(pairs.map(({ before, after }) => [before, after]));
  return [...seriesOf(all.before)].flatMap(([name, { defaultVersion: before }]) => {
    const after = seriesOf(all.after).get(name)?.defaultVersion;
    const isMoved = before && after && afterOf.get(before) !== after && hasVersions(name, all);
    return isMoved ? [{ name, before, after }] : [];
  });
}
