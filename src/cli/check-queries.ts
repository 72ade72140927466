import { loadCatalog } from '../catalog/load-catalog.ts';
import { readConfig } from '../config.ts';
import type { QueryCheck } from '../engine/engine.ts';
import { engines } from '../engine/engines.ts';
import { uncheckedQueries } from '../engine/tenant-filters.ts';
import { StartError } from '../errors.ts';
import { commandError, parseOptions, UsageError } from './arguments.ts';

const usage = `npm run check-queries -- [--engine duckdb|bigquery] [--maximum-bytes <number>]

Checks every saved query without starting the service; exits with 1 if there are problems.

--engine          where the queries are checked; default: ENGINE
--maximum-bytes   the most bytes that a query may read on BigQuery; default: BIGQUERY_MAXIMUM_BYTES_BILLED
`;

try {
  const args = process.argv.slice(2);
  if (args.includes('--help')) process.stdout.write(usage);
  else await checkQueries(args);
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  process.stderr.write(`${error.message}\n`);
  if (error instanceof UsageError) process.stderr.write(`\n${usage}`);
  process.exit(1);
}

async function checkQueries(args: readonly string[]): Promise<void> {
  const { engine, maximumBytes } = readArguments(args);
  const config = readConfig({ ...process.env, ...(engine === undefined ? {} : { ENGINE: engine }) });
  const catalog = loadCatalog(config.queriesDir);
  await engines[config.engine].check({ catalog, config, maximumBytes, onChecked: printBytes });
  for (const line of uncheckedQueries(catalog)) process.stdout.write(`${line}\n`);
  process.stdout.write(`${catalog.queries.length} saved queries are valid\n`);
}

function readArguments(args: readonly string[]) {
  const { engine, 'maximum-bytes': limit } = parseOptions(args, {
    engine: { type: 'string' },
    'maximum-bytes': { type: 'string' },
  });
  if (limit !== undefined && !/^\d{1,15}$/.test(limit)) {
    throw commandError(`--maximum-bytes: got ${JSON.stringify(limit)}; must be a whole number of bytes`);
  }
  return { engine, maximumBytes: limit === undefined ? undefined : Number(limit) };
}

function printBytes({ query, bytesProcessed, problems }: QueryCheck): void {
  const bytes = bytesProcessed === undefined ? 'an unknown number of' : bytesProcessed.toLocaleString('en');
  if (problems.length === 0) process.stdout.write(`${query.name} would read ${bytes} bytes\n`);
}
