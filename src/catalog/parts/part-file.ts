import { problemAt } from '@querygate/bigquery-sql/problem';
import {
  functionNames,
  type OutsideNames,
  outsideNames,
  parseDefinitions,
  parseQuery,
  type Syntax,
  SyntaxProblem,
} from '@querygate/bigquery-sql/syntax';
import { sameName, type TypedParameter } from '@querygate/bigquery-sql/types';
import { foldName } from '@querygate/text';
import type { Problem } from '../../errors.ts';
import { linesInOrder } from '../../files/lines-in-order.ts';
import { typedParameters } from '../header/parse-saved-query.ts';
import { type HeaderAndSql, readHeader } from '../header/split-file.ts';
import { checkJavascript, checkOwnJavascript } from '../header/sql/check-javascript.ts';
import { checkParameterUse, hidesParameters } from '../header/sql/check-parameter-use.ts';
import { hasServe, isMaterialized, partHeaderProblems } from './part-header.ts';
import { columnsProblem } from './view-columns.ts';

/** A query, a view or a function, as far as it can be a part of other queries. */
export interface Unit {
  readonly kind: 'query' | 'view' | 'function';
  /** As SQL names it, for messages. */
  readonly name: string;
  readonly file: string;
  /** All of its file. */
  readonly fileText: string;
  /** The text in which its places count, and the line at which it begins. */
  readonly text: string;
  readonly line: number;
  readonly parameters: readonly TypedParameter[];
  /** True if its rows are computed once for the queries that are refreshed together. */
  readonly isMaterialized?: boolean;
  readonly tree: Syntax.Statement | Syntax.CreateView | Syntax.CreateFunction;
  readonly names: OutsideNames;
}

/** A file of a queries folder, as a part of others. */
export interface PartFile {
  readonly fileText: string;
  /** Of a file with problems: those of its last good version. */
  readonly units: readonly Unit[];
  readonly problems: readonly Problem[];
  /** True if it is a part of others only. */
  readonly isPart: boolean;
}

/** The file of a saved query. */
export function parseQueryPart(name: string, file: string, fileText: string): PartFile {
  const parts = readHeader(file, fileText);
  if (!('header' in parts)) return { fileText, units: [], problems: parts, isPart: false };
  const isPart = hasServe(parts.header);
  const headerProblems = isPart ? partHeaderProblems(parts) : [];
  const ofHeader = headerProblems.map(({ path, message }) => ({ file, line: parts.lineOf(path), message }));
  const unit = unitOf(name, file, fileText, parts);
  if (!('kind' in unit)) return { fileText, units: [], problems: [...ofHeader, unit], isPart };
  if (!isPart) return { fileText, units: [unit], problems: [], isPart };
  // The parts that it reads may use the others; views have none.
  const readsQueries = unit.names.tables.some(({ path }) => sameName(path.parts[0].name, queryDataset));
  const passed = readsQueries ? unit.parameters.map((one) => one.name) : [];
  const problems = [
    ...ofHeader,
    ...checkOwnJavascript(parts.sql, { file, line: parts.sqlLine }),
    ...(hidesParameters(headerProblems) ? [] : checkParameterUse(file, parts, passed)),
  ];
  return { fileText, units: problems.length > 0 ? [] : [unit], problems, isPart };
}

/** The text of a saved query as a unit, or why it is not a query. */
export function unitOf(name: string, file: string, fileText: string, parts: HeaderAndSql): Unit | Problem {
  const { sql: text, sqlLine: line } = parts;
  try {
    const tree = parseQuery(text);
    const names = outsideNames(tree);
    return {
      kind: 'query',
      name: `query.${name}`,
      file,
      fileText,
      text,
      line,
      parameters: typedParameters(parts),
      isMaterialized: isMaterialized(parts.header),
      tree,
      names,
    };
  } catch (error) {
    return syntaxProblem(error, text, { file, line });
  }
}

/** The data set of saved queries in FROM. */
export const queryDataset = 'query';

/** A file of views and functions. */
export function parseDefinitionFile(file: string, fileText: string): PartFile {
  const of = { fileText, isPart: true };
  try {
    const units = definitionUnits(file, fileText);
    const problems = units.flatMap((unit) => {
      const at = ({ start }: Syntax.Node, message: string) => problemAt(unit.text, unit, start, message);
      const ofColumns = columnsProblem(unit.tree);
      return [
        ...(ofColumns === undefined ? [] : [at(unit.tree, ofColumns)]),
        ...(unit.tree.kind === 'CreateFunction' ? checkJavascript(unit.tree, unit.text, unit) : []),
        ...nameProblems(unit).map((message) => at(unit.tree, message)),
        ...unit.names.parameters.map((node) =>
          at(node, `a ${unit.kind} has no parameters: @${node.name.name}`),
        ),
      ];
    });
    return { ...of, units: problems.length > 0 ? [] : units, problems };
  } catch (error) {
    return { ...of, units: [], problems: [syntaxProblem(error, fileText, { file, line: 1 })] };
  }
}

/** Why a definition cannot have its name: queries would mean something else by it. */
function nameProblems({ kind, name }: Unit): readonly string[] {
  // The names of some projects have a domain: `example.com:project`.
  if (name.split('.').length > 3 && !name.includes(':'))
    return [`${name} has too many parts: a project, a data set and a name`];
  if (kind === 'view')
    return viewOfQueries.test(name)
      ? [`${name} would be a saved query: write the project of the view before it, as in my-project.${name}`]
      : [];
  const isBuiltIn = functionNames.has(foldName(name)) || /^safe\.[^.]+$/i.test(name);
  return isBuiltIn ? [`${name} is a function of BigQuery: give this one another name, or a data set`] : [];
}

const viewOfQueries = new RegExp(`^${queryDataset}\\.[^.]+$`, 'i');

/** Each definition with a text of its own: the work for a reader does not grow with the other definitions of the file. */
function definitionUnits(file: string, fileText: string): readonly Unit[] {
  const lineAt = linesInOrder(fileText, 1);
  return parseDefinitions(fileText).flatMap(({ start, end }) => {
    const { line, lineStart } = lineAt(start);
    const text = ' '.repeat(start - lineStart) + fileText.slice(start, end);
    return parseDefinitions(text).map(
      (tree): Unit => ({
        kind: tree.kind === 'CreateView' ? 'view' : 'function',
        name: tree.name.parts.map(({ name }) => name).join('.'),
        ...{ file, fileText, text, line, tree },
        parameters: [],
        names: outsideNames(tree),
      }),
    );
  });
}

function syntaxProblem(
  error: unknown,
  text: string,
  source: { readonly file: string; readonly line: number },
): Problem {
  if (error instanceof SyntaxProblem) return problemAt(text, source, error.offset, error.message);
  throw error;
}
