import { LRUCache } from 'lru-cache';
import type { BoundValues } from '../../../catalog/binding/bind.ts';
import type { SavedQuery } from '../../../catalog/model/saved-query.ts';
import { customPlan, genericPlan, type Plan, type PlannedColumn } from '@querygate/bigquery-sql/duckdb';
import type { KnownValues } from '@querygate/bigquery-sql/passes';
import type { Compiled } from '@querygate/bigquery-sql/tree';
import { sameName } from '@querygate/bigquery-sql/types';
import { wireCell } from '../wire/cell.ts';
import type { WireColumn } from '../wire/rows.ts';
import type { ResultTypes } from './result-types.ts';

/** A saved query as DuckDB runs it. */
export interface PreparedQuery {
  readonly columns: readonly WireColumn[];
  /** The SQL for all values of its parameters. */
  readonly generic: string;
  /** The plan for some values: the same rows as the generic SQL gives, but cheaper to plan and to run. */
  plan(parameters: BoundValues): Plan;
}

/** How many plans are kept: one for each combination of enum values and absent parameters in use. */
const maxPlans = 200;

/** Prepares a compiled query whose columns are those of the header. */
export function prepareQuery(query: SavedQuery, compiled: Compiled, types: ResultTypes): PreparedQuery {
  const columns = outputColumns(query, types);
  return {
    columns,
    generic: genericPlan(compiled.query, columns, query.maxRows),
    plan: memoizePlans(query, maxPlans, (known) => customPlan(compiled.query, columns, query.maxRows, known)),
  };
}

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

type OutputColumn = WireColumn & PlannedColumn;

/** The columns in the order of the header, each by its name in the query. */
const outputColumns = ({ columns }: SavedQuery, types: ResultTypes): readonly OutputColumn[] =>
  columns.flatMap(({ name: declared, required }) => {
    const found = types.find(({ name }) => sameName(name, declared));
    return found ? [{ name: declared, required, type: found.type, ...wireCell(found.type) }] : [];
  });

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
