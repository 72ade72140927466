import type { Problem } from '../../errors.ts';
import { didYouMean } from '@querygate/text';
import { lookUpName } from '../model/find-query.ts';
import type { SavedQuery } from '../model/saved-query.ts';
import { parseVersionName, pinnedName } from '../model/version-name.ts';
import { seriesOf } from '../model/versions.ts';

/** The problems between the versions of a name. Of two versions that do not fit together, the later one has the problem. */
export function checkVersions(queries: readonly SavedQuery[]): readonly Problem[] {
  return [...seriesOf(queries).values()].flatMap(({ base, versions }) => [
    ...checkDefaults(base, versions),
    ...checkTenants(versions),
  ]);
}

/** References to queries that are not there. */
export function checkReferences(queries: readonly SavedQuery[]): readonly Problem[] {
  const series = [...seriesOf(queries).values()];
  return [
    ...series.flatMap(({ base, versions }) => checkShadows(base, versions)),
    ...checkSuccessors(queries),
  ];
}

const problemOf = ({ source: { file } }: SavedQuery, message: string): Problem => ({
  file,
  line: 1,
  message,
});

function checkDefaults(base: string, versions: readonly SavedQuery[]): readonly Problem[] {
  const [first, ...others] = versions.filter(({ isDefault }) => isDefault);
  return others.map((query) =>
    problemOf(
      query,
      `default: ${first?.source.file} is already the default version of ${base}; only one can be`,
    ),
  );
}

/** Who may query a name may query every version of it, and must not get other tenants' rows from any of them. */
function checkTenants([first, ...others]: readonly SavedQuery[]): readonly Problem[] {
  if (first === undefined) return [];
  return others
    .filter((query) => tenantRule(query) !== tenantRule(first))
    .map((query) =>
      problemOf(
        query,
        `all versions must have the same tenant: ${first.source.file} has ${tenantRule(first)}, and this file ${tenantRule(query)}`,
      ),
    );
}

function tenantRule({ tenant, tenantUnchecked }: SavedQuery): string {
  if (tenant === undefined) return 'none';
  const kind = tenant.pattern === undefined ? tenant.parameter : `${tenant.parameter} (a pattern)`;
  return tenantUnchecked === undefined ? kind : `${kind} with tenant_unchecked`;
}

function checkShadows(base: string, versions: readonly SavedQuery[]): readonly Problem[] {
  const numbers = versions.map(({ name }) => parseVersionName(name).version);
  return versions.flatMap((query) => {
    const { shadow } = query;
    if (shadow === undefined || numbers.includes(shadow.version)) return [];
    const name = pinnedName({ base, version: shadow.version });
    return problemOf(
      query,
      `shadow: no saved query is named ${name}; the versions of ${base} are ${numbers.join(', ')}`,
    );
  });
}

function checkSuccessors(queries: readonly SavedQuery[]): readonly Problem[] {
  return queries.flatMap((query) => {
    const { successor } = query.deprecated ?? {};
    if (successor === undefined) return [];
    const found = lookUpName({ queries }, successor);
    if (found === query) return problemOf(query, `deprecated.successor: ${successor} is this query itself`);
    if (found !== undefined) return [];
    const names = queries.map(({ name }) => name);
    return problemOf(
      query,
      `deprecated.successor: no saved query is named ${successor}${didYouMean(successor, names)}`,
    );
  });
}
