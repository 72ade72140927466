import { type DuckdbProcess, startDuckdb } from './duckdb-process.ts';
import { freePort } from './free-port.ts';

export interface QuackServer extends DuckdbProcess {
  /** As the setting ENGINE has it. */
  readonly url: string;
  readonly token: string;
  isRunning(): boolean;
  /** @param sql that makes its tables, if it is another one */
  start(sql?: string): Promise<void>;
}

/** A server of DuckDB in a process of its own, on a free port; it is not started yet. @param first SQL that makes its tables */
export async function quackServer(first = 'SELECT 1'): Promise<QuackServer> {
  const port = await freePort();
  const token = 'a-token-for-tests-only';
  let running: DuckdbProcess | undefined;
  return {
    url: `quack://127.0.0.1:${port}`,
    token,
    async start(sql = first) {
      running = await startDuckdb('httpfs', 'quack');
      await running.ask(sql);
      await running.ask(`CALL quack_serve('quack:127.0.0.1:${port}', token => '${token}')`);
    },
    ask: async (sql) => (await running?.ask(sql)) ?? [],
    isRunning: () => running !== undefined,
    async kill() {
      await running?.kill();
      running = undefined;
    },
  };
}
