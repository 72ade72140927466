import { type Bench, tableOf } from './bench.ts';
import { cases } from './cases.ts';
import { type Dataset, hotTables } from './dataset.ts';
import { buildFlat } from './flat.ts';
import { type HandWritten, openHandWritten } from './hand-written.ts';
import { flatSource } from './hand-written-sql.ts';
import { alternate } from './measure.ts';
import { count, endProgress, ms, printTable, ratio, showProgress } from './print.ts';
import { openProduct, type Product } from './product.ts';

const mostRatio = 1.5;

/** The same query over a set and over the next bigger one, if both have the same rows in its window. */
export async function benchGrowth(bench: Bench): Promise<void> {
  for (const [at, large] of bench.sets.entries()) {
    const small = bench.sets[at - 1];
    if (small !== undefined) await compare(bench, small, large);
  }
}

async function compare(bench: Bench, small: Dataset, large: Dataset): Promise<void> {
  const opened: Opened[] = [];
  const rows: { cells: string[]; growth: number }[] = [];
  let skipped = 0;
  try {
    for (const set of [small, large]) opened.push(await open(bench, set));
    const [ofSmall, ofLarge] = opened as [Opened, Opened];
    for (const benchCase of cases) {
      showProgress(`${small.name} and ${large.name}: ${benchCase.endpoint}: ${benchCase.label}`);
      const [inSmall, inLarge] = [
        await ofSmall.flat.rowsInWindow(benchCase),
        await ofLarge.flat.rowsInWindow(benchCase),
      ];
      if (inSmall !== inLarge || inSmall === 0) {
        skipped += 1;
        continue;
      }
      const [less, more] = await alternate(
        opened.map(
          ({ product }) =>
            () =>
              product.run(benchCase.endpoint, benchCase.parameters),
        ),
        bench.options.runs,
      );
      if (less === undefined || more === undefined) throw new Error('Nothing was measured');
      const growth = more.median / less.median;
      rows.push({
        cells: [
          `${benchCase.endpoint}: ${benchCase.label}`,
          ms(less.median),
          ms(more.median),
          ratio(growth),
          count(inSmall),
        ],
        growth,
      });
    }
  } finally {
    for (const { product, flat } of opened) {
      flat.close();
      await product.close();
    }
  }
  endProgress();
  const worst = Math.max(...rows.map(({ growth }) => growth));
  printTable(
    `The product over ${large.name} and over ${small.name} rows in turns, ms; worst ratio ${ratio(worst)}, goal at most ${mostRatio}; ${skipped} cases skipped whose windows reach beyond ${small.name}`,
    ['case', small.name, large.name, 'ratio', 'in window'],
    rows.map(({ cells }) => cells),
  );
}

interface Opened {
  readonly product: Product;
  readonly flat: HandWritten;
}

async function open(bench: Bench, set: Dataset): Promise<Opened> {
  const tables = hotTables.map((name) => tableOf(bench.catalog, name));
  await buildFlat(set, tables, bench.limits, showProgress);
  showProgress(`${set.name}: opening`);
  return {
    product: await openProduct({ ...set, ...bench }),
    flat: await openHandWritten(set.flatFile, bench.limits, flatSource(tables)),
  };
}
