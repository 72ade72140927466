import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../../errors.ts';

/** Changing a YAML file of ten thousand keys takes seconds, and several commands may be waiting. */
const defaultWaitMs = 30_000;

/**
 * Locks a file for one command at a time, with a lock file beside it that names the owner's process.
 *
 * @param waitMs how long to wait while a running process has the lock
 * @returns releases the lock
 * @throws StartError if the lock is not released in time, or its owner was killed; file system errors as they are
 */
export async function lockFile(file: string, waitMs = defaultWaitMs): Promise<() => void> {
  const lock = `${file}.lock`;
  const deadline = performance.now() + waitMs;
  while (!acquire(lock)) {
    const owner = ownerOf(lock);
    // Read again: the owner may have released the lock and ended between the two checks of `ownerOf`.
    const isDead = owner?.state === 'dead' && ownerOf(lock)?.text === owner.text;
    if (isDead || performance.now() >= deadline) throw lockedError(file, lock, owner);
    await sleep(20);
  }
  return () => rmSync(lock, { force: true });
}

/** @returns false if another process has the lock */
function acquire(lock: string): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(lock, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  try {
    writeFileSync(descriptor, `${process.pid} on ${hostname()}\n`);
    return true;
  } catch (error) {
    rmSync(lock, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

interface LockOwner {
  /** As in `4711 on web-1`. */
  readonly text: string;
  readonly state: 'running' | 'dead' | 'on another host';
}

/** @returns undefined if the lock has been released, or does not name its owner (yet) */
function ownerOf(lock: string): LockOwner | undefined {
  try {
    const text = readFileSync(lock, 'utf8').trim();
    const [, pid, host] = /^([1-9]\d*) on (.+)$/.exec(text) ?? [];
    if (pid === undefined) return undefined;
    // Containers that share a folder have their own host names and process ids.
    if (host !== hostname()) return { text, state: 'on another host' };
    return { text, state: isAlive(Number(pid)) ? 'running' : 'dead' };
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function lockedError(file: string, lock: string, owner: LockOwner | undefined): StartError {
  const advice = {
    // The system reuses process ids, so a running process may not be the owner.
    running: 'which is running; wait for it, or remove the lock if that process is not a key command',
    dead: 'which was killed; remove the lock',
    'on another host': 'which is on another host; remove the lock only if that process has ended',
  };
  const by =
    owner === undefined
      ? 'an unknown process; remove it only if no other key command is running'
      : `process ${owner.text}, ${advice[owner.state]}`;
  return new StartError('The key file cannot be changed', [{ file, message: `${lock} is held by ${by}` }]);
}
