import type { Bench } from './bench.ts';
import { tableOf } from './bench.ts';
import { type Case, cases } from './cases.ts';
import { difference } from './compare.ts';
import type { Dataset } from './dataset.ts';
import { hotTables } from './dataset.ts';
import { buildFlat } from './flat.ts';
import { type Form, type HandWritten, openHandWritten } from './hand-written.ts';
import { flatSource } from './hand-written-sql.ts';
import { alternate, type Times } from './measure.ts';
import { peakMemory, resetPeakMemory } from './memory.ts';
import { count, endProgress, megabytes, ms, printTable, ratio, showProgress } from './print.ts';
import { openProduct, type Product } from './product.ts';
import { openProfiler, type Profile } from './profile.ts';

const mostRatio = 1.3;

interface Result {
  readonly benchCase: Case;
  readonly product: Times & Profile;
  readonly flat: Times & Profile & { readonly form: string };
  readonly rowsInWindow: number;
}

/** Every case, compared with hand-written SQL over flat tables that hold the same rows. */
export async function benchQueries(bench: Bench): Promise<void> {
  const profile = openProfiler();
  for (const set of bench.sets) {
    const tables = hotTables.map((name) => tableOf(bench.catalog, name));
    await buildFlat(set, tables, bench.limits, showProgress);
    resetPeakMemory();
    showProgress(`${set.name}: opening`);
    const product = await openProduct({ ...set, ...bench });
    const flat = await openHandWritten(set.flatFile, bench.limits, flatSource(tables));
    const results: Result[] = [];
    try {
      for (const benchCase of cases) {
        showProgress(`${set.name}: ${benchCase.endpoint}: ${benchCase.label}`);
        results.push(await measure(benchCase, product, flat, profile, bench.options.runs));
      }
    } finally {
      flat.close();
      await product.close();
    }
    endProgress();
    print(set, results);
  }
}

async function measure(
  benchCase: Case,
  product: Product,
  flat: HandWritten,
  profile: (work: () => Promise<unknown>) => Promise<Profile>,
  runs: number,
): Promise<Result> {
  const run = () => product.run(benchCase.endpoint, benchCase.parameters);
  const forms = await flat.prepare(benchCase);
  await checkSame(benchCase, await run(), forms);

  const [ours, ...theirs] = await alternate([run, ...forms.map((form) => form.run)], runs);
  const fastest = theirs.reduce(
    (best, { median }, at) => (median < (theirs[best]?.median ?? 0) ? at : best),
    0,
  );
  const [times, form] = [theirs[fastest], forms[fastest]];
  if (ours === undefined || times === undefined || form === undefined)
    throw new Error('Nothing was measured');
  return {
    benchCase,
    product: { ...ours, ...(await profile(run)) },
    flat: { ...times, ...(await profile(form.run)), form: form.form },
    rowsInWindow: await flat.rowsInWindow(benchCase),
  };
}

/** @throws Error if a result differs */
export async function checkSame(
  { endpoint, label }: Case,
  ours: readonly string[],
  forms: readonly Form[],
): Promise<void> {
  for (const { form, run } of forms) {
    const found = difference(ours, await run());
    if (found !== undefined) throw new Error(`${endpoint}: ${label}: the results differ (${form}): ${found}`);
  }
}

function print(set: Dataset, results: readonly Result[]): void {
  const endpoints = [...Map.groupBy(results, ({ benchCase }) => benchCase.endpoint)];
  for (const [endpoint, ofOne] of endpoints) {
    printTable(
      `${endpoint} over ${set.name} rows, beside hand-written SQL over flat tables; ms, MB`,
      [
        'case',
        'product',
        'p95',
        'flat',
        'p95',
        'ratio',
        'rows scanned',
        'by flat',
        'in window',
        'peak',
        'of flat',
        'fastest flat form',
      ],
      ofOne.map(({ benchCase, product, flat, rowsInWindow }) => [
        benchCase.label,
        ms(product.median),
        ms(product.p95),
        ms(flat.median),
        ms(flat.p95),
        ratio(product.median / flat.median),
        count(product.rowsScanned),
        count(flat.rowsScanned),
        count(rowsInWindow),
        count(product.peakBytes / 1e6),
        count(flat.peakBytes / 1e6),
        flat.form,
      ]),
    );
  }
  printTable(
    `Worst ratios over ${set.name} rows (the table holds ${count(set.rows)}; this process held ${megabytes(peakMemory())} at most)`,
    ['query', 'ratio', 'goal', 'case'],
    endpoints.map(([endpoint, ofOne]) => {
      const by = ({ product, flat }: Result) => product.median / flat.median;
      const worst = ofOne.reduce((one, other) => (by(other) > by(one) ? other : one));
      return [endpoint, ratio(by(worst)), `at most ${mostRatio}`, worst.benchCase.label];
    }),
  );
}
