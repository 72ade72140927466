import { didYouMean } from '@querygate/text';
import type { Problem } from '../errors.ts';

/** The names of queries, views and functions. */
interface PartNames {
  tableNames(): readonly string[];
  functionNames(): readonly string[];
}

/** Problems of tables and functions that are not there, with the query, view or function whose name is nearest. */
export const withMeantParts = (problems: readonly Problem[], names: () => PartNames): readonly Problem[] =>
  problems.map((problem) => {
    const { message } = problem;
    const [, table] = /^no table is named ([\w.-]+)$/.exec(message) ?? [];
    if (table !== undefined) return { ...problem, message: message + meantPart(table, names().tableNames()) };
    const [absent, path, plain] =
      /^the function (?:([\w.-]+) is not available locally|(\w+) is not supported)/.exec(message) ?? [];
    const called = path ?? plain;
    if (absent === undefined || called === undefined) return problem;
    const meant = meantPart(called, names().functionNames());
    // In a file of definitions, no query follows.
    if (meant === '' && !isDefinition(problem)) return problem;
    return message === absent || path !== undefined ? { ...problem, message: absent + meant } : problem;
  });

const isDefinition = ({ file = '' }: Problem): boolean => /[\\/](?:views|functions)[\\/]/.test(file);

/** The part with the same name in another data set or project, or the nearest name. */
function meantPart(name: string, names: readonly string[]): string {
  const path = name.toLowerCase().split('.');
  const query = names.find((one) => one.toLowerCase() === `query.${name.toLowerCase()}`);
  if (query !== undefined) return `; did you mean ${query}?`;
  const known = names.filter((one) => !one.startsWith('query.'));
  for (const length of [path.length, path.length - 1].filter((count) => count > 0)) {
    const end = `.${path.slice(-length).join('.')}`;
    const same = known.find((one) => one.toLowerCase().endsWith(end));
    if (same !== undefined) return `; did you mean ${same}?`;
  }
  return didYouMean(name, names);
}
