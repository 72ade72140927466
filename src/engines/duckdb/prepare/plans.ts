import { LRUCache } from 'lru-cache';
import type { BoundValues } from '../../../catalog/binding/bind.ts';
import type { SavedQuery } from '../../../catalog/model/saved-query.ts';
import type { Plan } from '@querygate/bigquery-sql/duckdb';
import type { KnownValues } from '@querygate/bigquery-sql/passes';

/** The SQL of a query. */
export interface Plans {
  /** For all values of its parameters. */
  readonly generic: string;
  /** For some values: the same rows as the generic SQL gives, but cheaper to plan and to run. */
  plan(parameters: BoundValues): Plan;
}

/** How many plans are kept: one for each combination of enum values and absent parameters in use. */
export const maxPlans = 200;

/** Keeps the plans that were used last. @param max how many */
export function memoizePlans(
  query: SavedQuery,
  max: number,
  planFor: (known: KnownValues) => Plan,
): (parameters: BoundValues) => Plan {
  const plans = new LRUCache<string, Plan>({ max });
  return (parameters) => {
    const known = inlinedParameters(query, parameters);
    const key = JSON.stringify(known);
    const cached = plans.get(key);
    if (cached !== undefined) return cached;
    const plan = planFor(known);
    plans.set(key, plan);
    return plan;
  };
}

/** The parameters with few possible values (enums and absent ones): each combination of them has a plan of its own. */
export const inlinedParameters = (
  { parameters: declared }: SavedQuery,
  parameters: BoundValues,
): KnownValues =>
  Object.fromEntries(
    declared.flatMap(({ name, type, bind }): readonly (readonly [string, string | null])[] => {
      const value = parameters[name] ?? '';
      if (typeof value !== 'string' || (type !== 'enum' && value !== '')) return [];
      return [[name, bind !== undefined && value === '' ? null : value]];
    }),
  );
