import type { JudgedChange } from './judge.ts';
import type { Level } from './levels.ts';

/** Where something is. Lines count from 1. */
interface Place {
  readonly file: string;
  readonly line: number;
}

/** A change as it is reported. */
export interface ReportedChange extends Pick<JudgedChange, 'level' | 'rest' | 'graphql' | 'effect'> {
  readonly kind: string;
  readonly message: string;
  /** In the newer version; undefined if it no longer has the file. */
  readonly place: Place | undefined;
  /** In the older version, if only that one has it. */
  readonly before: Place | undefined;
  readonly schema: readonly Omit<JudgedChange['schema'][number], 'header'>[];
}

export interface ReportedEndpoint {
  readonly name: string;
  readonly changes: readonly ReportedChange[];
}

/** The outcome of a comparison. */
export interface Report {
  readonly ref: string;
  readonly commit: string;
  readonly endpoints: readonly ReportedEndpoint[];
  readonly unchanged: number;
  readonly notes: readonly string[];
}

/** How many changes have each level. */
export function countLevels({ endpoints }: Report): Readonly<Record<Level, number>> {
  const counts = { breaking: 0, dangerous: 0, safe: 0 };
  for (const { changes } of endpoints) for (const { level } of changes) counts[level] += 1;
  return counts;
}
