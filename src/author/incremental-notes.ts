import { windowMicros } from '@querygate/bigquery-sql/derive';
import { deriveQuery } from '../catalog-analysis/derived/derive-query.ts';
import { narrowQuery } from '../catalog-analysis/derived/narrow-query.ts';
import type { AnalyzedCatalog, Dialect } from '../catalog-analysis/analyze-catalog.ts';
import type { EngineFactory } from '../engine-contract/engine-factory.ts';
import type { SavedQuery } from '../catalog/model/saved-query.ts';
import { describeProblem } from '@querygate/bigquery-sql/problem';

interface CheckedBy extends Pick<Dialect, 'sql'> {
  readonly name: string;
  readonly flags?: EngineFactory['flags'];
}

const dayMicros = 86_400_000_000;

/** A window of so many days is in so few partitions that reading the two at its ends is no less. */
const leastDays = 2;

/**
 * Why queries with `incremental: true` are not, and, for an engine that bills for what it reads, with which parameters that saves
 * nothing.
 */
export async function incrementalNotes(
  catalog: AnalyzedCatalog,
  engine: CheckedBy,
): Promise<readonly string[]> {
  const declared = catalog.queries.filter(({ incremental }) => incremental !== undefined);
  const notes = await Promise.all(declared.map((query) => noteOf(query, catalog, engine)));
  return notes.filter((note) => note !== undefined);
}

async function noteOf(
  query: SavedQuery,
  catalog: AnalyzedCatalog,
  engine: CheckedBy,
): Promise<string | undefined> {
  const derived = await narrowQuery(catalog.tables, (derivation) =>
    deriveQuery(query, derivation, catalog, engine),
  );
  const { name, parameters } = query;
  if (derived.problem !== undefined) return `${name} is not incremental: ${describeProblem(derived.problem)}`;
  if (engine.flags?.reportsBytes !== true) return undefined;
  const now = Date.now() * 1000;
  const defaults = new Map(parameters.map((one) => [one.name, String(one.default ?? one.example ?? '')]));
  const short = parameters.flatMap((parameter) => {
    if (parameter.type !== 'enum') return [];
    return parameter.values.flatMap(({ value }) => {
      const textOf = (of: string) => (of === parameter.name ? value : defaults.get(of));
      const window = windowMicros(derived.narrowed, textOf, now) ?? Number.POSITIVE_INFINITY;
      return window > leastDays * dayMicros ? [] : `${parameter.name}=${value} (${spanText(window)})`;
    });
  });
  const textOf = (of: string) => defaults.get(of);
  const whole = windowMicros(derived.narrowed, textOf, now) ?? Number.POSITIVE_INFINITY;
  if (short.length === 0 && whole <= leastDays * dayMicros)
    return `${name} is incremental, which saves nothing on BigQuery where a partition is a day: its window is ${spanText(whole)}`;
  const except =
    short.length === 0
      ? ''
      : `; on BigQuery, where a partition is a day, it saves nothing with ${short.join(', ')}`;
  return `${name} is incremental${except}`;
}

function spanText(micros: number): string {
  const minutes = Math.round(micros / 60_000_000);
  if (minutes < 120) return `${minutes} minutes`;
  return minutes < 72 * 60 ? `${Math.round(minutes / 60)} hours` : `${Math.round(minutes / 1440)} days`;
}
