import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { quote } from '@querygate/bigquery-sql/types';
import { convertFiles } from '../../src/engines/duckdb/convert-files.ts';
import { type Bench, tableOf } from './bench.ts';
import { cases } from './cases.ts';
import { type Dataset, hotTables } from './dataset.ts';
import { flatColumns } from './flat.ts';
import { openHandWritten } from './hand-written.ts';
import { flatSource } from './hand-written-sql.ts';
import { openDatabase, removeDatabase } from './limits.ts';
import { alternate, timed } from './measure.ts';
import { endProgress, ms, printTable, ratio, showProgress } from './print.ts';
import { openProduct } from './product.ts';
import { checkSame } from './queries.ts';

const mostRatio = 1.5;

/** The shipped queries over Parquet files where they are, beside the store, and beside hand-written SQL over the same files. */
export async function benchInPlace(bench: Bench): Promise<void> {
  for (const set of bench.sets) {
    const dataDir = await convert(set);
    const file = await handWrittenViews(bench, set, dataDir);
    const storeFile = join(set.folder, 'in-place', 'store.duckdb');
    showProgress(`${set.name}: opening`);
    await openProduct({ ...bench, dataDir, storeFile }).then((product) => product.close());
    const start = await timed(() =>
      openProduct({ ...bench, dataDir, storeFile }).then((product) => product.close()),
    );
    const inPlace = await openProduct({ ...bench, dataDir, storeFile });
    const store = set.isParquetOnly ? undefined : await openProduct({ ...set, ...bench });
    const byHand = await openHandWritten(file, bench.limits, sourceOf(bench));
    const rows: string[][] = [];
    try {
      for (const benchCase of cases) {
        const { endpoint, label, parameters } = benchCase;
        showProgress(`${set.name}: ${endpoint}: ${label}`);
        const forms = await byHand.prepare(benchCase);
        const run = () => inPlace.run(endpoint, parameters);
        await checkSame(benchCase, await run(), forms);
        const inStore = store ? [() => store.run(endpoint, parameters)] : [];
        const [ours = 0, ...others] = (
          await alternate([run, ...inStore, ...forms.map((form) => form.run)], bench.options.runs)
        ).map(({ median }) => median);
        const best = Math.min(...others.slice(inStore.length));
        const stored = inStore.length > 0 ? ms(others[0] ?? 0) : 'none';
        rows.push([`${endpoint}: ${label}`, ms(ours), stored, ms(best), ratio(ours / best)]);
      }
    } finally {
      byHand.close();
      await store?.close();
      await inPlace.close();
    }
    endProgress();
    printTable(
      `Parquet in place, ${set.name} rows; ms; a start takes ${ms(start)}; by hand at most ${mostRatio}`,
      ['case', 'in place', 'store', 'by hand', 'ratio'],
      rows,
    );
  }
}

/** Converts the hot streams, unless they are. @returns the folder of the files */
async function convert(set: Dataset): Promise<string> {
  const folder = set.parquetDir;
  for (const table of hotTables) {
    if (existsSync(join(folder, table)) && !existsSync(join(folder, `.${table}`))) continue;
    showProgress(`${set.name}: ${table}: converting`);
    await convertFiles({ duckdb: { dataDir: set.dataDir }, queriesDir: 'queries' }, table, folder, false);
  }
  return folder;
}

const sourceOf = ({ catalog }: Bench) => flatSource(hotTables.map((name) => tableOf(catalog, name)));

/** A database in which the files are flat tables. */
async function handWrittenViews({ catalog, limits }: Bench, set: Dataset, dataDir: string): Promise<string> {
  const file = join(set.folder, 'in-place', 'by-hand.duckdb');
  removeDatabase(file);
  const database = await openDatabase(file, limits);
  const connection = await database.connect();
  for (const name of hotTables) {
    const table = tableOf(catalog, name);
    const plain = table.fields.filter(({ fields }) => fields === undefined).map((field) => quote(field.name));
    // The records are STRUCTs.
    const leaves = flatColumns(table).map(
      (leaf) => `${leaf.value.replaceAll('[1]', '')} AS ${quote(leaf.name)}`,
    );
    const files = quoteText(join(dataDir, name, '*.parquet'));
    await connection.run(
      `CREATE VIEW ${quote(name)} AS SELECT ${[...plain, ...leaves].join(', ')} FROM read_parquet(${files})`,
    );
  }
  database.close();
  return file;
}
