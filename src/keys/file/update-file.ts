import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { StartError } from '../../errors.ts';
import { lockFile } from './file-lock.ts';

/**
 * Changes a file as a whole: readers see the old text or the new one, and of two changes at once neither is lost. Mode and
 * owner stay, so that whoever could read it still can; a new file is its owner's alone.
 *
 * @param change gives the new text; '' is what a file that is not there holds
 * @throws StartError where the file cannot be written; what `change` throws, and then nothing is written
 */
export async function changeFile(path: string, change: (text: string) => string): Promise<void> {
  let release = () => {};
  try {
    const file = targetOf(path);
    release = await lockFile(file);
    const before = statSync(file, { throwIfNoEntry: false });
    const text = change(before === undefined ? '' : readFileSync(file, 'utf8'));
    const draft = `${file}.${process.pid}.tmp`;
    try {
      write(draft, text);
      chmodSync(draft, before === undefined ? 0o600 : before.mode & 0o777);
      if (before !== undefined) keepOwner(draft, before);
      renameSync(draft, file);
    } finally {
      rmSync(draft, { force: true });
    }
  } catch (error) {
    throw cannotWrite(path, error);
  } finally {
    release();
  }
}

/** A link stays one, and what it leads to is replaced, or made where it is not there yet. */
function targetOf(path: string): string {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there !== undefined) return realpathSync(path);
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  return isLink ? targetOf(resolve(realpathSync(dirname(path)), readlinkSync(path))) : path;
}

function write(file: string, text: string): void {
  const open = openSync(file, 'wx', 0o600);
  try {
    // Not writeSync: on a full disk that writes a part, and says so by a number only.
    writeFileSync(open, text);
    fsyncSync(open);
  } finally {
    closeSync(open);
  }
}

function keepOwner(file: string, { uid, gid }: { readonly uid: number; readonly gid: number }): void {
  try {
    chownSync(file, uid, gid);
  } catch {
    // Only root gives files away; whoever else may write here is as good an owner.
  }
}

function cannotWrite(file: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof StartError || code === undefined) return error;
  const reason = reasons[code] ?? 'it or its folder cannot be written';
  return new StartError('The key file cannot be changed', [
    { file, message: `${reason} (${code}); it stays as it was` },
  ]);
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'its disk is full',
  EDQUOT: 'its owner may keep no more on this disk',
  EFBIG: 'it would be larger than a file may be here (see ulimit -f)',
  ENOENT: 'its folder does not exist',
  ELOOP: 'its links lead in a circle',
};
