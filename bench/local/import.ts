import { existsSync, globSync, mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Bench, tableOf } from './bench.ts';
import { type Dataset, hotTables } from './dataset.ts';
import { filesOf, readNested } from './flat.ts';
import { type Limits, openDatabase, removeDatabase } from './limits.ts';
import { alternate, timed } from './measure.ts';
import { peakMemory, resetPeakMemory } from './memory.ts';
import { count, endProgress, megabytes, printTable, ratio, showProgress } from './print.ts';
import { openProduct } from './product.ts';

const leastRatio = 0.7;

/** How fast the product imports logs, and how much disk they take; then compared with DuckDB's own `read_json`. */
export async function benchImport(bench: Bench): Promise<void> {
  const rows: string[][] = [];
  for (const set of bench.sets) rows.push(await importAll(bench, set));
  endProgress();
  printTable(
    'Import of all streams',
    ['set', 'rows', 'seconds', 'rows a second', 'files', 'store', 'peak memory'],
    rows,
  );
  const [smallest] = bench.sets;
  if (smallest !== undefined) await compareWithDuckdb(bench, smallest);
}

async function importAll({ catalog, limits }: Bench, set: Dataset): Promise<string[]> {
  showProgress(`${set.name}: importing`);
  rmSync(dirname(set.storeFile), { recursive: true, force: true });
  resetPeakMemory();
  let peak = 0;
  const took = await timed(async () => {
    const product = await openProduct({ ...set, catalog, limits });
    peak = peakMemory();
    await product.close();
  });
  const all = hotTables.length * set.rows + (await rowsOfOthers(limits, set));
  return [
    set.name,
    count(all),
    (took / 1000).toFixed(1),
    count((all / took) * 1000),
    megabytes(sizeOf(set.dataDir)),
    existsSync(set.storeFile) ? megabytes(sizeOf(dirname(set.storeFile))) : 'in memory',
    megabytes(peak),
  ];
}

async function rowsOfOthers(limits: Limits, set: Dataset): Promise<number> {
  const database = await openDatabase(':memory:', limits);
  const connection = await database.connect();
  const files = globSync(join(set.dataDir, '*.ndjson')).map((file) => `'${file.replaceAll("'", "''")}'`);
  const counted = await connection.runAndReadAll(
    `SELECT count(*) FROM read_ndjson_objects([${files.join(', ')}])`,
  );
  const rows = Number(counted.getRows()[0]?.[0]);
  database.close();
  return rows;
}

/** One stream, imported by both in turns, each time into a new database file. */
async function compareWithDuckdb({ catalog, limits, options }: Bench, set: Dataset): Promise<void> {
  const [table] = hotTables;
  const folder = join(set.folder, 'one-stream');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'data'), { recursive: true });
  symlinkSync(join(set.dataDir, table), join(folder, 'data', table));
  const storeFile = join(folder, 'store', 'logs.duckdb');
  const plainFile = join(folder, 'plain.duckdb');
  const runs = Math.min(5, options.runs);
  showProgress(`${set.name}: ${table}: importing ${runs + 1} times beside read_json`);

  const [ours, theirs] = await alternate(
    [
      async () => {
        rmSync(dirname(storeFile), { recursive: true, force: true });
        const product = await openProduct({ catalog, limits, dataDir: join(folder, 'data'), storeFile });
        await product.close();
      },
      async () => {
        removeDatabase(plainFile);
        const database = await openDatabase(plainFile, limits);
        const connection = await database.connect();
        const source = readNested(tableOf(catalog, table), filesOf(set, table), 'TIMESTAMPTZ');
        await connection.run(`CREATE TABLE ${table} AS SELECT * FROM ${source}`);
        await connection.run('CHECKPOINT');
        database.close();
      },
    ],
    runs,
  );
  rmSync(folder, { recursive: true });
  if (ours === undefined || theirs === undefined) return;
  endProgress();
  const perSecond = (took: number) => count((set.rows / took) * 1000);
  printTable(
    `Import of ${table} of ${set.name}, rows a second, medians of ${runs} runs in turns`,
    ['', 'product', 'read_json', 'ratio', 'goal'],
    [
      [
        table,
        perSecond(ours.median),
        perSecond(theirs.median),
        ratio(theirs.median / ours.median),
        `at least ${leastRatio}`,
      ],
    ],
  );
}

function sizeOf(folder: string): number {
  return globSync(join(folder, '**')).reduce((sum, path) => {
    const stats = statSync(path);
    return stats.isFile() ? sum + stats.size : sum;
  }, 0);
}
