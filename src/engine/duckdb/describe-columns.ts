import type { Source } from '../../catalog/saved-query.ts';
import type { TableSchema } from '../../catalog/tables/table-schema.ts';
import type { Config } from '../../config.ts';
import type { ResultColumn } from '../check-columns.ts';
import { calledMacros } from '../dialect/called-macros.ts';
import { compile } from '../dialect/compile.ts';
import { macroDefinitions } from '../dialect/macros/macros.ts';
import { resultColumnOf } from '../records/result-column-of.ts';
import { withEmptyTables } from './check-queries.ts';
import { toResultColumn } from './prepare/result-column.ts';
import { describeResult } from './prepare/result-types.ts';

interface DescribeColumnsOptions {
  readonly sql: string;
  readonly source: Source;
  readonly tables: readonly TableSchema[];
  readonly config: Config;
}

/** The columns that SQL returns, as the compiler and DuckDB know them. @throws StartError if DuckDB cannot run the SQL */
export function describeColumns({
  sql,
  source,
  tables,
  config,
}: DescribeColumnsOptions): Promise<readonly ResultColumn[]> {
  return withEmptyTables(tables, config, async (connection) => {
    const compiled = compile({ sql, source }, tables);
    await connection.run(macroDefinitions(calledMacros(compiled.query)));
    const returned = await describeResult(connection, { source }, compiled);
    return returned.map(({ name, type, known }, at) => {
      const shown = compiled.columns[at]?.name ?? name;
      if (known.kind === 'null') return { name: shown, type: undefined, repeated: false };
      return type === undefined || known.kind !== 'unknown'
        ? resultColumnOf(shown, known)
        : toResultColumn(shown, type);
    });
  });
}
