import { isNode, LineCounter, parseDocument, YAMLMap } from 'yaml';
import type { Problem } from '../errors.ts';

/** A saved-query file taken apart: the header's data, not checked yet, and the SQL. Lines are those of the file. */
export interface HeaderAndSql {
  readonly header: unknown;
  readonly sql: string;
  readonly sqlLine: number;
  /** The line of the header's node at a path; of its nearest ancestor where it is absent. */
  lineOf(path: readonly PropertyKey[]): number;
}

const frame = /^\uFEFF?\s*\/\*---[ \t]*\r?\n(?<header>[\s\S]*?)^[ \t]*---\*\/[ \t]*\r?\n?/m;

/** @returns the parts, or why the file has none */
export function readHeader(file: string, text: string): HeaderAndSql | readonly Problem[] {
  const found = frame.exec(text);
  if (found?.groups?.header === undefined || text.slice(0, found.index).trim() !== '') {
    return [{ file, line: 1, message: 'must start with a YAML header between /*--- and ---*/' }];
  }
  const headerLine = lineAt(text, text.indexOf('/*---') + 5) + 1;
  const sqlStart = found.index + found[0].length;

  const lines = new LineCounter();
  const document = parseDocument(found.groups.header, { lineCounter: lines, uniqueKeys: true });
  const lineOfOffset = (offset: number) => headerLine + lines.linePos(offset).line - 1;
  if (document.errors.length > 0) {
    return document.errors.map((error) => ({
      file,
      line: lineOfOffset(error.pos[0]),
      message: `not valid YAML: ${error.message.split('\n')[0]?.replace(/ at line.*/, '') ?? ''}`,
    }));
  }
  return {
    header: document.toJS(),
    sql: text.slice(sqlStart),
    sqlLine: lineAt(text, sqlStart),
    lineOf: (path) => lineOfOffset(offsetOf(document.contents, path)),
  };
}

/** The line, from 1, on which an offset of a text stands. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

function offsetOf(root: unknown, path: readonly PropertyKey[]): number {
  let node = root;
  let offset = startOf(node);
  for (const key of path) {
    if (!(node instanceof YAMLMap)) break;
    const pair = node.items.find((item) => String((item.key as { value?: unknown }).value) === String(key));
    if (pair === undefined) break;
    offset = startOf(pair.key);
    node = pair.value;
  }
  return offset;
}

function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}
