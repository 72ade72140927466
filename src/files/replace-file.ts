import { randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { linkTarget } from './link-target.ts';

/**
 * Replaces a file as a whole, or the target of a link: readers, and a start after a crash, see the old text or the new one.
 *
 * @param text perhaps in parts: each is written in a turn of the event loop
 * @param mayReplace called in the turn of the replacement, with the path of the new file; false keeps the old one
 * @returns false if it was kept
 * @throws errors of the file system, and then the file is unchanged
 */
export async function replaceFile(
  path: string,
  text: string | Iterable<string>,
  mayReplace: (temporary: string) => boolean = () => true,
): Promise<boolean> {
  const target = linkTarget(path);
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    const isReplaced = mayReplace(temporary);
    // In one turn: another process has hardly time to replace it in between.
    if (isReplaced) renameSync(temporary, target);
    else await rm(temporary);
    return isReplaced;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
}
