import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder of the gateway among the user's caches; undefined for a user without a home. */
export function userCacheFolder(): string | undefined {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  try {
    const caches =
      XDG_CACHE_HOME || (process.platform === 'win32' && LOCALAPPDATA) || join(homedir(), cachesOfHome);
    return join(caches, 'querygate');
  } catch {
    return undefined;
  }
}

const cachesOfHome = process.platform === 'darwin' ? 'Library/Caches' : '.cache';
