import { DuckDBInstance, type Json } from '@duckdb/node-api';
import type { TableSchema } from '../../../src/catalog/table-schema.ts';
import { macroDefinitions, sessionSettings } from '../../../src/engine/dialect/macros.ts';
import { rewrite } from '../../../src/engine/dialect/rewrite.ts';
import { columnsOf, duckdbType, quote } from '../../../src/engine/dialect/type.ts';
import { type Problem, StartError } from '../../../src/errors.ts';

/** The moment that CURRENT_TIMESTAMP() is in the tests. */
const now = '2024-03-10 12:34:56.789123+00';

const nullable = { mode: 'NULLABLE' } as const;

export const tables: readonly TableSchema[] = [
  {
    name: 'logs',
    fields: [
      { name: 'id', type: 'INT64', ...nullable },
      { name: 'timestamp', type: 'TIMESTAMP', ...nullable },
      { name: 'project', type: 'STRING', ...nullable },
      {
        name: 'metadata',
        type: 'RECORD',
        mode: 'REPEATED',
        fields: [
          { name: 'level', type: 'STRING', ...nullable },
          {
            name: 'request',
            type: 'RECORD',
            mode: 'REPEATED',
            fields: [
              { name: 'path', type: 'STRING', ...nullable },
              { name: 'status', type: 'INT64', ...nullable },
            ],
          },
        ],
      },
      { name: 'tags', type: 'STRING', mode: 'REPEATED' },
    ],
  },
  {
    name: 'projects',
    fields: [
      { name: 'project', type: 'STRING', ...nullable },
      { name: 'tier', type: 'STRING', ...nullable },
    ],
  },
];

const rows = [
  `INSERT INTO logs VALUES
    (1, '2024-03-10 12:00:00+00', 'a', [{level: 'info', request: [{path: '/rest', status: 200}, {path: '/auth', status: 500}]}], ['x', 'y']),
    (2, '2024-03-10 11:59:59.5+00', 'a', [{level: 'error', request: []}], []),
    (3, '2024-03-09 23:59:59.999999+00', 'b', [], ['z']),
    (4, NULL, NULL, NULL, NULL)`,
  "INSERT INTO projects VALUES ('a', 'PRO'), ('c', 'FREE')",
];

/** A database with the macros, the tables above, and a way to ask it in BigQuery's words. */
export async function openDialect() {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(macroDefinitions());
  for (const setting of sessionSettings) await connection.run(setting);
  for (const { name, fields } of tables) {
    const columns = columnsOf(fields).map((column) => `${quote(column.name)} ${duckdbType(column.type)}`);
    await connection.run(`CREATE TABLE ${quote(name)} (${columns.join(', ')})`);
  }
  for (const row of rows) await connection.run(row);

  return {
    async ask(sql: string, parameters: Readonly<Record<string, string>> = {}): Promise<Json[][]> {
      const rewritten = rewrite({ sql, source: { file: 'test.sql', line: 1 } }, tables);
      const prepared = await connection.prepare(rewritten.sql);
      const values: Readonly<Record<string, string>> = { current_timestamp: now, ...parameters };
      prepared.bind(Object.fromEntries(rewritten.parameters.map((name) => [name, values[name] ?? null])));
      return (await prepared.runAndReadAll()).getRowsJson();
    },
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** What is wrong with a query, each as `line:column message`. */
export function problemsOf(sql: string, line = 1): string[] {
  try {
    rewrite({ sql, source: { file: 'test.sql', line } }, tables);
    return [];
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return error.problems.map((problem: Problem) => `${problem.line}:${problem.column} ${problem.message}`);
  }
}
