import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { didYouMean } from '@querygate/text';
import { checksFolder, hasFolders, innerFolders, maxFileBytes } from './read-folder.ts';

/** The folders in a queries folder, each with the ends of the names of its files. */
const endingsOf: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(Object.entries(innerFolders).map(([folder, ending]) => [folder, [ending]])),
  [checksFolder]: ['.sql'],
  tests: ['.yaml', '.yml'],
  prompts: ['.md'],
};

/** The endings of files that have a meaning in some folder; others are notes, and copies of editors. */
const meaningful = /\.(?:sql|json|ya?ml|js)$/i;

/** The endings of data files beside tests, which name them. */
const dataOfTests = /\.json$/i;

/**
 * Warnings about files of a queries folder that nothing reads, and that are probably meant to be read: their name has another
 * case or another ending, they are in a folder inside, or their folder has nearly the right name.
 */
export function misplacedFiles(folder: string): readonly string[] {
  const entries = entriesOf(folder);
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return [
    ...otherEnding(folder, entries, (file) => /\.sql$/i.test(file) || isText(file, header), ['.sql']),
    ...folders.flatMap((inner) => {
      if (/\.sql$/i.test(inner)) return [`${join(folder, inner)} is not read: it is a folder`];
      const endings = endingsOf[inner];
      return endings === undefined ? inOtherFolder(folder, inner) : inInnerFolder(folder, inner, endings);
    }),
  ];
}

function inInnerFolder(folder: string, inner: string, endings: readonly string[]): readonly string[] {
  const path = join(folder, inner);
  const isMeant = (file: string) =>
    (meaningful.test(file) || (endings.includes('.sql') && isText(file, definition))) &&
    !(inner === 'tests' && dataOfTests.test(file)) &&
    // A check in another case is a problem of the checks.
    !(inner === checksFolder && /\.sql$/i.test(file));
  const below = (at: string): readonly string[] => {
    const entries = entriesOf(at);
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(at, name));
    const isRead = at === path || readsBelow.has(inner);
    return [
      ...(isRead ? otherEnding(at, entries, isMeant, endings) : tooDeep(at, entries, path, endings)),
      ...folders.flatMap(below),
    ];
  };
  return below(path);
}

/** The inner folders whose files may be in folders of their own. */
const readsBelow: ReadonlySet<string> = new Set([
  ...Object.keys(innerFolders).filter(hasFolders),
  checksFolder,
]);

function otherEnding(
  folder: string,
  entries: readonly Dirent[],
  isMeant: (file: string) => boolean,
  endings: readonly string[],
): readonly string[] {
  const names = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
  return names
    .filter((name) => isMeant(join(folder, name)) && !endings.some((ending) => name.endsWith(ending)))
    .map((name) => `${join(folder, name)} is not read: its name must end with ${endings[0]}`);
}

const tooDeep = (
  folder: string,
  entries: readonly Dirent[],
  inner: string,
  endings: readonly string[],
): readonly string[] =>
  entries
    .filter((entry) => !entry.isDirectory() && endings.some((one) => entry.name.toLowerCase().endsWith(one)))
    .map(({ name }) => `${join(folder, name)} is not read: only files of ${inner} itself are`);

function inOtherFolder(folder: string, inner: string): readonly string[] {
  const path = join(folder, inner);
  const has = (endings: readonly string[]) =>
    entriesOf(path).some(({ name }) => endings.some((one) => name.toLowerCase().endsWith(one)));
  if (inner.toLowerCase() === basename(resolve(folder)).toLowerCase())
    return has(['.sql']) ? [`${path} is not read: saved queries are files of ${folder} itself`] : [];
  const known = Object.keys(endingsOf);
  const hint = didYouMean(inner, known);
  const meant = known.find((one) => hint.includes(` ${one}?`));
  return meant !== undefined && has(endingsOf[meant] ?? [])
    ? [`${path} is not read${hint}`]
    : queriesBelow(folder, path);
}

/** Saved queries in a folder of another name: other SQL, as of migrations, has no header. */
const queriesBelow = (folder: string, path: string): readonly string[] =>
  entriesOf(path).flatMap((entry) => {
    const file = join(path, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : queriesBelow(folder, file);
    return entry.name.toLowerCase().endsWith('.sql') && startsWith(file, header)
      ? [`${file} is not read: saved queries are files of ${folder} itself`]
      : [];
  });

const header = /^\uFEFF?\s*\/\*---/;

const definition = /^\uFEFF?(?:\s|(?:--|#).*\n)*(?:CREATE|ASSERT)\s/i;

/** True for a file of text, as some editors name new ones, with SQL. */
const isText = (file: string, start: RegExp): boolean => /\.txt$/i.test(file) && startsWith(file, start);

function startsWith(file: string, start: RegExp): boolean {
  try {
    const stats = statSync(file);
    // A pipe or a device must not be opened, which could wait forever.
    return stats.isFile() && stats.size <= maxFileBytes && start.test(readFileSync(file, 'utf8'));
  } catch {
    return false;
  }
}

/** Hidden ones are those of editors and Kubernetes. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'));
  } catch {
    return [];
  }
}
