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
      process.kill(process.pid, 'SIGKILL');
    },
    answersPings: true,
  });
}

/** SIGUSR1 would open Node's inspector to every user of the machine. */
const leftToParent = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR1'] as const;
