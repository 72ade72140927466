import { join } from 'node:path';
import { type Bench, tableOf } from './bench.ts';
import { cases } from './cases.ts';
import { type Dataset, hotTables } from './dataset.ts';
import { filesOf, readNested } from './flat.ts';
import { type HandWritten, openHandWritten } from './hand-written.ts';
import { wordByWordSource } from './hand-written-sql.ts';
import { openDatabase, removeDatabase } from './limits.ts';
import { alternate, timed } from './measure.ts';
import { endProgress, ms, printTable, showProgress } from './print.ts';
import { openProduct, type Product } from './product.ts';
import { checkSame } from './queries.ts';

const leastRatio = 20;
const limitMs = 60_000;

/** The cases that are compared: those of the large project without further conditions. */
const compared = cases.filter(({ label }) => /large$/.test(label) && !/one function|, range/.test(label));

/**
 * Compares with a literal translation of the same SQL: arrays as declared, every UNNEST a lateral join. Each is run once,
 * for a minute at most.
 */
export async function benchWordByWord(bench: Bench): Promise<void> {
  for (const set of bench.sets.filter(({ rows }) => rows <= 10_000_000)) await compare(bench, set);
}

async function compare(bench: Bench, set: Dataset): Promise<void> {
  const file = join(set.folder, 'declared.duckdb');
  await store(bench, set, file);
  showProgress(`${set.name}: opening`);
  const product = await openProduct({ ...set, ...bench });
  const translated = await openHandWritten(file, bench.limits, wordByWordSource);
  const rows: string[][] = [];
  try {
    for (const one of compared) {
      showProgress(`${set.name}: word by word: ${one.endpoint}: ${one.label}`);
      const run = () => product.run(one.endpoint, one.parameters);
      const [ours] = await alternate([run], Math.min(5, bench.options.runs));
      const theirs = await runOnce(one, product, translated);
      const times = (theirs ?? limitMs) / (ours?.median ?? Number.NaN);
      rows.push([
        `${one.endpoint}: ${one.label}`,
        ms(ours?.median ?? Number.NaN),
        theirs === undefined ? `> ${limitMs}` : ms(theirs),
        `${theirs === undefined ? '> ' : ''}${ms(times)}`,
      ]);
    }
  } finally {
    translated.close();
    await product.close();
    removeDatabase(file);
  }
  endProgress();
  printTable(
    `Over ${set.name} rows, beside the word-by-word translation; ms; goal at least ${leastRatio} times faster`,
    ['case', 'product', 'word by word', 'times faster'],
    rows,
  );
}

/** @returns undefined if it did not end in time */
async function runOnce(one: (typeof compared)[number], product: Product, translated: HandWritten) {
  const [form] = await translated.prepare(one);
  if (form === undefined) throw new Error('There is no query to run');
  const stop = setTimeout(() => translated.interrupt(), limitMs);
  let took = 0;
  try {
    let rows: readonly string[] = [];
    took = await timed(async () => {
      rows = await form.run();
    });
    clearTimeout(stop);
    await checkSame(one, await product.run(one.endpoint, one.parameters), [
      { form: 'word by word', run: () => Promise.resolve(rows) },
    ]);
  } catch (error) {
    if (error instanceof Error && /interrupt/i.test(error.message)) return undefined;
    throw error;
  } finally {
    clearTimeout(stop);
  }
  return took;
}

async function store({ catalog, limits }: Bench, set: Dataset, file: string): Promise<void> {
  removeDatabase(file);
  const database = await openDatabase(file, limits);
  try {
    const connection = await database.connect();
    for (const name of hotTables) {
      showProgress(`${set.name}: storing ${name} as declared`);
      const rows = readNested(tableOf(catalog, name), filesOf(set, name), 'TIMESTAMP');
      await connection.run(`CREATE TABLE ${name} AS SELECT * FROM ${rows}`);
    }
    await connection.run('CHECKPOINT');
  } finally {
    database.close();
  }
}
