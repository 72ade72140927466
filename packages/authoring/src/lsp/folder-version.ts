import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The names of the files of a folder, each with its time and size; empty if there is no such folder.
 *
 * @param options `recursive` for those in folders inside too
 */
export function versionOfFolder(folder: string, options?: { readonly recursive: true }): string {
  try {
    return readdirSync(folder, { ...options, encoding: 'utf8' })
      .map((name) => {
        const stats = statSync(join(folder, name), { throwIfNoEntry: false });
        return `${name} ${stats?.mtimeMs} ${stats?.size}`;
      })
      .join('\n');
  } catch {
    return '';
  }
}
