import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { linkTarget } from './link-target.ts';

/**
 * Replaces a file as a whole, or the target of a link: readers, and a start after a crash, see the old text or the new one.
 *
 * @param text perhaps in parts: each is written in a turn of the event loop
 * @throws errors of the file system, and then the file is unchanged
 */
export async function replaceFile(path: string, text: string | Iterable<string>): Promise<void> {
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
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
}
