import type { TableChanges, TimeRange } from '../engine.ts';

/** Changes of tables as JSON, which has no infinite number: a range without a beginning or an end has null there. */
export interface WireChanges extends Omit<TableChanges, 'changed'> {
  readonly changed?: 'late' | readonly Readonly<Record<keyof TimeRange, number | null>>[];
}

/** Changes as they are sent. Of an engine that does not report any, rows may come late. */
export const changesToWire = (changes: TableChanges | undefined): TableChanges =>
  changes ?? { state: '', changed: 'late' };

export function changesFromWire({ changed, ...more }: WireChanges): TableChanges {
  if (changed === undefined || changed === 'late') return { ...more, changed };
  const ranges = changed.map(({ from, until }) => ({
    from: from ?? Number.NEGATIVE_INFINITY,
    until: until ?? Number.POSITIVE_INFINITY,
  }));
  return { ...more, changed: ranges };
}
