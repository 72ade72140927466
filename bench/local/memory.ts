import { readFileSync, writeFileSync } from 'node:fs';

/** Resets the high-water mark of this process's memory, if the system can (Linux). */
export function resetPeakMemory(): void {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // The mark is then that of the whole process.
  }
}

/** The most memory that this process held at once, in bytes. */
export function peakMemory(): number {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    if (kilobytes !== undefined) return Number(kilobytes) * 1024;
  } catch {
    // Not Linux.
  }
  return process.resourceUsage().maxRSS * 1024;
}
