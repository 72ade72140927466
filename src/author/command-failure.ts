import { accessSync, constants, existsSync } from 'node:fs';
import { GatewayError, type Problem, StartError } from '../errors.ts';
import { pathProblem } from '../files/path-problem.ts';

/**
 * The error of a command for the person who runs it: paths that they gave may be unusable in many places. Undefined for an
 * error of the program.
 */
export function commandFailure(error: unknown): StartError | GatewayError | undefined {
  if (error instanceof StartError || error instanceof GatewayError) return error;
  const problem = problemOfPath(error);
  return problem && new StartError('A path cannot be used', [problem], { cause: error });
}

/** The problem of a system error that names a path; undefined for other errors. */
function problemOfPath(error: unknown): Problem | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('path' in error)) return undefined;
  const { path, syscall } = error;
  if (typeof path !== 'string' || typeof syscall !== 'string' || path === '') return undefined;
  const use = isWrite(syscall, path) ? 'written' : 'read';
  const kind = folderCalls.has(syscall) ? 'folder' : 'file';
  return { file: path, message: `cannot be ${use} ${pathProblem(path, error, kind, use)}` };
}

const folderCalls: ReadonlySet<string> = new Set(['mkdir', 'scandir', 'opendir', 'mkdtemp', 'rmdir']);
const readingCalls: ReadonlySet<string> = new Set([
  'scandir',
  'opendir',
  'read',
  'stat',
  'lstat',
  'readlink',
]);

/** A file is opened for either: one that this user may read was to be written. */
const isWrite = (syscall: string, path: string): boolean =>
  syscall === 'open' ? isReadable(path) || !existsSync(path) : !readingCalls.has(syscall);

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
