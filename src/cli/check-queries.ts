import { loadCatalog } from '../catalog/load-catalog.ts';
import { readConfig } from '../config.ts';
import type { QueryCheck } from '../engine/engine.ts';
import { engines } from '../engine/engines.ts';
import { StartError } from '../errors.ts';
import { commandError, parseOptions } from './arguments.ts';

try {
  const { engine, maximumBytes } = readArguments();
  const config = readConfig({ ...process.env, ...(engine === undefined ? {} : { ENGINE: engine }) });
  const catalog = loadCatalog(config.queriesDir);
  await engines[config.engine].check({ catalog, config, maximumBytes, onChecked: printBytes });
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

function printBytes({ query, bytesProcessed, problems }: QueryCheck): void {
  const bytes = bytesProcessed === undefined ? 'an unknown number of' : bytesProcessed.toLocaleString('en');
  if (problems.length === 0) process.stdout.write(`${query.name} would read ${bytes} bytes\n`);
}
