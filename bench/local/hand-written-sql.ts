import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { quote } from '@querygate/bigquery-sql/types';
import { flatColumns } from './flat.ts';

/**
 * A shipped query written by hand for DuckDB, over one layout of its table. Each row is the JSON text of one object, as from
 * the product, and every value is bound.
 */
interface HandWrittenQuery {
  /** How this form differs from the others of the same query; the fastest one counts. */
  readonly form: string;
  readonly sql: string;
}

/** FROM items that give the flat columns of each stream, for one layout of the tables. */
export interface Source {
  readonly edge_logs: string;
  readonly function_edge_logs: string;
  /** The value of the result's column `metadata`. */
  readonly metadata: string;
}

/** The flat tables; metadata is an object of all its leaves. */
export function flatSource(tables: readonly TableSchema[]): Source {
  const edge = tables.find(({ name }) => name === 'edge_logs');
  const leaves = edge === undefined ? [] : flatColumns(edge);
  return {
    edge_logs: 'edge_logs',
    function_edge_logs: 'function_edge_logs',
    metadata: `{${leaves.map(({ name }) => `${quote(name)}: ${quote(name)}`).join(', ')}}`,
  };
}

/** The declared tables, their arrays unnested literally as in the BigQuery SQL. */
export const wordByWordSource: Source = {
  edge_logs: `(
    SELECT t.timestamp, request.url AS request_url, request.path AS request_path
    FROM edge_logs AS t
    CROSS JOIN UNNEST(t.metadata) AS one(m)
    CROSS JOIN UNNEST(m.request) AS two(request))`,
  function_edge_logs: `(
    SELECT t.timestamp, m.execution_time_ms, m.project_ref, m.function_id, response.status_code AS response_status_code
    FROM function_edge_logs AS t
    CROSS JOIN UNNEST(t.metadata) AS one(m)
    LEFT JOIN UNNEST(m.response) AS two(response) ON true)`,
  metadata: 'metadata',
};

export type Unit = 'second' | 'minute' | 'hour' | 'day';

/** functions.invocation-stats: binds since, project and, if ofOneFunction, function_id. */
export function invocationStats(
  source: Source,
  unit: Unit,
  ofOneFunction: boolean,
): readonly HandWrittenQuery[] {
  return ['quantile_disc', 'approx_quantile'].map((quantile) => ({
    form: quantile,
    sql: `
      SELECT to_json({
        timestamp: epoch_us(bucket), min_execution_time: shortest, max_execution_time: longest,
        avg_execution_time: mean, p95_execution_time: quantiles[1], p99_execution_time: quantiles[2],
        count: invocations, error_count: errors
      })::VARCHAR
      FROM (
        SELECT
          date_trunc('${unit}', timestamp) AS bucket,
          min(execution_time_ms) AS shortest,
          max(execution_time_ms) AS longest,
          avg(execution_time_ms) AS mean,
          ${quantile}(execution_time_ms, [0.95, 0.99]) AS quantiles,
          count(*) AS invocations,
          count(*) FILTER (response_status_code >= 400) AS errors
        FROM ${source.function_edge_logs}
        WHERE timestamp >= $since::TIMESTAMP AND project_ref = $project
          ${ofOneFunction ? 'AND function_id = $function_id' : ''}
        GROUP BY bucket
      )
      ORDER BY bucket`,
  }));
}

/** logs.all: binds since (excluded), until (included) and project. */
export function latestLogs({ metadata }: Source): readonly HandWrittenQuery[] {
  const inWindow = 'project = $project AND timestamp > $since::TIMESTAMP AND timestamp <= $until::TIMESTAMP';
  const latest = (condition: string) => `
    SELECT to_json({id: id, timestamp: epoch_us(timestamp), event_message: event_message, metadata: ${metadata}})::VARCHAR
    FROM (SELECT * FROM edge_logs WHERE ${condition} ORDER BY timestamp DESC, id LIMIT 100)
    ORDER BY timestamp DESC, id`;
  return [
    { form: 'plain', sql: latest(inWindow) },
    {
      form: 'threshold first',
      sql: latest(`${inWindow} AND timestamp >= (
        SELECT min(timestamp)
        FROM (SELECT timestamp FROM edge_logs WHERE ${inWindow} ORDER BY timestamp DESC LIMIT 100))`),
    },
  ];
}

/** usage.api-counts: binds since and project, which is a regular expression. */
export function apiCounts(source: Source, unit: Unit): readonly HandWrittenQuery[] {
  const requests = (area: string) => `count(*) FILTER (regexp_matches(request_path, '/${area}'))`;
  const sql = `
    SELECT to_json({
      timestamp: strftime(bucket, '%Y-%m-%dT%H:%M:%S'), total_rest_requests: rest,
      total_storage_requests: storage, total_auth_requests: auth, total_realtime_requests: realtime
    })::VARCHAR
    FROM (
      SELECT
        date_trunc('${unit}', timestamp) AS bucket,
        ${requests('rest')} AS rest,
        ${requests('storage')} AS storage,
        ${requests('auth')} AS auth,
        ${requests('realtime')} AS realtime
      FROM ${source.edge_logs}
      WHERE timestamp >= $since::TIMESTAMP AND regexp_matches(request_url, $project)
      GROUP BY bucket
    )
    ORDER BY bucket`;
  return [{ form: 'plain', sql }];
}

export type BuildQueries = (source: Source) => readonly HandWrittenQuery[];
