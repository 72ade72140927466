import type { SavedQuery } from '../catalog/model/saved-query.ts';
import { type Problem, StartError } from '../errors.ts';

/**
 * The problems of a saved query for which the work on it failed. An error that no rule foresees is one problem too: no
 * query hides the problems of the others.
 */
export function queryProblems({ source }: Pick<SavedQuery, 'source'>, error: unknown): readonly Problem[] {
  if (error instanceof StartError) return error.problems;
  const { file, line } = source;
  return [{ file, line, message: `cannot be compiled, which is an error of Querygate: ${error}` }];
}
