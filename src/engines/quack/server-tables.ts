import type { DuckDBConnection, DuckDBMaterializedResult } from '@duckdb/node-api';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { readRows } from '@querygate/bigquery-sql/duckdb';
import { quote, sameName } from '@querygate/bigquery-sql/types';
import type { Problem } from '../../errors.ts';
import { ServerFailure } from './server-failure.ts';
import type { Ask } from './sessions.ts';

/** Tables as DuckDB describes them, by their names. */
export type DescribedTables = ReadonlyMap<string, readonly Column[]>;

type Column = readonly [name: string, type: string];

const describe = (table: string) => `DESCRIBE ${quote(table)}`;

/** @param connection to a database that has the tables */
export async function describeTables(
  connection: DuckDBConnection,
  tables: readonly TableSchema[],
): Promise<DescribedTables> {
  const described = new Map<string, readonly Column[]>();
  for (const { name } of tables) described.set(name, columnsOf(await connection.run(describe(name))));
  return described;
}

/** The differences between tables as they are declared and as the server has them. It may have more columns, in any order. */
export async function tableProblems(
  ask: Ask,
  tables: DescribedTables,
): Promise<ReadonlyMap<string, readonly Problem[]>> {
  const problems = new Map<string, readonly Problem[]>();
  for (const [table, declared] of tables) {
    const found = await ask(describe(table)).then(columnsOf, (error: unknown) => {
      if (error instanceof ServerFailure && /does not exist/.test(error.message)) return undefined;
      throw error;
    });
    const messages = found === undefined ? ['is not there'] : differences(declared, found);
    if (messages.length > 0)
      problems.set(
        table,
        messages.map((message) => ({ message: `table ${table} of the server: ${message}` })),
      );
  }
  return problems;
}

const columnsOf = (result: DuckDBMaterializedResult): readonly Column[] =>
  readRows(result).map(([name, type]) => [String(name), String(type)]);

function differences(declared: readonly Column[], found: readonly Column[]): readonly string[] {
  return declared.flatMap(([name, type]) => {
    const [, own] = found.find(([other]) => sameName(other, name)) ?? [];
    if (own === undefined) return [`has no column ${name}; it must be ${type}`];
    return own === type ? [] : [`${name} is ${own}; it must be ${type}, as a view can cast it`];
  });
}
