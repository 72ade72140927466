import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** DuckDB in a process of its own. */
export interface DuckdbProcess {
  /** Runs SQL. @returns the rows */
  ask(sql: string): Promise<readonly (readonly unknown[])[]>;
  /** Kills it, and waits until it has ended. */
  kill(): Promise<void>;
}

export async function startDuckdb(...extensions: readonly string[]): Promise<DuckdbProcess> {
  const program = join(import.meta.dirname, 'duckdb-program.ts');
  const child = fork(program, extensions, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const answer = async () => {
    const [{ rows, error }] = await once(child, 'message');
    if (error !== undefined) throw new Error(error);
    return rows;
  };
  await answer();
  return {
    ask(sql) {
      child.send(sql);
      return answer();
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
