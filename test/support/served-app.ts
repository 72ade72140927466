import type { Server } from 'node:http';
import { pino } from 'pino';
import { systemClock } from '../../src/concurrency/clock.ts';
import { openServer } from '../../src/http/node/open-server.ts';
import { type FakeEngine, type FakeEngineOptions, fakeEngine } from './fake-engine.ts';
import { listen } from './listen.ts';
import { openTestApp, type TestApp, type TestAppOptions } from './test-app.ts';

export interface ServedApp {
  readonly app: TestApp;
  readonly server: Server;
  readonly port: number;
  /** Counts the runs that reached the engine. */
  readonly engine: FakeEngine;
  /** Everything that was logged so far. */
  log(): string;
  close(): Promise<void>;
}

/** The whole service behind a real socket, in this process, over an engine that counts. */
export async function serveTestApp(
  env: Record<string, string> = {},
  queryMs = 1,
  { rows, options = {} }: Pick<FakeEngineOptions, 'rows'> & Pick<TestAppOptions, 'options'> = {},
): Promise<ServedApp> {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) });
  const engine = fakeEngine({ clock: systemClock, queryMs, ...(rows && { rows }) });
  const app = await openTestApp({}, env, { engine, clock: systemClock.now, log, options });
  const { server } = openServer(app.listener, { log });
  const port = await listen(server);
  return {
    app,
    server,
    port,
    engine,
    log: () => lines.join(''),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await app.close();
    },
  };
}
