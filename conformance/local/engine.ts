import { DuckDBInstance } from '@duckdb/node-api';
import { macroDefinitions, sessionSettings } from '../../src/engine/dialect/macros.ts';
import { rewrite } from '../../src/engine/dialect/rewrite.ts';
import { StartError } from '../../src/errors.ts';
import type { Table } from '../table.ts';
import type { Answer } from '../values.ts';
import { createTable } from './create-table.ts';
import { decode } from './decode.ts';

/** Our side: BigQuery SQL, rewritten and run on an empty DuckDB with the dialect's macros. */
export interface LocalEngine {
  /** @param parameters values for `@name`, all STRING, as the service binds them */
  evaluate(sql: string, parameters?: Readonly<Record<string, string>>): Promise<Answer>;
  close(): Promise<void>;
}

/** A case that takes longer has gone astray: most take a millisecond. */
const timeoutMs = 3_000;

export async function openLocalEngine(tables: readonly Table[] = []): Promise<LocalEngine> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1', memory_limit: '2GB' });
  const connection = await instance.connect();
  await connection.run(macroDefinitions());
  for (const setting of sessionSettings) await connection.run(setting);
  for (const table of tables) await connection.run(createTable(table));

  return {
    async evaluate(sql, parameters = {}) {
      try {
        const rewritten = rewrite({ sql, source: { file: 'case', line: 1 } }, tables);
        const values = { ...parameters, current_timestamp: new Date().toISOString() };
        const bound = Object.entries(values).filter(([name]) => rewritten.parameters.includes(name));
        const deadline = setTimeout(() => connection.interrupt(), timeoutMs);
        const result = await connection
          .runAndReadAll(rewritten.sql, Object.fromEntries(bound))
          .finally(() => clearTimeout(deadline));
        const types = result.columnTypes();
        return {
          columns: result.columnNames(),
          rows: result
            .getRows()
            .map((row) => row.map((value, at) => decode(value, types[at] ?? failType(at)))),
        };
      } catch (error) {
        return failure(error);
      }
    },
    async close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

function failType(at: number): never {
  throw new Error(`column ${at} has no type`);
}

function failure(error: unknown): Answer {
  if (error instanceof StartError) {
    const messages = new Set(error.problems.map(({ message }) => message));
    return { error: [...messages].join('; '), stage: 'analysis' };
  }
  const message = error instanceof Error ? error.message : String(error);
  const broken = /^(Binder|Parser|Catalog|Internal|INTERNAL|Not implemented) Error/.test(message);
  return { error: message, stage: broken || !/^\w+( \w+)* Error/.test(message) ? 'broken' : 'evaluation' };
}
