import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';

/** Starts a process per core that never rests, so that everything else gets its time late. */
export function openBusyCores(): { close(): Promise<void> } {
  const children = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['--eval', 'while (true);'], { stdio: 'ignore' }),
  );
  return {
    async close() {
      const exits = children.map((child) => once(child, 'exit'));
      for (const child of children) child.kill('SIGKILL');
      await Promise.all(exits);
    },
  };
}
