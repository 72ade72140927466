import type { Catalog } from '../../catalog/model/saved-query.ts';

/** The names of what differs, of which the log shows the first ones; undefined if nothing does. */
export function describeChange(before: Catalog, after: Catalog): object | undefined {
  const queries = difference(before.queries, after.queries);
  const tables = difference(before.tables, after.tables);
  const parts = {
    ...queries,
    ...Object.fromEntries(Object.entries(tables).map(([key, names]) => [`${key}Tables`, names])),
  };
  const present = Object.entries(parts).filter(([, names]) => names.length > 0);
  if (present.length === 0) return undefined;
  return Object.fromEntries(
    present.map(([key, names]) => [
      key,
      names.length <= maxNames ? names : [...names.slice(0, maxNames), `and ${names.length - maxNames} more`],
    ]),
  );
}

/** That a line of the log shows. */
export const maxNames = 20;

function difference(before: readonly { name: string }[], after: readonly { name: string }[]) {
  const old = new Map(before.map((one) => [one.name, one]));
  const names = new Set(after.map(({ name }) => name));
  return {
    added: after.flatMap(({ name }) => (old.has(name) ? [] : [name])),
    changed: after.flatMap((one) => (old.has(one.name) && old.get(one.name) !== one ? [one.name] : [])),
    removed: before.flatMap(({ name }) => (names.has(name) ? [] : [name])),
  };
}
