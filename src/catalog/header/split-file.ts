import type { Problem } from '../../errors.ts';
import { readYaml } from '../../files/read-yaml.ts';

/**
 * The parts of a saved-query file: the header's data, not validated yet, and the SQL. Lines are lines of the file.
 */
export interface HeaderAndSql {
  readonly header: unknown;
  readonly sql: string;
  readonly sqlLine: number;
  /** The line of the header's node at a path; of its nearest ancestor if there is no such node. */
  lineOf(path: readonly PropertyKey[]): number;
}

const frame = /^\uFEFF?\s*\/\*---[ \t]*\r?\n(?<header>[\s\S]*?)^[ \t]*---\*\/[ \t]*\r?\n?/m;

/** The SQL of a file, whatever its header says; undefined if it cannot be said where the header ends. */
export function sqlPart(text: string): Pick<HeaderAndSql, 'sql' | 'sqlLine'> | undefined {
  const found = frame.exec(text);
  if (found === null || text.slice(0, found.index).trim() !== '') return undefined;
  const start = found.index + found[0].length;
  return { sql: text.slice(start), sqlLine: lineAt(text, start) };
}

/** Splits the file of a saved query. @returns the parts, or why it cannot be split */
export function readHeader(file: string, text: string): HeaderAndSql | readonly Problem[] {
  const found = frame.exec(text);
  const part = sqlPart(text);
  if (found?.groups?.header === undefined || part === undefined) {
    const isOpen = /^\uFEFF?\s*\/\*---/.test(text);
    const isDefinition = /^\uFEFF?(?:\s|(?:--|#).*\n)*CREATE\s/i.test(text);
    const message = isOpen
      ? 'the header that starts here has no end: a line with ---*/ alone'
      : `must start with a YAML header between /*--- and ---*/${isDefinition ? '; views and functions are files of the folders views and functions' : ''}`;
    return [{ file, line: 1, message }];
  }
  const headerLine = lineAt(text, text.indexOf('/*---') + 5) + 1;

  const commentEnd = found.groups.header.indexOf('*/');
  if (commentEnd >= 0) {
    const before = found.groups.header.slice(0, commentEnd);
    const line = headerLine + lineAt(before, commentEnd) - 1;
    const column = commentEnd - before.lastIndexOf('\n');
    const message =
      'has */, which ends the comment of the header in BigQuery: write * / in a comment, and "*\\/" in double quotes in a value';
    return [{ file, line, column, message }];
  }

  const yaml = readYaml(found.groups.header, 'yaml', { isText });
  if ('problems' in yaml) {
    return yaml.problems.map(({ line, column, message }) => ({
      file,
      line: headerLine + line - 1,
      column,
      message,
    }));
  }
  const reserved = reservedPaths(yaml.data);
  if (reserved.length > 0)
    return reserved.map((path) => ({
      file,
      line: headerLine + yaml.lineOf(path) - 1,
      message: `${path.join('.')}: is reserved in JavaScript; choose another name`,
    }));
  return {
    header: yaml.data,
    ...part,
    // A key that is missing as a whole is missing in the header, not in its first key.
    lineOf: ([key, ...rest]) =>
      key !== undefined && isObject(yaml.data) && !Object.hasOwn(yaml.data, key)
        ? headerLine - 1
        : headerLine + yaml.lineOf(key === undefined ? [] : [key, ...rest]) - 1,
  };
}

/** True for the values of parameters, which are texts as requests carry them: `1.10` is not 1.1. */
function isText([section, name, key, inner, listed]: readonly PropertyKey[]): boolean {
  if (section === 'warm') return key !== undefined;
  if (section !== 'parameters' || name === undefined) return false;
  return key === 'values'
    ? inner !== undefined && listed === 'also'
    : ['default', 'example', 'min', 'max'].includes(String(key));
}

/** The keys that objects would lose where they are copied, at any depth. */
const reservedPaths = (data: unknown): readonly (readonly string[])[] =>
  isObject(data)
    ? Object.entries(data).flatMap(([key, value]) =>
        key === '__proto__' ? [[key]] : reservedPaths(value).map((path) => [key, ...path]),
      )
    : [];

const isObject = (data: unknown): data is object => typeof data === 'object' && data !== null;

/** The line, from 1, of an offset in a text. */
function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
