import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a process prints, as far as it has arrived. */
export interface ChildOutput {
  output(): string;
  /** What it has written to standard error. */
  errors(): string;
  /**
   * Waits until it has printed something.
   *
   * @throws with all that it has printed if it ends before
   */
  until(pattern: RegExp, of?: 'output' | 'errors'): Promise<RegExpExecArray>;
}

/** Collects what a process prints; to be called in the turn in which it is started. */
export function collectOutput(child: ChildProcess): ChildOutput {
  const text = { output: '', errors: '' };
  let isClosed = false;
  child.stdout?.setEncoding('utf8').on('data', (chunk) => {
    text.output += chunk;
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk) => {
    text.errors += chunk;
  });
  child.once('close', () => {
    isClosed = true;
  });
  return {
    output: () => text.output,
    errors: () => text.errors,
    async until(pattern, of = 'output') {
      for (;;) {
        const found = pattern.exec(text[of]);
        if (found !== null) return found;
        if (isClosed) throw new Error(`It ended:\n${text.output}${text.errors}`);
        await sleep(20);
      }
    },
  };
}
