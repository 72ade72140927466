import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The names of the files of a folder, each with its time and size; empty if there is no such folder.
 *
 * @param options `recursive` for those in folders inside too
 */
export function versionOfFolder(folder: string, options?: { readonly recursive: true }): string {
  try {
    return filesOf(folder, options?.recursive === true, []).join('\n');
  } catch {
    return '';
  }
}

/** @param parents the real paths of the folders above, which a link may lead to */
function filesOf(folder: string, recursive: boolean, parents: readonly string[]): readonly string[] {
  const real = realpathSync(folder);
  if (parents.includes(real)) return [];
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    const inner = recursive && stats?.isDirectory() ? filesOf(path, recursive, [...parents, real]) : [];
    return [`${path} ${stats?.mtimeMs} ${stats?.size}`, ...inner];
  });
}
