import { exampleValue } from 'querygate/catalog';
import type { AnalyzedCatalog, QueryCheck, SavedQuery } from 'querygate';
import { type Change, change, type Pair } from './change.ts';
import type { MoreChanges } from './compare-catalogs.ts';
import { invalidChange } from './find-invalid.ts';

interface MeasureOptions {
  /** Dry runs queries. */
  readonly check: (catalog: AnalyzedCatalog, onChecked: (check: QueryCheck) => void) => Promise<unknown>;
  /** The most bytes that a query may read; undefined for any. */
  readonly maximumBytes: number | undefined;
  readonly before: AnalyzedCatalog;
  readonly after: AnalyzedCatalog;
  /** How many times as many bytes a run may read as before. */
  readonly maxRatio: number | undefined;
  /** Receives what could not be measured, and why. */
  readonly onFailed: (note: string) => void;
}

/** Dry runs both versions of endpoints with the same values, and compares the bytes that they would read. */
export async function measureBytes(pairs: readonly Pair[], options: MeasureOptions): Promise<MoreChanges> {
  const { check: run, before, after, onFailed } = options;
  const oldQueries = pairs.map(withExamplesOf);
  const oldChecks = await dryRunAll({ ...before, queries: oldQueries }, run);
  const checks = await dryRunAll({ ...after, queries: pairs.map((pair) => pair.after) }, run);
  const changes = new Map(
    pairs.map((pair, at) => {
      const old = oldChecks.get(oldQueries[at] ?? pair.before);
      const now = checks.get(pair.after);
      const invalid = invalidChange(newProblems(old, now));
      if (invalid.length > 0) return [pair, invalid];
      for (const [check, version] of [
        [now, 'version'],
        [old, 'former version'],
      ] as const)
        if (check?.bytesProcessed === undefined)
          onFailed(`the bytes of ${pair.after.name} are not compared: its ${version} ${reasonOf(check)}`);
      return [pair, compareBytes(old?.bytesProcessed, now?.bytesProcessed, options)];
    }),
  );
  return (pair) => changes.get(pair) ?? [];
}

/** The problems that a version has which could run before. */
function newProblems(old: QueryCheck | undefined, now: QueryCheck | undefined) {
  if (old?.bytesProcessed === undefined) return [];
  const known = new Set(old.problems.map(({ message }) => message));
  return now?.problems.filter(({ message }) => !known.has(message));
}

const reasonOf = (check: QueryCheck | undefined) =>
  `has no result of a dry run: ${check?.problems[0]?.message ?? 'the engine reports no bytes'}`;

async function dryRunAll(
  catalog: AnalyzedCatalog,
  run: MeasureOptions['check'],
): Promise<ReadonlyMap<SavedQuery, QueryCheck>> {
  const checks = new Map<SavedQuery, QueryCheck>();
  await run(catalog, (check) => void checks.set(check.query, check));
  return checks;
}

/** The older version with the newer one's examples, where it has the same parameters: the same object for the same pair. */
export function withExamplesOf(pair: Pair): SavedQuery {
  const known = forms.get(pair) ?? formOf(pair);
  forms.set(pair, known);
  return known;
}

const forms = new WeakMap<Pair, SavedQuery>();

function formOf({ before, after }: Pair): SavedQuery {
  const parameters = before.parameters.map((parameter) => {
    const now = after.parameters.find(({ name, type }) => name === parameter.name && type === parameter.type);
    return now === undefined ? parameter : { ...parameter, example: exampleValue(now) ?? now.default };
  });
  return { ...before, parameters };
}

function compareBytes(
  before: number | undefined,
  after: number | undefined,
  { maximumBytes, maxRatio }: MeasureOptions,
): readonly Change[] {
  if (before === undefined || after === undefined || before === after) return [];
  const ratio = after / before;
  const count = (bytes: number) => bytes.toLocaleString('en');
  const text = `reads ${count(before)} → ${count(after)} bytes (${ratioText(ratio)}) with its examples`;
  const maximum = maximumBytes ?? Number.POSITIVE_INFINITY;
  if (after > maximum && before <= maximum)
    return [change('bytes-over-maximum', ['sql'], `${text}; at most ${count(maximum)} are allowed`)];
  if (maxRatio !== undefined && ratio > maxRatio)
    return [change('bytes-over-ratio', ['sql'], `${text}; at most ${maxRatio}× is allowed`)];
  return [change('bytes-read', ['sql'], text)];
}

const ratioText = (ratio: number) =>
  Number.isFinite(ratio) ? `${ratio.toLocaleString('en', { maximumSignificantDigits: 3 })}×` : 'none before';
