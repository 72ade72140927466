import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';

/** Starts a busy process per core, so that everything else is scheduled late. */
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
