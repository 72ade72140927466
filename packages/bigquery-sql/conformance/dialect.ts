import { functionNames } from '../src/rules/functions/function-names.ts';
import {
  unsupportedConstructs as constructs,
  unsupportedFunctions as functions,
} from '../src/rules/functions/unsupported-names.ts';
import type { AcceptedDifference } from './accepted-differences.ts';
import type { Score } from './report.ts';
import { supportedFunctions } from './supported-functions.ts';

/** Every function of BigQuery that the dialect does not support, with the reason. */
export const unsupportedFunctions: ReadonlyMap<string, string> = new Map(
  [...functionNames]
    .filter((name) => !supportedFunctions.has(name))
    .map((name) => [name, functions.get(name) ?? 'not implemented']),
);

export const unsupportedConstructs: ReadonlyMap<string, string> = constructs;

/** Cases of unsupported functions and constructs must be rejected as unsupported. */
export const unsupportedSubjects: readonly AcceptedDifference[] = [
  ...unsupportedFunctions,
  ...unsupportedConstructs,
].map(([subject, reason]) => ({ subject, pattern: /^/, kind: 'unsupported', reason }));

/** Reports functions without cases, and cases of functions that BigQuery does not have. */
export function completenessProblems(scores: readonly Score[]): readonly string[] {
  const judged = new Set(scores.filter(({ cases }) => cases > 0).map(({ subject }) => subject.toLowerCase()));
  const unknown = scores.filter(
    ({ kind, subject }) => kind === 'function' && !functionNames.has(subject.toLowerCase()),
  );
  return [
    ...[...supportedFunctions].filter((name) => !judged.has(name)).map((name) => `${name} has no cases`),
    ...unknown.map(({ subject }) => `${subject} is not a function of BigQuery`),
  ];
}
