import { type FSWatcher, statSync, watch } from 'node:fs';

/** The file system reports changes of a folder, and not that another one has its path now. */
const lookEveryMs = 500;

interface WatchPathOptions {
  /** True for the folders inside, too. */
  readonly recursive: boolean;
  /** @param name of what has changed; null if it may be anything */
  readonly onChange: (name: string | null) => void;
  /** Called once if changes may be missed, such as at the limit of watches. */
  readonly warn: (message: string) => void;
}

/**
 * Follows the folder that has a path, also if it is replaced by another one, or is not there yet. The process does not end
 * meanwhile.
 *
 * @returns ends it
 */
export function watchPath(path: string, { recursive, onChange, warn }: WatchPathOptions): () => void {
  let identity: string | undefined;
  let watcher: FSWatcher | undefined;
  let isWarned = false;
  const close = () => {
    watcher?.close();
    watcher = undefined;
  };
  const onError = (error: Error) => {
    // The next look watches it again.
    close();
    const { code, message } = error as NodeJS.ErrnoException;
    if (isWarned || code === 'ENOENT') return;
    isWarned = true;
    warn(`changes of ${path} may be missed: it cannot be watched (${code ?? message})`);
  };
  const look = () => {
    const found = identityOf(path);
    const isOther = found !== identity;
    if (isOther) close();
    identity = found;
    if (found === undefined || watcher !== undefined) return false;
    try {
      watcher = watch(path, { recursive }, (_, name) => onChange(name));
      watcher.on('error', onError);
    } catch (error) {
      onError(error as Error);
    }
    return isOther;
  };
  look();
  const timer = setInterval(() => {
    if (look()) onChange(null);
  }, lookEveryMs);
  return () => {
    clearInterval(timer);
    close();
  };
}

/** The folder that has a path now; undefined without one. A number of a removed one is given again, with another time. */
export function identityOf(path: string): string | undefined {
  try {
    const { dev, ino, birthtimeMs } = statSync(path);
    return `${dev} ${ino} ${birthtimeMs}`;
  } catch {
    return undefined;
  }
}
