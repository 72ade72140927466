import type { ResultColumn } from '../../catalog/model/header-types.ts';
import { calledMacros, macroDefinitions } from '@querygate/bigquery-sql/duckdb';
import { compileTree } from '@querygate/bigquery-sql/tree';
import type { ColumnsOptions } from '../../engine-contract/engine-factory.ts';
import { resultColumnOf } from '../../catalog-analysis/result-column-of.ts';
import { withEmptyTables } from './check-queries.ts';
import type { DatabaseSettings } from './open-database.ts';
import { toResultColumn } from './prepare/result-column.ts';
import { describeResult } from './prepare/result-types.ts';

/** The columns that SQL returns, as the compiler and DuckDB know them. @throws StartError if DuckDB cannot run the SQL */
export function describeColumns(
  sql: string,
  { source, tables, parameters }: ColumnsOptions,
  settings: DatabaseSettings,
): Promise<readonly ResultColumn[]> {
  return withEmptyTables(tables, settings, async (connection) => {
    const compiled = compileTree({ sql, source, parameters }, tables);
    await connection.run(macroDefinitions(calledMacros(compiled.query)));
    const returned = await describeResult(connection, { sql, source }, compiled);
    return returned.map(({ name, type, known }, at) => {
      const shown = compiled.columns[at]?.name ?? name;
      if (known.kind === 'null') return { name: shown, type: undefined, repeated: false };
      return type === undefined || known.kind !== 'unknown'
        ? resultColumnOf(shown, known)
        : toResultColumn(shown, type);
    });
  });
}
