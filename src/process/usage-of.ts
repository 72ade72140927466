import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

/** The memory that a process has, and the processor time that it has used. */
export interface Usage {
  /** Resident memory. */
  readonly memoryBytes: number;
  /** Processor time of all its threads, in milliseconds; undefined where it costs too much to know. */
  readonly processorMs: number | undefined;
}

/** @returns undefined if the process has ended, or the system does not say it */
export async function usageOf(pid: number): Promise<Usage | undefined> {
  try {
    return await (readers[process.platform] ?? fromPs)(pid);
  } catch {
    return undefined;
  }
}

/** As Linux counts for programs, whatever the processor. */
const tickMs = 10;

/** Read at once: promises of `fs` wait for threads that DuckDB may hold. */
async function fromProc(pid: number): Promise<Usage> {
  const [stat, status] = ['stat', 'status'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'latin1'));
  // The name of the program, in brackets, may have spaces.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(status ?? '') ?? [];
  return {
    memoryBytes: Number(kilobytes ?? 0) * 1024,
    processorMs: (Number(fields[11]) + Number(fields[12])) * tickMs,
  };
}

const run = promisify(execFile);

async function fromPs(pid: number): Promise<Usage | undefined> {
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)]);
  const kilobytes = Number.parseInt(stdout, 10);
  return Number.isNaN(kilobytes) ? undefined : { memoryBytes: kilobytes * 1024, processorMs: undefined };
}

/** As in `"node.exe","4242","Console","1","123,456 K"`, with the separators of the country. */
async function fromTasklist(pid: number): Promise<Usage | undefined> {
  const { stdout } = await run('tasklist', ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH'], {
    windowsHide: true,
  });
  const [, size] = /"([\d.,\s\u00a0\u202f]+) K"/.exec(stdout) ?? [];
  if (size === undefined) return undefined;
  return { memoryBytes: Number(size.replace(/\D/g, '')) * 1024, processorMs: undefined };
}

const readers: Readonly<Partial<Record<NodeJS.Platform, (pid: number) => Promise<Usage | undefined>>>> = {
  linux: fromProc,
  win32: fromTasklist,
};
