import { hasName, lookUpQuery } from '../../../catalog/find-query.ts';
import type { SavedQuery } from '../../../catalog/saved-query.ts';
import { type Change, change, type Pair, removal } from '../change.ts';

/** What became of the name, the UUID and the aliases of an endpoint. */
export function compareAddresses({ before, after }: Pair, queries: readonly SavedQuery[]): readonly Change[] {
  const changes: Change[] = [];
  if (before.name !== after.name) changes.push(renamed(before.name, after));
  if (before.id !== after.id) {
    const kind = hasName(after, before.id) ? 'id-changed-with-alias' : 'id-changed';
    changes.push(change(kind, ['id'], `id ${before.id} → ${after.id}`));
  }
  for (const alias of before.aliases)
    if (!isAddressOf(after, alias))
      changes.push(removal('alias-removed', ['aliases'], `alias ${alias} removed`));
  for (const alias of after.aliases)
    if (!isAddressOf(before, alias)) changes.push(change('alias-added', ['aliases'], `alias ${alias} added`));
  return [...changes, ...reusedAddresses(before, after, queries)];
}

function renamed(oldName: string, after: SavedQuery): Change {
  const text = `renamed from ${oldName} to ${after.name}`;
  return hasName(after, oldName)
    ? change('endpoint-renamed-with-alias', [], text)
    : change('endpoint-renamed', [], `${text}; aliases: [${oldName}] would keep its path`);
}

/** The addresses of an endpoint that lead to another one now. */
export function reusedAddresses(
  before: SavedQuery,
  after: SavedQuery | undefined,
  queries: readonly SavedQuery[],
): readonly Change[] {
  return [before.name, before.id, ...before.aliases].flatMap((address) => {
    const found = lookUpQuery({ queries }, address);
    if (found === undefined || found === after) return [];
    return [change('address-reused', [], `${address} leads to ${found.name} now`)];
  });
}

const isAddressOf = (query: SavedQuery, address: string): boolean =>
  hasName(query, address) || query.id === address;
