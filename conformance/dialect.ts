import type { Explanation } from './explained.ts';
import type { Score } from './report.ts';

/** What the dialect says of itself: the functions it has, and what it refuses and why. */
const supportedFunctions: ReadonlySet<string> = new Set();
const refusedFunctions: ReadonlyMap<string, string> = new Map();
const refusedConstructs: ReadonlyMap<string, string> = new Map();

/** Cases under the heading of something refused agree when they are refused. */
export const refusals: readonly Explanation[] = [...refusedFunctions, ...refusedConstructs].map(
  ([name, reason]) => ({
    subject: name,
    pattern: /^/,
    kind: 'refused',
    reason,
  }),
);

/** Functions without cases, and cases of functions that the dialect neither has nor refuses. */
export function completenessProblems(scores: readonly Score[]): readonly string[] {
  const judged = new Set(scores.filter(({ cases }) => cases > 0).map(({ subject }) => subject.toLowerCase()));
  const untold = scores.filter(({ kind, subject }) => kind === 'function' && !isTold(subject.toLowerCase()));
  return [
    ...[...supportedFunctions].filter((name) => !judged.has(name)).map((name) => `${name} has no cases`),
    ...untold.map(({ subject }) => `${subject} is neither supported nor refused`),
  ];
}

const isTold = (name: string) => supportedFunctions.has(name) || refusedFunctions.has(name);

export { refusedConstructs, refusedFunctions, supportedFunctions };
