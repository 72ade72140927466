import type { SavedQuery } from 'querygate';
import type { Pair } from './change.ts';
import type { BrokenQuery } from './load-before.ts';

export interface MatchedEndpoints {
  readonly pairs: readonly Pair[];
  readonly removed: readonly SavedQuery[];
  readonly added: readonly SavedQuery[];
  /** Endpoints whose older version has problems, so that they can't be compared. */
  readonly unknown: readonly { readonly broken: BrokenQuery; readonly after: SavedQuery }[];
  /** Files of the older version that had problems, and that no longer exist. */
  readonly lost: readonly BrokenQuery[];
}

/** Matches endpoints by UUID, which a renamed one keeps; those that are left, by name. */
export function matchEndpoints(
  before: readonly SavedQuery[],
  after: readonly SavedQuery[],
  broken: readonly BrokenQuery[],
): MatchedEndpoints {
  const pairs: Pair[] = [];
  const restBefore = new Set(before);
  const restAfter = new Set(after);
  const restBroken = new Set(broken);
  const unknown: MatchedEndpoints['unknown'][number][] = [];
  for (const key of ['id', 'name'] as const) {
    const oldByKey = new Map([...restBefore].map((query) => [query[key], query]));
    const brokenByKey = new Map([...restBroken].map((query) => [query[key], query]));
    for (const query of restAfter) {
      const old = oldByKey.get(query[key]);
      const bad = brokenByKey.get(query[key]);
      if (old !== undefined) {
        pairs.push({ before: old, after: query });
        restBefore.delete(old);
        restAfter.delete(query);
      } else if (bad !== undefined) {
        unknown.push({ broken: bad, after: query });
        restBroken.delete(bad);
        restAfter.delete(query);
      }
    }
  }
  return { pairs, removed: [...restBefore], added: [...restAfter], unknown, lost: [...restBroken] };
}
