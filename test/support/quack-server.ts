import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

export interface QuackServer {
  /** As the setting ENGINE has it. */
  readonly url: string;
  readonly token: string;
  /** @param sql that makes its tables, if it is another one */
  start(sql?: string): Promise<void>;
  /** Runs SQL in the process of the server. @returns the rows */
  ask(sql: string): Promise<readonly (readonly unknown[])[]>;
  signal(signal: NodeJS.Signals): void;
  /** Kills it, and waits until it has ended. */
  kill(): Promise<void>;
}

/** A server of DuckDB in a process of its own, on a free port; it is not started yet. @param first SQL that makes its tables */
export async function quackServer(first = 'SELECT 1'): Promise<QuackServer> {
  const port = await freePort();
  const token = 'a-token-for-tests-only';
  let child: ChildProcess | undefined;
  const ask: QuackServer['ask'] = async (question) => {
    child?.send(question);
    const [rows] = await once(child as ChildProcess, 'message');
    return rows;
  };
  return {
    url: `quack://127.0.0.1:${port}`,
    token,
    async start(sql = first) {
      const program = join(import.meta.dirname, 'quack-server-program.ts');
      child = fork(program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
      await once(child, 'message');
      await ask(sql);
      await ask(`CALL quack_serve('quack:127.0.0.1:${port}', token => '${token}')`);
    },
    ask,
    signal: (signal) => child?.kill(signal),
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
