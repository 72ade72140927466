import { join, relative, resolve, sep } from 'node:path';
import { assertionProblems, checksFolder, parseCheckFile } from 'querygate/catalog';
import type { CheckContext, CheckedDocument } from './check-document.ts';

/** True for a file of checks of a queries folder, which may be in a folder of its own there. */
export const isCheckFile = (file: string, queriesDir: string): boolean =>
  file.startsWith(join(resolve(queriesDir), checksFolder) + sep);

/** Checks the ASSERT statements of a file as `querygate check` does. @param folder of the saved queries */
export function checkAsserts(
  folder: string,
  file: string,
  text: string,
  { tables, dialect, parts }: Required<CheckContext>,
): CheckedDocument {
  const path = relative(folder, file).replaceAll(sep, '/');
  const { assertions, problems } = parseCheckFile(folder, path, { text }, parts.link);
  const found = [...problems, ...assertionProblems(assertions, tables, dialect)];
  return { problems: found.filter((one) => one.file === file), unfinished: [], query: undefined, types: [] };
}

const comments = String.raw`(?:\s|--[^\n]*\n|#[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*`;
const assertWord = new RegExp(`^(${comments})assert\\b`, 'i');
const description = /\bas\s*r?(["'])[^"']*\1\s*$/i;

/** The ASSERT statement at a place as the SELECT of its condition, with the same offsets from `start`. */
export function selectAt(text: string, offset: number): { readonly sql: string; readonly start: number } {
  const start = text.lastIndexOf(';', offset - 1) + 1;
  const end = text.indexOf(';', offset);
  const sql = text
    .slice(start, end < 0 ? text.length : end)
    .replace(/^\uFEFF/, ' ')
    .replace(assertWord, '$1SELECT')
    .replace(description, (words) => ' '.repeat(words.length));
  return { sql, start };
}
