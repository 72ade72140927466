import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { loadCatalog } from '../../src/catalog/folder/load-catalog.ts';
import type { Bench } from './bench.ts';
import { dataset, isSize } from './dataset.ts';
import { generate } from './generate.ts';
import { benchGrowth } from './growth.ts';
import { benchInPlace } from './in-place.ts';
import { benchImport } from './import.ts';
import { benchLight } from './light.ts';
import { readLimits } from './limits.ts';
import { type Part, readOptions, usage } from './options.ts';
import { endProgress, showProgress } from './print.ts';
import { benchQueries } from './queries.ts';
import { benchWordByWord } from './word-by-word.ts';

// As the service does for its default of four concurrent queries.
process.env.UV_THREADPOOL_SIZE ??= '8';

const runs: Readonly<Record<Part, (bench: Bench) => Promise<void>>> = {
  import: benchImport,
  queries: benchQueries,
  growth: benchGrowth,
  'word-by-word': benchWordByWord,
  light: benchLight,
  'in-place': benchInPlace,
};

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) return console.log(usage);
  if (options.clean) return removeSets(options.dir);

  const shipped = loadCatalog('queries');
  const own = loadCatalog(join(import.meta.dirname, 'queries'));
  const catalog = { ...shipped, queries: [...shipped.queries, ...own.queries] };
  const limits = readLimits(process.env);
  const sets = options.sizes.map((name) => dataset(options.dir, name)).sort((a, b) => a.rows - b.rows);
  for (const set of sets) {
    await generate(set, shipped.tables, limits, showProgress);
  }
  endProgress();
  console.log(
    `DuckDB: ${limits.threads} threads, ${limits.DUCKDB_MEMORY_LIMIT}; UV_THREADPOOL_SIZE ${process.env.UV_THREADPOOL_SIZE ?? 'not set'}; Node ${process.version}`,
  );
  const bench = { catalog, limits, options, sets };
  const ofLines = { ...bench, sets: sets.filter(({ isParquetOnly }) => !isParquetOnly) };
  for (const part of options.parts) {
    if (part === 'in-place') await runs[part](bench);
    else if (ofLines.sets.length > 0) await runs[part](ofLines);
  }
}

/** Removes only sets: the folder may contain other files of the user. */
function removeSets(dir: string): void {
  const names = existsSync(dir) ? readdirSync(dir).filter(isSize) : [];
  for (const name of names) rmSync(join(dir, name), { recursive: true });
}

try {
  await main();
} catch (error) {
  endProgress();
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
