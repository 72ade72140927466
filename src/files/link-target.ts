import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Follows symbolic links, also to a target that does not exist yet: the link is kept and its target is replaced. */
export function linkTarget(path: string): string {
  const exists = statSync(path, { throwIfNoEntry: false }) !== undefined;
  if (exists) return realpathSync(path);
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  return isLink ? linkTarget(resolve(realpathSync(dirname(path)), readlinkSync(path))) : path;
}
