import type { SavedQuery } from 'querygate';
import type { Kind } from './verdicts.ts';

/** One difference between two versions of a saved query. */
export interface Change {
  readonly kind: Kind;
  /** The key of the header that has changed, as in `['columns', 'status']`; `['sql']` for the SQL. */
  readonly path: readonly string[];
  /** The change in words, with the old and the new value. */
  readonly text: string;
  /** True if only the old version has the place. */
  readonly isRemoved?: boolean;
  /** Where it is, if that is not the place of the key: perhaps in the file of a part. */
  readonly place?: { readonly file: string; readonly line: number };
}

/** Two versions of the same endpoint. */
export interface Pair {
  readonly before: SavedQuery;
  readonly after: SavedQuery;
}

/** Two versions of an endpoint, or one that is new. */
export interface CostPair {
  readonly before: SavedQuery | undefined;
  readonly after: SavedQuery;
}

export function change(kind: Kind, path: readonly string[], text: string): Change {
  return { kind, path, text };
}

/** A change whose place is only in the old version. */
export function removal(kind: Kind, path: readonly string[], text: string): Change {
  return { kind, path, text, isRemoved: true };
}

/** A name with its members before and after. */
interface Matched<T> {
  readonly both: readonly (readonly [before: T, after: T])[];
  readonly removed: readonly T[];
  readonly added: readonly T[];
}

/** Matches the members of two lists by a key, in the order of the newer list. */
export function matchBy<T>(
  before: readonly T[],
  after: readonly T[],
  keyOf: (member: T) => string,
): Matched<T> {
  const old = new Map(before.map((member) => [keyOf(member), member]));
  const kept = new Set(after.map(keyOf));
  return {
    both: after.flatMap((member) => {
      const other = old.get(keyOf(member));
      return other === undefined ? [] : [[other, member] as const];
    }),
    removed: before.filter((member) => !kept.has(keyOf(member))),
    added: after.filter((member) => !old.has(keyOf(member))),
  };
}

/** Two values in a message. Of long ones, the part in which they differ. */
export function fromTo(before: unknown, after: unknown): string {
  const [old, now] = [textOf(before), textOf(after)];
  const longest = Math.max(old.length, now.length);
  if (longest <= maxShown) return `${old} → ${now}`;
  const firstDifference = [...Array(longest).keys()].find((at) => old[at] !== now[at]) ?? 0;
  const start = Math.max(0, Math.min(firstDifference - maxShown / 4, longest - maxShown));
  return `${excerpt(old, start)} → ${excerpt(now, start)}`;
}

const maxShown = 80;

const textOf = (value: unknown): string =>
  value === undefined ? 'none' : typeof value === 'string' ? value : JSON.stringify(value);

function excerpt(text: string, start: number): string {
  // A text that ends before the others is shown from its beginning.
  const from = start < text.length ? start : 0;
  const end = from + maxShown;
  return `${from > 0 ? '…' : ''}${text.slice(from, end)}${end < text.length ? '…' : ''}`;
}
