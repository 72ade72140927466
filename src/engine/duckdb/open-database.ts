import { DuckDBInstance } from '@duckdb/node-api';
import type { Config } from '../../config.ts';

/** An empty database in memory that fetches nothing from elsewhere. */
export function openDatabase({ duckdbThreads, duckdbMemoryLimit }: Config): Promise<DuckDBInstance> {
  return DuckDBInstance.create(':memory:', {
    threads: String(duckdbThreads),
    memory_limit: duckdbMemoryLimit,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  });
}
