import { statSync } from 'node:fs';

/** Why the user of this process may not use a file or folder, and who may: the end of a message, without the path. */
export function forbiddenText(path: string, use: 'read' | 'written'): string {
  const uid = process.getuid?.();
  const user = uid === undefined ? 'the user of this process' : `user ${uid}, which runs this process,`;
  const stats = statOf(path);
  const owner =
    stats === undefined ? '' : `; user ${stats.uid} owns it, with mode ${(stats.mode & 0o7777).toString(8)}`;
  const right = use === 'read' ? 'read it, and to enter the folders above it' : 'write it and its folder';
  return `: ${user} has not the right to ${right}${owner}: change owner or mode (chown, chmod)`;
}

function statOf(path: string) {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
