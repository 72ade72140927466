import { loadCatalog } from '../catalog/load-catalog.ts';
import type { Catalog } from '../catalog/saved-query.ts';
import { type Config, readConfig } from '../config.ts';
import { type Problem, StartError } from '../errors.ts';
import { commandError, parseOptions } from './arguments.ts';

try {
  const { engine, maximumBytes } = readArguments();
  const config = readConfig({ ...process.env, ...(engine === undefined ? {} : { ENGINE: engine }) });
  const catalog = loadCatalog(config.queriesDir);
  await check(catalog, config, maximumBytes);
  process.stdout.write(`${catalog.queries.length} saved queries are valid\n`);
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

function readArguments(): { engine: string | undefined; maximumBytes: number | undefined } {
  const { engine, 'maximum-bytes': limit } = parseOptions(process.argv.slice(2), {
    engine: { type: 'string' },
    'maximum-bytes': { type: 'string' },
  });
  if (limit !== undefined && !/^\d{1,15}$/.test(limit)) {
    throw commandError(`--maximum-bytes: got ${JSON.stringify(limit)}; must be a whole number of bytes`);
  }
  return { engine, maximumBytes: limit === undefined ? undefined : Number(limit) };
}

/** Loads only the libraries of the configured engine. */
async function check(catalog: Catalog, config: Config, maximumBytes: number | undefined): Promise<void> {
  if (config.engine === 'duckdb') {
    const { checkQueries } = await import('../engine/duckdb/check-queries.ts');
    return checkQueries(catalog, config);
  }
  const { checkQueries } = await import('../engine/bigquery/check-queries.ts');
  const checked = await checkQueries(catalog, config, maximumBytes);
  for (const { query, bytesProcessed, problems } of checked) {
    const bytes = bytesProcessed === undefined ? 'an unknown number of' : bytesProcessed.toLocaleString('en');
    if (problems.length === 0) process.stdout.write(`${query.name} would read ${bytes} bytes\n`);
  }
  const problems: readonly Problem[] = checked.flatMap((one) => one.problems);
  if (problems.length > 0) throw new StartError('Saved queries cannot run on BigQuery', problems);
}
