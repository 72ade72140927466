import { execFileSync } from 'node:child_process';

export interface RunningProcess {
  readonly pid: number;
  readonly command: string;
}

/** The processes that a process has started, with those that they have started; without any that have ended. */
export function childProcesses(parent: number | undefined): readonly RunningProcess[] {
  const all = execFileSync('ps', ['-Ao', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) => {
      const [, pid = '', ppid = '', stat = '', command = ''] =
        /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
      return stat === '' || stat.startsWith('Z') ? [] : [{ pid: Number(pid), ppid: Number(ppid), command }];
    });
  const found: RunningProcess[] = [];
  const add = (of: number | undefined) => {
    for (const { pid, ppid, command } of all) {
      if (ppid !== of) continue;
      found.push({ pid, command });
      add(pid);
    }
  };
  add(parent);
  return found;
}

/** The process of the engine of a gateway; undefined while there is none. */
export const engineOf = (gateway: number | undefined): number | undefined =>
  childProcesses(gateway).find(
    ({ command }) => command.includes('engine-program') && !/^\S*sh /.test(command),
  )?.pid;
