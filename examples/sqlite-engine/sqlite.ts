import { type ChildProcess, fork } from 'node:child_process';
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
import type { Answer, Question } from './statements.ts';

/** An engine over a file of SQLite. The function now() is the current time in microseconds. */
export function sqlite({ file }: { readonly file: string }): EngineFactory {
  const path = resolve(file);
  return {
    name: 'sqlite',
    sql: 'native',
    async open(host) {
      open(path).close();
      const processes = openProcesses(path);
      return limitRuns(host, {
        source: `sqlite ${path}`,
        async run(bound, { signal }) {
          const { query } = bound;
          const question = { sql: query.sql, values: valuesOf(bound), limit: query.maxRows + 1 };
          const now = BigInt(host.now().getTime()) * 1000n;
          return rowsOf(query, await processes.ask({ ...question, now }, signal));
        },
        close: processes.close,
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

/** Statements run in processes: SQLite is synchronous, and a statement that must stop ends with its process only. */
function openProcesses(path: string) {
  const children = new Set<ChildProcess>();
  const idle = new Set<ChildProcess>();
  const start = () => {
    const program = new URL('./statements.ts', import.meta.url);
    const child = fork(program, [path], { execArgv: [], serialization: 'advanced' });
    const forget = () => {
      children.delete(child);
      idle.delete(child);
    };
    children.add(child);
    return child.on('exit', forget).on('error', forget);
  };
  return {
    async ask(question: Question, signal: AbortSignal) {
      const [child = start()] = idle;
      idle.delete(child);
      const { promise, resolve, reject } =
        Promise.withResolvers<Extract<Answer, { rows: unknown }>['rows']>();
      const onAbort = () => {
        reject(signal.reason);
        child.kill('SIGKILL');
      };
      signal.addEventListener('abort', onAbort, { once: true });
      const onMessage = (answer: Answer) => {
        if (!signal.aborted) idle.add(child);
        if ('rows' in answer) resolve(answer.rows);
        else reject(new Error(answer.message));
      };
      const onExit = () => reject(new Error('The process of SQLite has ended'));
      child.on('message', onMessage).on('error', reject).on('exit', onExit);
      child.send(question);
      return promise.finally(() => {
        signal.removeEventListener('abort', onAbort);
        child.off('message', onMessage).off('error', reject).off('exit', onExit);
      });
    },
    async close() {
      for (const child of children) child.kill('SIGKILL');
    },
  };
}
