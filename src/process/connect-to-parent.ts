import { Socket } from 'node:net';
import { type Channel, openChannel } from './channel.ts';
import type { Frame } from './frames.ts';

/**
 * The other end of `startChild`, in the process that was started: to be called first in its program. Signals that a terminal
 * or a supervisor sends to all processes are left to the parent, with whose end this process ends.
 */
export function connectToParent(onFrame: (frame: Frame) => void): Channel {
  for (const signal of leftToParent) process.on(signal, () => {});
  return openChannel(new Socket({ fd: 3, readable: true, writable: true }), {
    onFrame,
    onEnd(error) {
      // A defect of this program, which ends it, and is written to standard error.
      if (error !== undefined) throw error;
      for (const run of whenOrphaned) run();
      process.kill(process.pid, 'SIGKILL');
    },
    answersPings: true,
  });
}

const whenOrphaned = new Set<() => void>();

/**
 * Does something before this process ends because its parent has, also if that was killed. It must not wait, and not throw.
 *
 * @returns takes it back
 */
export function onOrphaned(run: () => void): () => void {
  whenOrphaned.add(run);
  return () => whenOrphaned.delete(run);
}

/** SIGUSR1 would open Node's inspector to every user of the machine. */
const leftToParent = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR1'] as const;
