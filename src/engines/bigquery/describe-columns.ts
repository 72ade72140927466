import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import { StartError } from '../../errors.ts';
import type { ResultColumn } from '../../catalog/model/header-types.ts';
import type { ColumnsOptions } from '../../engine-contract/engine-factory.ts';
import type { BigqueryOptions } from './bigquery-options.ts';
import { openClient } from './api/client.ts';
import { toProblem } from './check-queries.ts';
import { dryRun } from './dry-run.ts';
import { toResultColumn } from './result-column.ts';

/** The columns that SQL returns, by a dry run. @throws StartError if BigQuery does not accept the SQL */
export async function describeColumns(
  sql: string,
  { source, parameters, limits }: ColumnsOptions,
  options: BigqueryOptions,
): Promise<readonly ResultColumn[]> {
  const query: SavedQuery = {
    id: '',
    name: 'new',
    aliases: [],
    querySandboxing: 'disabled',
    description: '',
    sql,
    source,
    maxRows: 1,
    caching: 'disabled',
    warm: [],
    labels: [],
    parameters: parameters.map((parameter) => ({
      ...parameter,
      type: 'string',
      description: '',
      required: false,
      default: undefined,
      example: undefined,
    })),
    tenant: undefined,
    tenantUnchecked: undefined,
    columns: [],
  };
  const client = openClient(options);
  try {
    const { signal } = new AbortController();
    const context = { client, options, timeoutMs: limits.timeoutMs, signal };
    const { schema } = await dryRun({ query, parameters: {} }, context);
    if (schema !== undefined) return schema.fields.map(toResultColumn);
    throw new StartError("The SQL can't be described", [
      {
        ...source,
        message:
          'BigQuery reported no columns: declare the tables in tables/*.json, and use the engine duckdb',
      },
    ]);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError('The SQL cannot run on BigQuery', [toProblem(query, error)]);
  } finally {
    await client.close();
  }
}
