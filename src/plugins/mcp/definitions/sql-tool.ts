import { seenBySql } from '../../../catalog/binding/caller-sql.ts';
import type { SavedQuery } from '../../../catalog/model/saved-query.ts';
import type { JsonObject } from '../../../catalog/binding/parameter-schema.ts';
import { details } from './detail.ts';
import { inputSchema } from './input-schema.ts';
import { unknownSchema } from './output-schema.ts';
import type { SqlTable } from './sql-tables.ts';
import { maxToolLength, readOnly, type Tool, titleOf, withLimits } from './tool.ts';

/** The arguments of a tool for SQL, besides the parameters of its query. */
export const sqlArguments = { sql: 'sql', dryRun: 'dry_run' } as const;

/** Where a model finds the fields of records, which neither the description nor an error has room for. */
export const columnsAdvice = `a ${sqlArguments.dryRun} of SELECT * FROM a table gives its columns with all fields`;

/**
 * The tool for SQL over the common tables of a saved query.
 *
 * @param name of the tool
 * @param tenants that the key is bound to; undefined: none
 */
export function sqlToolOf(
  name: string,
  query: SavedQuery,
  tables: readonly SqlTable[],
  tenants: ReadonlySet<string> | undefined,
): Tool {
  const tool = (tableTexts: readonly string[]): Tool => ({
    name,
    title: titleOf(name),
    description: withLimits(
      `Runs one SELECT in BigQuery's SQL over these tables only: ${tableTexts.join(', ')}; ${columnsAdvice}.`,
      query,
    ),
    inputSchema: withSql(inputSchema(seenBySql(query), tenants, details.at(-1) ?? details[0])),
    outputSchema: unknownSchema,
    annotations: readOnly,
  });
  const whole = tool(
    tables.map(({ name, columns }) => `${name}(${columns.map((one) => one.name).join(', ')})`),
  );
  return JSON.stringify(whole).length <= maxToolLength ? whole : tool(tables.map((table) => table.name));
}

function withSql({ properties = {}, required = [], ...schema }: JsonObject): JsonObject {
  return {
    ...schema,
    properties: {
      [sqlArguments.sql]: { type: 'string' },
      [sqlArguments.dryRun]: { type: 'boolean', description: 'Only check it and give its columns' },
      ...(properties as JsonObject),
    },
    required: [sqlArguments.sql, ...(required as readonly string[])],
  };
}
