import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../../errors.ts';

/** A change of ten thousand keys in YAML takes seconds, and several commands may stand in line. */
const patienceMs = 30_000;

/**
 * Takes a file for one command at a time, by a file beside it that names who holds it.
 *
 * @param waitMs how long a holder that runs is waited for
 * @returns gives it back
 * @throws StartError where somebody else does not give it back, or has died with it; what the file system says
 */
export async function lockFile(file: string, waitMs = patienceMs): Promise<() => void> {
  const lock = `${file}.lock`;
  const until = Date.now() + waitMs;
  while (!take(lock)) {
    const holder = holderOf(lock);
    // Read again: it may have given the file back, and ended, between our two looks.
    if (holder?.state === 'is gone' && holderOf(lock)?.text === holder.text) throw isHeld(file, lock, holder);
    if (Date.now() >= until) throw isHeld(file, lock, holder);
    await sleep(20);
  }
  return () => rmSync(lock, { force: true });
}

/** @returns whether it is ours now */
function take(lock: string): boolean {
  let open: number;
  try {
    open = openSync(lock, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  try {
    writeFileSync(open, `${process.pid} on ${hostname()}\n`);
    return true;
  } catch (error) {
    rmSync(lock, { force: true });
    throw error;
  } finally {
    closeSync(open);
  }
}

interface LockHolder {
  /** As in `4711 on web-1`. */
  readonly text: string;
  readonly state: 'runs' | 'is gone' | 'cannot be seen from here';
}

/** @returns undefined where the lock is gone, or does not name its holder (yet) */
function holderOf(lock: string): LockHolder | undefined {
  try {
    const text = readFileSync(lock, 'utf8').trim();
    const [, pid, host] = /^([1-9]\d*) on (.+)$/.exec(text) ?? [];
    if (pid === undefined) return undefined;
    // Containers that share a folder have processes, and names, of their own.
    if (host !== hostname()) return { text, state: 'cannot be seen from here' };
    return { text, state: isAlive(Number(pid)) ? 'runs' : 'is gone' };
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

function isHeld(file: string, lock: string, holder: LockHolder | undefined): StartError {
  const who = holder === undefined ? 'nobody knows who' : `process ${holder.text}, which ${holder.state},`;
  const advice = {
    // A process id is given again, some day.
    runs: 'wait for it; remove the lock only if that process is no key command',
    'is gone': 'it was killed: remove the lock',
    'cannot be seen from here': 'look there: remove the lock only if it has ended',
  };
  const right = holder === undefined ? 'remove it only if no other command runs' : advice[holder.state];
  return new StartError('The key file cannot be changed', [
    { file, message: `${who} holds ${lock}; ${right}` },
  ]);
}
