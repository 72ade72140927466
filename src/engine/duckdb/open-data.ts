import type { DuckDBConnection } from '@duckdb/node-api';
import type { Catalog } from '../../catalog/saved-query.ts';
import type { Config } from '../../config.ts';
import { loadData } from './load-data.ts';

export interface LocalData {
  readonly problems: ReadonlyMap<string, string>;
  close(): Promise<void>;
}
export async function openData({
  connection,
  catalog,
  config,
}: {
  connection: DuckDBConnection;
  catalog: Catalog;
  config: Config;
  now: () => Date;
  onProblem: (m: string) => void;
}): Promise<LocalData> {
  return {
    problems: await loadData(connection, catalog.tables, config.dataDir ?? '/nonexistent'),
    close: async () => {},
  };
}
