import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The names of the files of a folder, each with its time and size; empty if there is no such folder. */
export function versionOfFolder(folder: string): string {
  try {
    return readdirSync(folder)
      .map((name) => {
        const stats = statSync(join(folder, name), { throwIfNoEntry: false });
        return `${name} ${stats?.mtimeMs} ${stats?.size}`;
      })
      .join('\n');
  } catch {
    return '';
  }
}
