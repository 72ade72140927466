import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { loadTables } from '../../catalog/folder/load-tables.ts';
import { readConfig } from '../../config.ts';
import type { ImportReport } from '../../engine-contract/engine.ts';
import { openSession, type Session } from '../../engines/duckdb/open-session.ts';
import type { Failure, Outcome, Statement } from '@querygate/bigquery-sql/duckdb';
import { type Problem, StartError } from '../../errors.ts';
import { isStoreInUse, storeInUseMessage } from '../store-in-use.ts';
import { tablesRead } from './tables-read.ts';

/** A request of the command to this process; one at a time. */
export type WorkerRequest =
  | {
      readonly kind: 'open';
      readonly settings: Readonly<Record<string, string>>;
      readonly texts: readonly string[];
    }
  | {
      readonly kind: 'run';
      readonly statement: Statement;
      readonly explain: boolean;
      readonly timeoutMs: number;
      readonly maxRows: number;
    }
  | { readonly kind: 'close' };

/** The reply to a request. */
export type WorkerReply =
  | { readonly kind: 'opened' }
  | { readonly kind: 'bad start'; readonly summary: string; readonly problems: readonly Problem[] }
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  | { readonly kind: 'closed' };

let session: Session | undefined;

process.on('message', async (request: WorkerRequest) => {
  const reply = await answer(request);
  process.send?.(reply);
});
// The command has ended: so does its worker.
process.on('disconnect', () => process.exit());

async function answer(request: WorkerRequest): Promise<WorkerReply> {
  if (request.kind === 'open') return open(request.settings, request.texts);
  if (request.kind === 'close') {
    await session?.close();
    return { kind: 'closed' };
  }
  if (session === undefined) throw new Error('not open');
  const { statement, explain, timeoutMs, maxRows } = request;
  const outcome = explain
    ? await session.explain(statement)
    : (unreadData(session, statement) ?? (await session.run(statement, { timeoutMs, maxRows })));
  return { kind: 'outcome', outcome };
}

/** The failure of a statement that reads a table with a problem, as at the gateway: its result would look right. */
function unreadData({ tables, dataProblems }: Session, { sql }: Statement): Failure | undefined {
  if (dataProblems.size === 0) return undefined;
  const table = tablesRead(sql, tables()).find((name) => dataProblems.has(name));
  if (table === undefined) return undefined;
  const message = `rows of ${table} are missing: ${dataProblems.get(table)}`;
  return { error: { stage: 'run time', message, line: 1, column: 1 } };
}

async function open(
  settings: Readonly<Record<string, string>>,
  texts: readonly string[],
): Promise<WorkerReply> {
  try {
    const { duckdb, queriesDir } = readConfig(settings);
    const { tables, problems } = loadTables(join(queriesDir, 'tables'));
    if (problems.length > 0) throw new StartError('The tables have problems', problems);
    const withRows = texts.some((text) => tablesRead(text, tables).length > 0);
    const warned = new Set<string>();
    const imported = ({ warnings = [] }: ImportReport) => {
      for (const warning of new Set(warnings).difference(warned)) report(warning);
      for (const warning of warnings) warned.add(warning);
    };
    const listener = { problem: report, news: () => {}, imported };
    const options = { duckdb, tables, withRows, now: () => new Date(), listener };
    session = await openSession(options).catch((error: unknown) => {
      if (!isStoreInUse(error)) throw error;
      report(storeInUseMessage);
      return openSession({ ...options, duckdb: { ...duckdb, storeFile: ':memory:' } });
    });
    // It is killed if a statement does not end, and would otherwise write the cache when it ends.
    flushCompileCache();
    return { kind: 'opened' };
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const [summary = ''] = error.message.split(':\n');
    return { kind: 'bad start', summary, problems: error.problems };
  }
}

const report = (message: string) => void process.stderr.write(`${message}\n`);
