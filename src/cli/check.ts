import { loadCatalog } from '../catalog/load-catalog.ts';
import { readConfig } from '../config.ts';
import type { QueryCheck } from '../engine/engine.ts';
import { engines } from '../engine/engines.ts';
import { uncheckedQueries } from '../engine/tenant-filters.ts';
import { commandError } from './arguments.ts';
import type { LoadedSettings } from './settings/load-settings.ts';

interface CheckOptions {
  /** As `--maximum-bytes` gives it. */
  readonly maximumBytes?: string;
}

/** `querygate check`: checks every saved query without starting the service. @throws StartError with all problems */
export async function checkQueries({ values, label }: LoadedSettings, options: CheckOptions): Promise<void> {
  const maximumBytes = parseBytes(options.maximumBytes);
  const config = readConfig(values, label);
  const catalog = loadCatalog(config.queriesDir);
  await engines[config.engine].check({ catalog, config, maximumBytes, onChecked: printBytes });
  for (const line of uncheckedQueries(catalog)) process.stdout.write(`${line}\n`);
  process.stdout.write(`${catalog.queries.length} saved queries are valid\n`);
}

function parseBytes(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw commandError(`--maximum-bytes: got ${JSON.stringify(text)}; must be a whole number of bytes`);
}

function printBytes({ query, bytesProcessed, problems }: QueryCheck): void {
  const bytes = bytesProcessed === undefined ? 'an unknown number of' : bytesProcessed.toLocaleString('en');
  if (problems.length === 0) process.stdout.write(`${query.name} would read ${bytes} bytes\n`);
}
