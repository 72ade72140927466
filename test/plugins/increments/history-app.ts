import { type DuckDBPreparedStatement, DuckDBTimestampTZValue, TIMESTAMPTZ, VARCHAR } from '@duckdb/node-api';
import { duckdbText } from '../../../packages/bigquery-sql/src/passes/duckdb-text.ts';
import { compileTree } from '../../../packages/bigquery-sql/src/tree.ts';
import { isScalar } from '../../../packages/bigquery-sql/src/types.ts';
import {
  createTable,
  openDialectDatabase,
} from '../../../packages/bigquery-sql/test/support/dialect-database.ts';
import type { TableSchema } from '../../../packages/bigquery-sql/src/table-schema.ts';
import type { BoundQuery } from '../../../src/catalog/binding/bind.ts';
import type { Catalog, SavedQuery } from '../../../src/catalog/model/saved-query.ts';
import { buildAnalyze } from '../../../src/catalog-analysis/analyze-catalog.ts';
import { deriveQuery } from '../../../src/catalog-analysis/derived/derive-query.ts';
import { LoopTurns } from '../../../src/concurrency/loop-turns.ts';
import type { EarlierRows, Rows, RunOptions, TableChanges } from '../../../src/engine-contract/engine.ts';
import { documentTexts, rowCountOf } from '../../../src/engine-contract/rows-document.ts';
import type { PluginHost } from '../../../src/gateway/plugin.ts';
import { increments } from '../../../src/plugins/increments/increments.ts';

const required = { mode: 'REQUIRED' } as const;

export const tables: readonly TableSchema[] = ['events', 'visits'].map((name) => ({
  name,
  fields: [
    { name: 'ts', type: 'TIMESTAMP', ...required },
    { name: 'kind', type: 'STRING', ...required },
    { name: 'amount', type: 'INT64', ...required },
  ],
}));

/** A row of a table, at a time in microseconds. */
export interface TestRow {
  readonly table: string;
  readonly at: number;
  readonly kind: string;
  readonly amount: number;
}

/** The plug-in over DuckDB, without a gateway around it. */
export async function openHistoryApp(
  queries: readonly SavedQuery[],
  changes: (signal: AbortSignal) => TableChanges | Promise<TableChanges>,
) {
  const { connection, close } = await openDialectDatabase({ threads: '1', memory_limit: '1GB' });
  for (const table of tables) await connection.run(createTable(table));
  const catalog: Catalog = { queries, tables };
  const analyzed = buildAnalyze()(catalog);
  let now = new Date(0);
  const open = () => {
    const plugin = increments();
    void plugin.open?.({
      clock: { now: () => now },
      turns: new LoopTurns(),
      catalog,
      changes: async (_tables: unknown, _since: unknown, until: AbortSignal) => changes(until),
      derive: async (query: SavedQuery, derivation: never) =>
        deriveQuery(query, derivation, analyzed, { sql: 'bigquery', name: 'duckdb' }),
    } as unknown as PluginHost);
    return plugin;
  };
  let plugin = open();
  const counts = new Map<string, number>();
  let seen = new Map<string, number>();
  const countRuns = () => {
    const samples = plugin.metrics?.[0]?.samples() ?? [];
    const sums = new Map<string, number>();
    for (const { labels, value } of samples) {
      const name = `${labels.endpoint} ${labels.run}`;
      sums.set(name, (sums.get(name) ?? 0) + value);
    }
    for (const [name, value] of sums)
      counts.set(name, (counts.get(name) ?? 0) + value - (seen.get(name) ?? 0));
    seen = sums;
  };

  const prepared = new Map<string, Promise<Prepared>>();
  const prepare = async ({ sql, source, parameters }: SavedQuery): Promise<Prepared> => {
    const compiled = compileTree({ sql, source, parameters }, schemas);
    return { statement: await connection.prepare(duckdbText(compiled.query)), compiled };
  };
  const runSql = async ({ query, parameters }: BoundQuery): Promise<Rows> => {
    const known = prepared.get(query.sql) ?? prepare(query);
    prepared.set(query.sql, known);
    const { statement, compiled } = await known;
    bind(statement, parameters, query, now);
    const result = await statement.runAndReadAll();
    const rows = result.getRows().map((row) => {
      const cells = row.flatMap((cell, at) => {
        const column = compiled.columns[at];
        if (column === undefined || cell === null) return [];
        return [[column.name, jsonOf(cell, isScalar(column.type, 'TIMESTAMP'))] as const];
      });
      return `{${cells.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
    });
    return { rows, truncated: false };
  };
  const signal = new AbortController().signal;
  return {
    /** The rows of a run that replaces an earlier result. */
    async refresh(
      bound: BoundQuery,
      before: Rows | undefined,
      given: Partial<RunOptions> = {},
    ): Promise<Rows> {
      const earlier = before && earlierOf(before);
      const options = { signal, before: () => earlier, ...given };
      const rows = await plugin.aroundRun?.(bound, options, async ({ beforeRows }, other = bound) => {
        await beforeRows?.(signal);
        return runSql(other);
      });
      if (rows === undefined) throw new Error('no rows');
      return rows;
    },
    full: (bound: BoundQuery) => runSql(bound),
    setNow(micros: number) {
      now = new Date(Math.floor(micros / 1000));
    },
    async insert(rows: readonly TestRow[]) {
      for (const [table, ofTable] of Map.groupBy(rows, (row) => row.table)) {
        const values = ofTable.map(
          ({ at, kind, amount }) => `(make_timestamptz(${Math.round(at)}), '${kind}', ${amount})`,
        );
        await connection.run(`INSERT INTO ${table} VALUES ${values.join(', ')}`);
      }
    },
    async removeAt(table: string, from: number, until: number) {
      await connection.run(
        `DELETE FROM ${table} WHERE ts >= make_timestamptz(${from}) AND ts < make_timestamptz(${until})`,
      );
    },
    async clear() {
      for (const { name } of tables) await connection.run(`TRUNCATE ${name}`);
    },
    /** As another gateway does, or one that has been started again. */
    restart() {
      countRuns();
      plugin = open();
      seen = new Map();
    },
    /** How often results of an endpoint were made in a way: `full`, `increment` or `unchanged`. */
    counted(endpoint: string, run: string) {
      countRuns();
      return counts.get(`${endpoint} ${run}`) ?? 0;
    },
    close,
  };
}

interface Prepared {
  readonly statement: DuckDBPreparedStatement;
  readonly compiled: ReturnType<typeof compileTree>;
}

const schemas = (await import('../../../packages/bigquery-sql/src/tree.ts')).schemaTables(tables);

function bind(
  statement: DuckDBPreparedStatement,
  parameters: BoundQuery['parameters'],
  query: SavedQuery,
  now: Date,
): void {
  const names = Array.from({ length: statement.parameterCount }, (_, at) => statement.parameterName(at + 1));
  const moment = (micros: number) => new DuckDBTimestampTZValue(BigInt(micros));
  const values = names.map((name) => {
    if (name === 'current_timestamp') return [name, moment(now.getTime() * 1000), TIMESTAMPTZ] as const;
    const text = String(parameters[name]);
    const isMoment = query.parameters.some((one) => one.name === name && one.bind === 'TIMESTAMP');
    return isMoment
      ? ([name, moment(microsOf(text)), TIMESTAMPTZ] as const)
      : ([name, text, VARCHAR] as const);
  });
  statement.bind(
    Object.fromEntries(values.map(([name, value]) => [name, value])),
    Object.fromEntries(values.map(([name, , type]) => [name, type])),
  );
}

const microsOf = (text: string) => Date.parse(`${text.slice(0, 19)}Z`) * 1000 + Number(text.slice(20, 26));

function jsonOf(cell: unknown, isTimestamp: boolean): string {
  if (isTimestamp) return String((cell as DuckDBTimestampTZValue).micros);
  if (typeof cell === 'bigint' || typeof cell === 'number') return String(cell);
  const text = String(cell);
  return JSON.stringify(/^\d{4}-\d\d-\d\d \d\d/.test(text) ? text.replace(' ', 'T') : text);
}

function earlierOf(rows: Rows): EarlierRows {
  const document = Buffer.from([...documentTexts(rows.rows, 1e6)].join(''));
  return { state: rows.state, truncated: rows.truncated, rowCount: rowCountOf(rows), document };
}
