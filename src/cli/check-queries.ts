import { parseArgs } from 'node:util';
import { loadCatalog } from '../catalog/load-catalog.ts';
import type { Catalog } from '../catalog/saved-query.ts';
import { type Config, readConfig } from '../config.ts';
import { type Problem, StartError } from '../errors.ts';

try {
  const { engine, maximumBytes } = readArguments();
  const config = readConfig({ ...process.env, ...(engine === undefined ? {} : { ENGINE: engine }) });
  const catalog = loadCatalog(config.queriesDir);
  await check(catalog, config, maximumBytes);
  process.stdout.write(`${catalog.queries.length} saved queries are right\n`);
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

function readArguments(): { engine: string | undefined; maximumBytes: number | undefined } {
  try {
    const { values } = parseArgs({
      options: { engine: { type: 'string' }, 'maximum-bytes': { type: 'string' } },
    });
    const limit = values['maximum-bytes'];
    if (limit !== undefined && !/^\d{1,15}$/.test(limit)) {
      throw new Error(`--maximum-bytes: got ${JSON.stringify(limit)}; must be a whole number of bytes`);
    }
    return { engine: values.engine, maximumBytes: limit === undefined ? undefined : Number(limit) };
  } catch (error) {
    throw new StartError('The command has problems', [{ message: (error as Error).message }]);
  }
}

/** Only the libraries of the engine that is asked for are loaded. */
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
