import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { decodeUtf8, NotUtf8 } from '@querygate/text';
import { StartError } from '../../errors.ts';
import { linkTarget } from '../../files/link-target.ts';
import { pathProblem } from '../../files/path-problem.ts';
import { lockFile } from './file-lock.ts';

/**
 * Replaces a file's text atomically: readers see the old text or the new one, and concurrent updates do not overwrite
 * each other. Mode and owner are preserved; a new file is readable by its owner only.
 *
 * @param update gets the old text, '' if there is no file; returns the new text and the result of the update
 * @throws StartError if the file cannot be written; errors of `update`, and then nothing is written
 */
export async function updateFile<T>(
  path: string,
  update: (text: string) => { readonly text: string; readonly result: T },
): Promise<T> {
  let release = () => {};
  try {
    const file = linkTarget(path);
    release = await lockFile(file);
    const before = statSync(file, { throwIfNoEntry: false });
    const { text, result } = update(before === undefined ? '' : decodeUtf8(readFileSync(file)));
    const temporary = `${file}.${process.pid}.tmp`;
    try {
      write(temporary, text);
      chmodSync(temporary, before === undefined ? 0o600 : before.mode & 0o777);
      if (before !== undefined) setOwner(temporary, before);
      renameSync(temporary, file);
      return result;
    } finally {
      rmSync(temporary, { force: true });
    }
  } catch (error) {
    throw toStartError(path, error);
  } finally {
    release();
  }
}

function write(file: string, text: string): void {
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    // Not writeSync: on a full disk it writes a part and reports that only by the number it returns. The package
    // write-file-atomic 8.0.0 ignores that number, and so replaces the file by a part of its text.
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function setOwner(file: string, { uid, gid }: { readonly uid: number; readonly gid: number }): void {
  try {
    chownSync(file, uid, gid);
  } catch {
    // Only root may change the owner. Another user who may write to this folder becomes the owner.
  }
}

function toStartError(file: string, error: unknown): unknown {
  if (error instanceof NotUtf8)
    return new StartError('The key file cannot be changed', [
      { file, line: error.line, message: `${error.message}; the file is unchanged` },
    ]);
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof StartError || code === undefined) return error;
  const problem = `cannot be written ${pathProblem(file, error, 'file', 'written')}`;
  return new StartError('The key file cannot be changed', [
    { file, message: `${problem}; the file is unchanged` },
  ]);
}
