import { readdirSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { decodeUtf8, NotUtf8 } from '@querygate/text';
import { type Problem, StartError } from '../../errors.ts';
import { pathProblem } from '../../files/path-problem.ts';

/** The content of a file in a queries folder, or why it cannot be read. */
export type FileContent = { readonly text: string } | UnreadableContent;

interface UnreadableContent {
  readonly problem: string;
  /** Undefined if the file as a whole cannot be read. */
  readonly line?: number;
}

/** The problem of a file that cannot be read. @param file the path that messages show */
export const contentProblem = (file: string, { problem, line }: UnreadableContent): Problem => ({
  file,
  ...(line !== undefined && { line }),
  message: problem,
});

/**
 * The files of a queries folder by their paths in it: queries `<name>.sql`, tables `tables/<name>.json`, and definitions
 * `views/<any>.sql` and `functions/<any>.sql`, which may be in folders of their own there.
 */
export type CatalogFiles = ReadonlyMap<string, FileContent>;

/** The folder of tables in a queries folder. */
export const tablesFolder = 'tables';

/** The folders in a queries folder, each with the end of the names of its files. */
export const innerFolders: Readonly<Record<string, string>> = {
  functions: '.sql',
  [tablesFolder]: '.json',
  views: '.sql',
};

/** True for an inner folder whose files may be in folders of their own: a table has the name of its file. */
export const hasFolders = (inner: string): boolean => inner !== tablesFolder;

/** True for the path of a table's file in a queries folder. */
export const isTablePath = (path: string): boolean => path.startsWith(`${tablesFolder}/`);

/** True for the path of a query's file in a queries folder. */
export const isQueryPath = (path: string): boolean => !path.includes('/');

/** A larger file is unlikely to be hand-written; BigQuery does not accept longer SQL either. */
export const maxFileBytes = 1024 * 1024;

/**
 * The paths of the files of a queries folder, ordered by name. Hidden files are not among them: editors and Kubernetes
 * keep their own under such names.
 *
 * @throws Error if the folder cannot be read
 */
export function listFolder(folder: string): readonly string[] {
  const queries = namesIn(folder, '.sql');
  const others = Object.entries(innerFolders).map(([inner, ending]) =>
    existingNames(folder, inner, hasFolders(inner) ? namesBelow : namesIn, ending),
  );
  return [...queries, ...others.flat()];
}

/** The folders that have, or may have, files of a queries folder, by their paths in it; '' is itself. */
export const foldersOf = (paths: readonly string[]): readonly string[] => [
  ...new Set([
    '',
    ...Object.keys(innerFolders),
    ...paths.map(dirname).map((path) => (path === '.' ? '' : path)),
  ]),
];

/** The folder of checks in a queries folder, which no gateway reads. */
export const checksFolder = 'checks';

/** The files of checks in a queries folder, by their paths in it. @throws Error if their folder cannot be read */
export function readCheckFiles(folder: string): CatalogFiles {
  const paths = existingNames(folder, checksFolder, namesBelow, '').filter((path) => /\.sql$/i.test(path));
  // A check that never runs would pass.
  const misnamed = { problem: 'its name must end with .sql, in lower case' };
  return new Map(
    [...contentsOf(folder, paths)].map(([path, content]) => [
      path,
      path.endsWith('.sql') ? content : misnamed,
    ]),
  );
}

/** The paths of the files in an inner folder. A folder without files need not exist. */
function existingNames(
  folder: string,
  inner: string,
  list: typeof namesIn,
  ending: string,
): readonly string[] {
  const path = join(folder, inner);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return [];
  return list(path, ending).map((name) => `${inner}/${name}`);
}

/** The names of the files in a folder with an end of their names, without hidden ones. */
export function namesIn(folder: string, ending: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.name.endsWith(ending) && !entry.name.startsWith('.') && !entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

/** Those in folders inside too. Links are followed, but loops are not. */
const namesBelow = (folder: string, ending: string): readonly string[] =>
  pathsBelow(folder, [])
    .filter((path) => path.endsWith(ending))
    .sort();

/** @param parents the real paths of the folders above */
function pathsBelow(folder: string, parents: readonly string[]): readonly string[] {
  const real = realpathSync(folder);
  if (parents.includes(real)) return [];
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && statFile(path) === undefined);
    if (!isFolder) return [entry.name];
    return pathsBelow(path, [...parents, real]).map((inner) => `${entry.name}/${inner}`);
  });
}

/** Information about a file, or the error; undefined for a folder, or a link to one. */
export function statFile(file: string): Stats | Error | undefined {
  try {
    const stats = statSync(file);
    return stats.isDirectory() ? undefined : stats;
  } catch (error) {
    return error as Error;
  }
}

/** @param stats as `statFile` gives them; a pipe or a device must not be opened, which could wait forever */
export function readContent(file: string, stats: Stats | Error): FileContent {
  if (stats instanceof Error) return { problem: unreadable(file, stats) };
  if (!stats.isFile()) return { problem: 'is not a regular file' };
  if (stats.size > maxFileBytes) return tooLarge(stats.size);
  try {
    return { text: decodeUtf8(readFileSync(file)) };
  } catch (error) {
    if (error instanceof NotUtf8) return { problem: error.message, line: error.line };
    return { problem: unreadable(file, error) };
  }
}

/** The content of a saved query or a table that is not a file. */
export function contentOf(text: string): FileContent {
  const bytes = Buffer.byteLength(text);
  return bytes > maxFileBytes ? tooLarge(bytes) : { text };
}

const tooLarge = (bytes: number) => ({ problem: `has ${bytes} bytes; at most ${maxFileBytes} are read` });

const unreadable = (file: string, error: unknown) => `cannot be read ${pathProblem(file, error, 'file')}`;

/**
 * Reads a queries folder.
 *
 * @param isNeeded whether a folder with a file of a path is not empty
 * @throws StartError if it cannot be read, or contains no such file
 */
export function readFolder(folder: string, isNeeded = isQueryPath): CatalogFiles {
  const files = readFiles(folder);
  if ([...files.keys()].some(isNeeded)) return files;
  throw new StartError('There are no saved queries', [
    { file: folder, message: `${noQueries}; querygate new writes one` },
  ]);
}

/** The same for a folder that may be without saved queries yet. @throws StartError if it cannot be read */
export function readFiles(folder: string): CatalogFiles {
  let paths: readonly string[];
  try {
    paths = listFolder(folder);
  } catch (error) {
    const { code, path = folder } = error as NodeJS.ErrnoException;
    const problem = pathProblem(path, error, 'folder');
    // A folder with nearly the name is the likelier cure.
    const cure = code === 'ENOENT' && !problem.endsWith('?') ? '; querygate new makes it' : '';
    const content = path === folder ? 'saved queries' : `their ${relative(folder, path).split(sep)[0]}`;
    throw new StartError('The saved queries cannot be read', [
      {
        file: path,
        message: `is not a readable folder of ${content} ${problem}${cure}`,
      },
    ]);
  }
  return contentsOf(folder, paths);
}

const contentsOf = (folder: string, paths: readonly string[]): CatalogFiles =>
  new Map(
    paths.flatMap((path): [string, FileContent][] => {
      const stats = statFile(join(folder, path));
      return stats === undefined ? [] : [[path, readContent(join(folder, path), stats)]];
    }),
  );

export const noQueries = 'contains no *.sql file';
