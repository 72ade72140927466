import { findQuery } from '../catalog/find-query.ts';
import { loadCatalog } from '../catalog/load-catalog.ts';
import { readConfig } from '../config.ts';
import { engines } from '../engine/engines.ts';
import type { LoadedSettings } from './settings/load-settings.ts';

/** `querygate compile`: prints the SQL that the configured engine runs for a saved query. */
export async function printCompiled({ values, label }: LoadedSettings, name: string): Promise<void> {
  const config = readConfig(values, label);
  const catalog = loadCatalog(config.queriesDir);
  const query = findQuery(catalog, name);
  process.stdout.write(`${await engines[config.engine].sqlOf({ catalog, config, query })}\n`);
}
