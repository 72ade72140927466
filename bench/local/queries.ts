import type { Bench } from './bench.ts';
import { tableOf } from './bench.ts';
import { type Case, cases } from './cases.ts';
import { difference } from './compare.ts';
import type { Dataset } from './dataset.ts';
import { hotTables } from './dataset.ts';
import { buildFlat } from './flat.ts';
import { type Form, type HandWritten, openHandWritten } from './hand-written.ts';
import { alternate, type Times } from './measure.ts';
import { peakMemory, resetPeakMemory } from './memory.ts';
import { count, endTelling, megabytes, ms, printTable, ratio, tell } from './print.ts';
import { openProduct, type Product } from './product.ts';
import { openProfiler, type Profile } from './profile.ts';
import { flatSource } from './questions.ts';

const mostRatio = 1.3;

interface Result {
  readonly asked: Case;
  readonly product: Times & Profile;
  readonly flat: Times & Profile & { readonly form: string };
  readonly rowsInWindow: number;
}

/** Every case beside SQL that was written by hand over flat tables, which hold the same rows. */
export async function benchQueries(bench: Bench): Promise<void> {
  const profile = openProfiler();
  for (const set of bench.sets) {
    const tables = hotTables.map((name) => tableOf(bench.catalog, name));
    await buildFlat(set, tables, bench.limits, tell);
    resetPeakMemory();
    tell(`${set.name}: opening`);
    const product = await openProduct({ ...set, ...bench });
    const flat = await openHandWritten(set.flatFile, bench.limits, flatSource(tables));
    const results: Result[] = [];
    try {
      for (const asked of cases) {
        tell(`${set.name}: ${asked.endpoint}: ${asked.label}`);
        results.push(await measure(asked, product, flat, profile, bench.options.runs));
      }
    } finally {
      flat.close();
      await product.close();
    }
    endTelling();
    print(set, results);
  }
}

async function measure(
  asked: Case,
  product: Product,
  flat: HandWritten,
  profile: (work: () => Promise<unknown>) => Promise<Profile>,
  runs: number,
): Promise<Result> {
  const ask = () => product.ask(asked.endpoint, asked.parameters);
  const forms = await flat.prepare(asked);
  await checkSame(asked, await ask(), forms);

  const [ours, ...theirs] = await alternate([ask, ...forms.map(({ run }) => run)], runs);
  const fastest = theirs.reduce(
    (best, { median }, at) => (median < (theirs[best]?.median ?? 0) ? at : best),
    0,
  );
  const [times, form] = [theirs[fastest], forms[fastest]];
  if (ours === undefined || times === undefined || form === undefined)
    throw new Error('Nothing was measured');
  return {
    asked,
    product: { ...ours, ...(await profile(ask)) },
    flat: { ...times, ...(await profile(form.run)), form: form.form },
    rowsInWindow: await flat.rowsInWindow(asked),
  };
}

/** @throws Error where an answer differs */
export async function checkSame(
  { endpoint, label }: Case,
  ours: readonly string[],
  forms: readonly Form[],
): Promise<void> {
  for (const { form, run } of forms) {
    const found = difference(ours, await run());
    if (found !== undefined) throw new Error(`${endpoint}: ${label}: the answers differ (${form}): ${found}`);
  }
}

function print(set: Dataset, results: readonly Result[]): void {
  const endpoints = [...Map.groupBy(results, ({ asked }) => asked.endpoint)];
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
      ofOne.map(({ asked, product, flat, rowsInWindow }) => [
        asked.label,
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
      return [endpoint, ratio(by(worst)), `at most ${mostRatio}`, worst.asked.label];
    }),
  );
}
