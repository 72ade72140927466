import { findQuery } from '../catalog/model/find-query.ts';
import { readConfig } from '../config.ts';
import { configuredEngine } from '../engines/engines.ts';
import { loadTypedCatalog } from '../analysis/complete-records.ts';
import type { LoadedSettings } from './settings/load-settings.ts';

/** `querygate compile`: prints the SQL that the configured engine runs for a saved query. */
export async function printCompiled({ values, label }: LoadedSettings, name: string): Promise<void> {
  const config = readConfig(values, label);
  const catalog = loadTypedCatalog(config.queriesDir);
  const query = findQuery(catalog, name);
  const engine = await configuredEngine(config);
  process.stdout.write(`${(await engine.sqlOf?.(query, catalog)) ?? query.sql}\n`);
}
