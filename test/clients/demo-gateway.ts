import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '../support/gateway-process.ts';
import { type DemoTables, openDemoTables } from './demo-tables.ts';
import type { Window } from './studio/expected-pages.ts';
import type { Gateway } from './studio/server-route.ts';

/** The demo's project with the most rows. */
export const project = 'mzqkvxwotrplbhnydsea';

export interface DemoGateway extends Gateway {
  /** The same rows, for SELECTs written by hand. */
  readonly tables: DemoTables;
  /** The last hours before the gateway started. Rows that the demo appends while it runs are later. */
  lastHours(hours: number): Window;
  close(): Promise<void>;
}

const hourMs = 3_600_000;

/** Starts the real process over the demo and the shipped queries, with `sql` allowed for `logs.all`. */
export async function openDemoGateway(env: Record<string, string> = {}): Promise<DemoGateway> {
  const key = 'a-key-for-tests-only';
  const queries = sandboxedQueries();
  const end = new Date();
  const gateway = await startGateway({ API_KEY: key, QUERIES_DIR: queries, ...env });
  // The demo has seven days.
  const tables = await openDemoTables(new Date(end.getTime() - 167 * hourMs), new Date(end.getTime() + 1));
  return {
    origin: gateway.origin,
    key,
    tables,
    lastHours: (hours) => ({ project, start: new Date(end.getTime() - hours * hourMs), end }),
    async close() {
      tables.close();
      await gateway.end();
      rmSync(queries, { recursive: true });
    },
  };
}

/** A copy of the shipped queries, with the one line changed that lets callers send SQL to `logs.all`. */
export function sandboxedQueries(): string {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  cpSync('queries', folder, { recursive: true });
  const file = join(folder, 'logs.all.sql');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('query_sandboxing: disabled', 'query_sandboxing: enabled'));
  return folder;
}
