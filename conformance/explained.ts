import type { Verdict } from './judge.ts';

/** A difference that we accept, and why. The goal is none: each of them will cost someone a surprise. */
export interface Explanation {
  /** The heading of the cases it covers. */
  readonly subject: string;
  /** What the SQL of these cases has in common. */
  readonly pattern: RegExp;
  /**
   * refused: the dialect says at start that it can't tell this, so nobody gets a wrong answer.
   * differs: the answers differ.
   */
  readonly kind: 'refused' | 'differs';
  readonly reason: string;
}

export const explanations: readonly Explanation[] = [];

/** What excuses a difference, if anything does. */
export const explanationOf = (
  { case: { subject, sql }, ours }: Verdict,
  accepted: readonly Explanation[],
): Explanation | undefined =>
  accepted.find(
    (entry) =>
      entry.subject.toLowerCase() === subject.toLowerCase() &&
      entry.pattern.test(sql) &&
      (entry.kind === 'differs' || ('error' in ours && ours.stage === 'analysis')),
  );

/** Whether a query that is about no function in particular holds something whose answer differs, as explained. */
export const explains = (sql: string): boolean =>
  explanations.some(({ kind, pattern }) => kind === 'differs' && pattern.test(sql));
