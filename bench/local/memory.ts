import { readFileSync, writeFileSync } from 'node:fs';

/** Begins a new high-water mark of this process's memory, where the system can (Linux). */
export function resetPeakMemory(): void {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // The mark then tells the most since the process began.
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
