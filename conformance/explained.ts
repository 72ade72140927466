import type { Verdict } from './judge.ts';

/** A difference that we accept, and why. The goal is none; each entry costs someone a surprise. */
export interface Explanation {
  /** The heading of the cases it covers. */
  readonly subject: string;
  /** What the cases' SQL has in common. */
  readonly pattern: RegExp;
  readonly reason: string;
}

export const explanations: readonly Explanation[] = [];

export const explanationOf = ({ case: { subject, sql } }: Verdict): Explanation | undefined =>
  explanations.find((entry) => entry.subject === subject && entry.pattern.test(sql));

/** Whether a query that is about no function in particular holds something that is explained. */
export const explains = (sql: string): boolean => explanations.some(({ pattern }) => pattern.test(sql));
