import { planIncrement, windowMicros } from '@querygate/bigquery-sql/derive';
import type { AnalyzedCatalog } from '../../catalog-analysis/analyze-catalog.ts';
import { deriveQuery } from '../../catalog-analysis/derived/derive-query.ts';
import { narrowQuery } from '../../catalog-analysis/derived/narrow-query.ts';
import { exampleParameters } from '../../catalog/binding/example-parameters.ts';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import { moments } from '../../plugins/increments/moments.ts';

const second = 1_000_000;
const day = 86_400 * second;
const year = 365 * day;

/**
 * The statement by which an incremental query is refreshed with its examples while rows come all the time: it reads what has
 * changed since a refresh before.
 *
 * @param intervalSeconds between two refreshes
 * @returns undefined for a query of which each run reads all
 */
export async function incrementForm(
  query: SavedQuery,
  intervalSeconds: number,
  catalog: AnalyzedCatalog,
  engine: Parameters<typeof deriveQuery>[3],
): Promise<SavedQuery | undefined> {
  const { incremental } = query;
  if (incremental === undefined) return undefined;
  const derived = await narrowQuery(catalog.tables, (derivation) =>
    deriveQuery(query, derivation, catalog, engine),
  );
  if (derived.query === undefined) return undefined;
  const { narrowed, query: form } = derived;
  const changedMicros = (intervalSeconds + incremental.lateSeconds) * second;
  const now = usualMoment(Date.now() * 1000, changedMicros);
  const before = now - intervalSeconds * second;
  const values = exampleParameters(query);
  const textOf = (name: string) => {
    const value = values[name];
    return typeof value === 'string' ? value : undefined;
  };
  const plan = planIncrement(narrowed, {
    ...{ textOf, before, now },
    changed: [{ from: now - changedMicros, until: Number.POSITIVE_INFINITY }],
    buckets: [now - (windowMicros(narrowed, textOf, now) ?? year)],
  });
  if (plan === undefined || plan === 'unchanged') return undefined;
  const examples = moments(narrowed, plan.read, now);
  return {
    ...form,
    parameters: form.parameters.map((one) => ({ ...one, example: examples[one.name] ?? one.example })),
  };
}

/** Now; shortly after midnight, the end of the day before: refreshes that read two days at that edge of the window are few. */
function usualMoment(now: number, changedMicros: number): number {
  const sinceMidnight = now % day;
  return sinceMidnight < changedMicros && changedMicros < day ? now - sinceMidnight - second : now;
}
