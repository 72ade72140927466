import type { Problem } from '../errors.ts';
import type { SavedQuery } from './saved-query.ts';

interface QueryWithLines {
  readonly query: SavedQuery;
  /** The lines of its aliases. */
  readonly aliasLines: readonly number[];
}

/** An address must lead to one query: no id is the name of another query, and no alias is anything else. */
export function checkAddresses(queries: readonly QueryWithLines[]): readonly Problem[] {
  const uses = new Map(queries.map(({ query: { name, source } }) => [name, `the name of ${source.file}`]));
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
  return [...ids, ...aliases];
}
