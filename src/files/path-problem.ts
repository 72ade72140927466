import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { didYouMean, forbiddenText } from '@querygate/text';

/** The kind of thing that a configured path must name. */
type PathKind = 'file' | 'folder';

/**
 * Why a path that an operator has configured cannot be read or written, and what would be right: the end of a message,
 * which begins with the code of the system's error in brackets.
 */
export function pathProblem(
  path: string,
  error: unknown,
  kind: PathKind,
  use: 'read' | 'written' = 'read',
): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return `(${code ?? message})${reasonOf(resolve(path), code, kind, use)}`;
}

function reasonOf(path: string, code: string | undefined, kind: PathKind, use: 'read' | 'written'): string {
  if (code === 'ENOENT') return missing(path, kind);
  if (code === 'EACCES' || code === 'EPERM') return forbiddenText(path, use);
  if ((code === 'ENOTDIR' || code === 'EEXIST') && kind === 'folder' && isKind(path, 'file'))
    return ': it is a file, and must be a folder';
  const reason = reasons[code ?? ''];
  return reason === undefined ? '' : `: ${reason}`;
}

const reasons: Readonly<Record<string, string>> = {
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'something of this name exists already',
  EISDIR: 'it is a folder, and must be a file',
  ELOOP: 'its symbolic links form a loop',
  EROFS: 'its file system is mounted for reading only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota of the owner is exhausted',
  EFBIG: 'the file would exceed the size limit (see ulimit -f)',
};

/** Names the first part of the path that is missing, as it is found from the working directory, and the nearest one. */
function missing(path: string, kind: PathKind): string {
  const folder = dirname(path);
  if (folder !== path && statOf(folder) === undefined) return missing(folder, 'folder');
  return `: there is no ${kind} ${path}${didYouMean(basename(path), namesIn(folder, kind))}`;
}

function statOf(path: string) {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

const isKind = (path: string, kind: PathKind) => statOf(path)?.isDirectory() === (kind === 'folder');

function namesIn(folder: string, kind: PathKind): readonly string[] {
  try {
    const names = readdirSync(folder, { withFileTypes: true });
    // A link may lead to either.
    return names
      .filter((entry) => entry.isSymbolicLink() || entry.isDirectory() === (kind === 'folder'))
      .map(({ name }) => name);
  } catch {
    return [];
  }
}
