import { Worker } from 'node:worker_threads';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  type BoundQuery,
  type EngineFactory,
  limitRuns,
  type ResultColumn,
  rowsOf,
  StartError,
} from 'querygate';
import type { Answer, Question } from './worker.ts';

/** An engine over a file of SQLite. The function now() is the current time in microseconds. */
export function sqlite({ file }: { readonly file: string }): EngineFactory {
  const path = resolve(file);
  return {
    name: 'sqlite',
    sql: 'native',
    async open(host) {
      open(path).close();
      const workers = openWorkers(path);
      return limitRuns(host, {
        source: `sqlite ${path}`,
        async run(bound, { signal }) {
          const { query } = bound;
          const question = { sql: query.sql, values: valuesOf(bound), limit: query.maxRows + 1 };
          const now = BigInt(host.now().getTime()) * 1000n;
          return rowsOf(query, await workers.ask({ ...question, now }, signal));
        },
        close: workers.close,
      });
    },
    async check({ queries }) {
      const database = open(path);
      const problems = queries.flatMap(({ sql, source }) => {
        const message = problemOf(database, sql);
        return message === undefined ? [] : [{ ...source, message }];
      });
      database.close();
      return problems;
    },
    async columnsOf(sql, { source }) {
      const database = open(path);
      const message = problemOf(database, sql);
      const columns = message === undefined ? database.prepare(sql).columns() : [];
      database.close();
      if (message === undefined) return columns.map(toResultColumn);
      throw new StartError('The SQL cannot run on SQLite', [{ ...source, message }]);
    },
  };
}

function open(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { readOnly: true });
  database.function('now', () => 0n);
  return database;
}

function problemOf(database: DatabaseSync, sql: string): string | undefined {
  try {
    database.prepare(sql);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const types: Readonly<Record<string, ResultColumn['type']>> = {
  INTEGER: 'integer',
  REAL: 'float',
  BLOB: 'bytes',
  BOOLEAN: 'boolean',
};

const toResultColumn = ({ name, type }: { name: string; type: string | null }): ResultColumn => ({
  name,
  type: types[type?.toUpperCase() ?? ''] ?? 'string',
  repeated: false,
});

/** The values as the header binds them; a list is JSON text, for json_each. */
function valuesOf({ query, parameters }: BoundQuery): Question['values'] {
  return Object.fromEntries(
    query.parameters.map(({ name, bind = 'STRING' }) => {
      const value = parameters[name] ?? '';
      if (typeof value !== 'string') return [name, JSON.stringify(value)];
      if (value === '' && bind !== 'STRING') return [name, null];
      if (bind === 'INT64') return [name, BigInt(value)];
      if (bind === 'FLOAT64') return [name, Number(value)];
      return [name, bind === 'BOOL' ? Number(value === 'true') : value];
    }),
  );
}

/** Statements run in threads, of which a statement that must stop is ended: SQLite is synchronous. */
function openWorkers(path: string) {
  const idle: Worker[] = [];
  return {
    ask(question: Question, signal: AbortSignal) {
      const worker = idle.pop() ?? new Worker(new URL('./worker.ts', import.meta.url), { workerData: path });
      const { promise, resolve, reject } =
        Promise.withResolvers<Extract<Answer, { rows: unknown }>['rows']>();
      const onAbort = () => {
        reject(signal.reason);
        void worker.terminate();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      const onMessage = (answer: Answer) => {
        if (!signal.aborted) idle.push(worker);
        if ('rows' in answer) resolve(answer.rows);
        else reject(new Error(answer.message));
      };
      worker.on('message', onMessage).on('error', reject);
      worker.postMessage(question);
      return promise.finally(() => {
        signal.removeEventListener('abort', onAbort);
        worker.off('message', onMessage).off('error', reject);
      });
    },
    async close() {
      await Promise.all(idle.splice(0).map((worker) => worker.terminate()));
    },
  };
}
