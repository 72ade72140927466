import { functionNames } from '../src/rules/functions/function-names.ts';
import { notInBigQuery, replacements } from '../src/rules/functions/replacements.ts';
import {
  unsupportedConstructs as constructs,
  unsupportedFamilies,
  unsupportedFunctions as functions,
} from '../src/rules/functions/unsupported-names.ts';
import type { AcceptedDifference } from './accepted-differences.ts';
import type { Score } from './report.ts';
import { supportedFunctions } from './supported-functions.ts';

/** Every function of BigQuery that the dialect does not support, with the reason; `st_…` is a family. */
export const unsupportedFunctions: ReadonlyMap<string, string> = new Map([
  ...[...functionNames]
    .filter((name) => !supportedFunctions.has(name))
    .map((name) => [name, 'not implemented'] as const),
  ...unsupportedFamilies
    .filter(([prefix]) => !functionNames.has(prefix))
    .map(([prefix, reason]) => [`${prefix}…`, reason] as const),
  ...functions,
]);

/** The functions of GoogleSQL that BigQuery has not, with what is written instead. */
export const foreignFunctions: ReadonlyMap<string, string> = new Map(
  notInBigQuery.map((name) => [name, `write ${replacements.get(name)}`]),
);

export const unsupportedConstructs: ReadonlyMap<string, string> = constructs;

/** Cases of unsupported functions and constructs must be rejected as unsupported. */
export const unsupportedSubjects: readonly AcceptedDifference[] = [
  ...unsupportedFunctions,
  ...foreignFunctions,
  ...unsupportedConstructs,
].map(([subject, reason]) => ({ subject, pattern: /^/, kind: 'unsupported', reason }));

/** Reports functions without cases, and cases of functions that do not exist. */
export function completenessProblems(scores: readonly Score[]): readonly string[] {
  const judged = new Set(scores.filter(({ cases }) => cases > 0).map(({ subject }) => subject.toLowerCase()));
  const unknown = scores.filter(
    ({ kind, subject }) =>
      kind === 'function' &&
      !functionNames.has(subject.toLowerCase()) &&
      !foreignFunctions.has(subject.toLowerCase()),
  );
  return [
    ...[...supportedFunctions].filter((name) => !judged.has(name)).map((name) => `${name} has no cases`),
    ...unknown.map(({ subject }) => `${subject} is not a function of BigQuery`),
  ];
}
