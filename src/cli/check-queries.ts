import { parseArgs } from 'node:util';
import { loadCatalog } from '../catalog/load-catalog.ts';
import { readConfig } from '../config.ts';
import type { QueryCheck } from '../engine/engine.ts';
import { engines } from '../engine/engines.ts';
import { StartError } from '../errors.ts';

try {
  const { engine, maximumBytes } = readArguments();
  const config = readConfig({ ...process.env, ...(engine === undefined ? {} : { ENGINE: engine }) });
  const catalog = loadCatalog(config.queriesDir);
  await engines[config.engine].check({ catalog, config, maximumBytes, onChecked: printBytes });
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

function printBytes({ query, bytesProcessed, problems }: QueryCheck): void {
  const bytes = bytesProcessed === undefined ? 'an unknown number of' : bytesProcessed.toLocaleString('en');
  if (problems.length === 0) process.stdout.write(`${query.name} would read ${bytes} bytes\n`);
}
