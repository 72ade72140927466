import { join } from 'node:path';
import { type Problem, StartError } from '../../errors.ts';
import { pathProblem } from '../../files/path-problem.ts';
import { type Assertion, parseAssertions } from '../parts/assertions.ts';
import type { Link } from '../header/link.ts';
import { checksFolder, contentProblem, type FileContent, readCheckFiles, readFolder } from './read-folder.ts';
import { type FolderParts, readParts } from './read-parts.ts';

/** A file of checks: what must hold for the data. */
export interface CheckFile {
  /** As in `checks/orders`: its path in the queries folder. */
  readonly name: string;
  readonly file: string;
  readonly assertions: readonly Assertion[];
  readonly problems: readonly Problem[];
}

/**
 * The files of checks in a queries folder, with the parts that they read.
 *
 * @param parts those of the folder, if they have been read
 * @throws StartError if the folder cannot be read
 */
export function loadChecks(
  folder: string,
  parts: () => Pick<FolderParts, 'link'> = () => readParts(folder, readFolder(folder)),
): readonly CheckFile[] {
  const files = filesIn(folder);
  if (files.length === 0) return [];
  const { link } = parts();
  return files.map(([path, content]) => parseCheckFile(folder, path, content, link));
}

function filesIn(folder: string): readonly (readonly [path: string, content: FileContent])[] {
  try {
    return [...readCheckFiles(folder)];
  } catch (error) {
    const file = join(folder, checksFolder);
    const message = `is not a readable folder of checks ${pathProblem(file, error, 'folder')}`;
    throw new StartError('The checks cannot be read', [{ file, message }]);
  }
}

/** One file of checks. @param path in the queries folder */
export function parseCheckFile(folder: string, path: string, content: FileContent, link: Link): CheckFile {
  const file = join(folder, path);
  const name = path.slice(0, -'.sql'.length);
  if ('problem' in content) return { name, file, assertions: [], problems: [contentProblem(file, content)] };
  const source = { file, line: 1 };
  return { name, file, ...parseAssertions({ name, source, text: content.text, parameters: [], link }) };
}
