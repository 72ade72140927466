import type { Catalog } from '../catalog/saved-query.ts';
import type { Config } from '../config.ts';
import type { Problem } from '../errors.ts';
import type { ImportEvents } from './duckdb/import/import-state.ts';
import type { Engine } from './engine.ts';

export interface EngineOptions {
  readonly catalog: Catalog;
  readonly config: Config;
  /** The time that CURRENT_TIMESTAMP() means on an engine that has no clock of its own. */
  readonly now: () => Date;
  /** Told of local data. */
  readonly listener: ImportEvents;
  /** Told what a look at a saved query found, and how many bytes it would read, where the engine can say. */
  readonly onChecked: (
    endpoint: string,
    bytesProcessed: number | undefined,
    problems: readonly Problem[],
  ) => void;
}

/**
 * Opens the engine that the configuration names. Only that one's libraries are loaded.
 *
 * @throws StartError where a saved query cannot run on it
 */
export async function openEngine({ onChecked, ...options }: EngineOptions): Promise<Engine> {
  if (options.config.engine === 'duckdb') {
    const { openDuckdb } = await import('./duckdb/open-duckdb.ts');
    return openDuckdb(options);
  }
  const { openBigquery } = await import('./bigquery/open-bigquery.ts');
  return openBigquery({
    ...options,
    onChecked: ({ query, bytesProcessed, problems }) => onChecked(query.name, bytesProcessed, problems),
  });
}
