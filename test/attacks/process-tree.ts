import { readdirSync, readFileSync } from 'node:fs';

/** The memory of a process and of all that it has started, in bytes, on Linux. */
export interface TreeMemory {
  readonly own: number;
  readonly all: number;
  /** The numbers of the processes below it. */
  readonly below: readonly number[];
}

export function memoryOf(pid: number): TreeMemory {
  const parents = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const [, parent] = /\) \w (\d+)/.exec(read(`/proc/${name}/stat`)) ?? [];
    if (parent !== undefined)
      parents.set(Number(parent), [...(parents.get(Number(parent)) ?? []), Number(name)]);
  }
  const below: number[] = [];
  const collect = (of: number) => {
    for (const child of parents.get(of) ?? []) {
      below.push(child);
      collect(child);
    }
  };
  collect(pid);
  const own = residentBytes(pid);
  return { own, all: below.map(residentBytes).reduce((sum, bytes) => sum + bytes, own), below };
}

function residentBytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`)) ?? [];
  return Number(kilobytes ?? 0) * 1024;
}

/** Those of some processes that run a program, by a part of its path. */
export const running = (pids: readonly number[], program: string): readonly number[] =>
  pids.filter(
    (pid) =>
      read(`/proc/${pid}/cmdline`).includes(program) && !read(`/proc/${pid}/cmdline`).startsWith('/bin/sh'),
  );

/** The processor time of the main thread of a process, in milliseconds, on Linux. */
export function mainThreadMs(pid: number): number {
  const [nanoseconds] = read(`/proc/${pid}/task/${pid}/schedstat`).split(' ');
  return Number(nanoseconds ?? 0) / 1e6;
}

/** '' if the process has ended meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
