import type { Problem } from '../../errors.ts';
import type { SavedQuery } from '../model/saved-query.ts';
import { parseVersionName, pinnedName } from '../model/version-name.ts';

interface QueryWithLines {
  readonly query: SavedQuery;
  /** The lines of its aliases. */
  readonly aliasLines: readonly number[];
}

/** An address must lead to one query: no two files are the same version, no id is the name of another query, and no alias is anything else. */
export function checkAddresses(queries: readonly QueryWithLines[]): readonly Problem[] {
  const { names, problems } = namesOf(queries);
  const uses = new Map(names);
  // Two equal ids are a problem that `checkCatalog` reports.
  const ids = queries.flatMap(({ query: { id, source } }) => {
    const other = uses.get(id);
    return other === undefined
      ? []
      : [{ file: source.file, line: 1, message: `id ${id} is already ${other}` }];
  });
  for (const { query } of queries) uses.set(query.id, `the id of ${query.source.file}`);
  const aliases = queries.flatMap(({ query: { aliases, source }, aliasLines }) =>
    aliases.flatMap((alias, at) => {
      const other = uses.get(alias);
      if (other === undefined) {
        uses.set(alias, `an alias of ${source.file}`);
        return [];
      }
      return [
        { file: source.file, line: aliasLines[at] ?? 1, message: `aliases: ${alias} is already ${other}` },
      ];
    }),
  );
  return [...problems, ...ids, ...aliases];
}

/** The names of all versions, with and without their numbers: the file without a number is version 1. */
function namesOf(queries: readonly QueryWithLines[]) {
  const names = new Map<string, string>();
  const problems: Problem[] = [];
  for (const { query } of queries) {
    const version = parseVersionName(query.name);
    const { file } = query.source;
    const pinned = pinnedName(version);
    const other = names.get(pinned);
    if (other !== undefined) {
      const message = `version ${version.version} of ${version.base} is already ${other.replace('the name of ', '')}`;
      problems.push({ file, line: 1, message });
    }
    for (const name of [version.base, pinned]) names.set(name, names.get(name) ?? `the name of ${file}`);
  }
  return { names, problems };
}
