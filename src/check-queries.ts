import { loadCatalog } from './catalog/load-catalog.ts';
import { readConfig } from './config.ts';
import { checkQueries } from './engine/duckdb/check-queries.ts';
import { StartError } from './errors.ts';

try {
  const config = readConfig(process.env);
  const catalog = loadCatalog(config.queriesDir);
  await checkQueries(catalog, config);
  process.stdout.write(`${catalog.queries.length} saved queries are right\n`);
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
