import type { ResultColumn } from '../../catalog/model/result-column.ts';
import { calledMacros } from '@querygate/bigquery-sql/macros/called-macros';
import { compile } from '@querygate/bigquery-sql/compile';
import { macroDefinitions } from '@querygate/bigquery-sql/macros/macros';
import type { ColumnsOptions } from '../../engine/engine-factory.ts';
import { resultColumnOf } from '../../analysis/result-column-of.ts';
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
    const compiled = compile({ sql, source, parameters }, tables);
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
