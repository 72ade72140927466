import { globSync, readFileSync, writeFileSync } from 'node:fs';

/** Resets the high-water mark of this process's memory, if the system can (Linux). */
export function resetPeakMemory(): void {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // The mark is then that of the whole process.
  }
}

/** The most memory that this process, or one that it has started, held at once, in bytes. */
export function peakMemory(): number {
  try {
    const children = globSync('/proc/self/task/*/children').flatMap((file) =>
      readFileSync(file, 'utf8').trim().split(' '),
    );
    return Math.max(...['self', ...children.filter((pid) => pid !== '')].map(peakOf));
  } catch {
    // Not Linux.
    return process.resourceUsage().maxRSS * 1024;
  }
}

const peakOf = (pid: string): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
