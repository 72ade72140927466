import { tokenize } from '@querygate/bigquery-sql/syntax';
import { foldName } from '@querygate/text';
import type { Unit } from './part-file.ts';

/** Names for common tables and functions which no text has. */
export interface FreshNames {
  /** @param name of which the new one reminds a reader */
  next(name: string): string;
  /** The name for which each one was made. */
  readonly written: ReadonlyMap<string, string>;
}

/** @param units all texts that the names are put into */
export function freshNames(units: readonly Unit[]): FreshNames {
  const taken = new Set<string>();
  for (const text of new Set(units.map((unit) => unit.text))) {
    for (const token of tokenize(text)) {
      if (token.kind === 'word') taken.add(foldName(token.key));
      if (token.kind === 'quoted name') for (const part of token.name.split('.')) taken.add(foldName(part));
    }
  }
  const counts = new Map<string, number>();
  const written = new Map<string, string>();
  return {
    written,
    next(name) {
      const base = `part_${name
        .toLowerCase()
        .replace(/^query\./, '')
        .replace(/\W+/g, '_')}`;
      for (;;) {
        const count = (counts.get(base) ?? 0) + 1;
        counts.set(base, count);
        const found = count === 1 ? base : `${base}_${count}`;
        if (taken.has(found)) continue;
        taken.add(found);
        written.set(found, name);
        return found;
      }
    },
  };
}
