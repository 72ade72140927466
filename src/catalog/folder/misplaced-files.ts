import { type Dirent, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { didYouMean } from '@querygate/text';
import { checksFolder, innerFolders } from './read-folder.ts';

/** The folders in a queries folder, each with the ends of the names of its files. */
const endingsOf: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(Object.entries(innerFolders).map(([folder, ending]) => [folder, [ending]])),
  [checksFolder]: ['.sql'],
  tests: ['.yaml', '.yml'],
  prompts: ['.md'],
};

/**
 * Warnings about files of a queries folder that nothing reads, and that are probably meant to be read: their name has another
 * case, or their folder nearly the right name.
 */
export function misplacedFiles(folder: string): readonly string[] {
  const entries = entriesOf(folder);
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return [
    ...otherCase(folder, entries, ['.sql']),
    ...folders.flatMap((inner) => {
      const path = join(folder, inner);
      const endings = endingsOf[inner];
      return endings === undefined ? inOtherFolder(folder, inner) : otherCase(path, entriesOf(path), endings);
    }),
  ];
}

function otherCase(
  folder: string,
  entries: readonly Dirent[],
  endings: readonly string[],
): readonly string[] {
  const names = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
  return names.flatMap((name) => {
    const ending = endings.find((one) => name.toLowerCase().endsWith(one) && !name.endsWith(one));
    return ending === undefined
      ? []
      : [`${join(folder, name)} is not read: its name must end with ${ending}`];
  });
}

function inOtherFolder(folder: string, inner: string): readonly string[] {
  const path = join(folder, inner);
  const has = (endings: readonly string[]) =>
    entriesOf(path).some(({ name }) => endings.some((one) => name.toLowerCase().endsWith(one)));
  if (inner.toLowerCase() === basename(resolve(folder)).toLowerCase())
    return has(['.sql']) ? [`${path} is not read: saved queries are files of ${folder} itself`] : [];
  const known = Object.keys(endingsOf);
  const hint = didYouMean(inner, known);
  const meant = known.find((one) => hint.includes(` ${one}?`));
  return meant !== undefined && has(endingsOf[meant] ?? []) ? [`${path} is not read${hint}`] : [];
}

/** Hidden ones are those of editors and Kubernetes. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'));
  } catch {
    return [];
  }
}
