import type { DuckDBConnection } from '@duckdb/node-api';
import { serverText, withCountsForServer } from '@querygate/bigquery-sql/duckdb';
import { problemOf } from '@querygate/bigquery-sql/problem';
import type { AnalyzedCatalog } from '../../catalog-analysis/analyze-catalog.ts';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import type { Problem } from '../../errors.ts';
import { createTables } from '../duckdb/check-queries.ts';
import { type PreparedCatalog, prepareQueries, type Runnable } from '../duckdb/prepare/prepare-catalog.ts';
import type { DefineMacros } from '../duckdb/run/define-macros.ts';
import { type DescribedTables, describeTables } from './server-tables.ts';

interface PrepareOptions {
  readonly defineMacros: DefineMacros;
  readonly known?: WeakMap<SavedQuery, Runnable>;
  readonly planAll?: boolean;
}

/** Queries that a server can run, and problems of others. */
export interface PreparedForServer extends PreparedCatalog {
  /** The tables that its queries read, as the server must have them. */
  readonly read: DescribedTables;
}

/** As `prepareQueries`, over empty tables of this process; what no server can run is a problem. */
export async function prepareForServer(
  planning: DuckDBConnection,
  catalog: AnalyzedCatalog,
  options: PrepareOptions,
): Promise<PreparedForServer> {
  await createTables(planning, catalog.tables);
  const { runnable, problems } = await prepareQueries(planning, {
    ...catalog,
    ...options,
    finish: withCountsForServer,
  });
  const refused = [...runnable].flatMap(([query, one]) => {
    const found = refusals(query, one);
    return found.length > 0 ? [[query, found] as const] : [];
  });
  const names = new Set([...runnable.values()].flatMap(({ tables }) => tables));
  const read = catalog.tables.filter(({ name }) => names.has(name));
  return {
    runnable,
    problems: new Map([...problems, ...refused]),
    read: await describeTables(planning, read),
  };
}

function refusals(query: SavedQuery, { prepared }: Runnable): readonly Problem[] {
  const { sql, constants } = prepared().anyValues();
  const inConstants = constants.flatMap((constant) => serverText(constant.sql).missing.filter(isJavascript));
  const missing = new Set([...serverText(sql).missing, ...inConstants]);
  const messages = [...missing].map(
    (name) => `${name} cannot run on a server of DuckDB: the gateway computes it, with ENGINE=duckdb`,
  );
  if (query.querySandboxing === 'enabled')
    messages.push(
      'query_sandboxing: SQL of callers cannot run on a server of DuckDB, which has no limits for it; leave it out',
    );
  return messages.map((message) => problemOf(query.source, message));
}

const isJavascript = (name: string) => name.includes('JavaScript');
