import { didYouMean } from '@querygate/text';
import type { Problem } from '../errors.ts';

/** Problems of tables that are not there, with the query or view whose name is nearest. @param names of queries and views */
export const withMeantParts = (
  problems: readonly Problem[],
  names: () => readonly string[],
): readonly Problem[] =>
  problems.map((problem) => {
    const [, name] = /^no table is named ([\w.-]+)$/.exec(problem.message) ?? [];
    return name === undefined ? problem : { ...problem, message: problem.message + meantPart(name, names()) };
  });

function meantPart(name: string, names: readonly string[]): string {
  const query = names.find((one) => one.toLowerCase() === `query.${name.toLowerCase()}`);
  return query === undefined ? didYouMean(name, names) : `; did you mean ${query}?`;
}
