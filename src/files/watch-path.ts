import { type FSWatcher, statSync, watch } from 'node:fs';

/** The file system reports changes of a folder, and not that another one has its path now. */
const lookEveryMs = 500;

interface WatchPathOptions {
  /** True for the folders inside, too. */
  readonly recursive: boolean;
  /** @param name of what has changed; null if it may be anything */
  readonly onChange: (name: string | null) => void;
}

/**
 * Follows the folder that has a path, also if it is replaced by another one, or is not there yet. The process does not end
 * meanwhile.
 *
 * @returns ends it
 */
export function watchPath(path: string, { recursive, onChange }: WatchPathOptions): () => void {
  let identity: string | undefined;
  let watcher: FSWatcher | undefined;
  const close = () => {
    watcher?.close();
    watcher = undefined;
  };
  const look = () => {
    const found = identityOf(path);
    if (found === identity) return false;
    close();
    identity = found;
    if (found === undefined) return false;
    try {
      watcher = watch(path, { recursive }, (_, name) => onChange(name));
      watcher.on('error', close);
    } catch {
      // It is gone again, or the limit of watches is reached.
      identity = undefined;
    }
    return true;
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
