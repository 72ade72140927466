import type { SavedQuery } from '../../../catalog/model/saved-query.ts';
import { once } from '../../../memoize.ts';
import {
  customPlan,
  type FinishPlan,
  genericPlan,
  type Plan,
  type PlannedColumn,
} from '@querygate/bigquery-sql/duckdb';
import type { Compiled, Query } from '@querygate/bigquery-sql/tree';
import { sameName } from '@querygate/bigquery-sql/types';
import { wireCell } from '../wire/cell.ts';
import type { WireColumn } from '../wire/rows.ts';
import { maxPlans, memoizePlans, type Plans } from './plans.ts';
import type { ResultTypes } from './result-types.ts';
import { type SharedPart, shareParts } from './shared-parts.ts';

/** A saved query as DuckDB runs it. */
export interface PreparedQuery extends Plans {
  readonly columns: readonly WireColumn[];
  /** The plan for all values, with constants. */
  readonly anyValues: () => Plan;
  /** Over rows of its materialized parts that are kept; undefined if it has none. Made when first used. */
  readonly sharing: () => SharingPlans | undefined;
}

/** SQL over the rows of parts. */
export interface SharingPlans extends Plans {
  readonly parts: readonly SharedPart[];
}

/** Prepares a compiled query whose columns are those of the header. */
export function prepareQuery(
  query: SavedQuery,
  compiled: Compiled,
  types: ResultTypes,
  finish?: FinishPlan,
): PreparedQuery {
  const columns = outputColumns(query, types);
  const planned = columns.map(({ planned }) => planned);
  return {
    columns,
    ...plansOf(query, compiled.query, planned, finish),
    anyValues: () => customPlan(compiled.query, planned, query.maxRows, {}, undefined, finish),
    sharing: once(() => {
      const sharing = shareParts(query, compiled);
      return sharing && { parts: sharing.parts, ...plansOf(query, sharing.query, planned) };
    }),
  };
}

const plansOf = (
  query: SavedQuery,
  tree: Query,
  columns: readonly PlannedColumn[],
  finish?: FinishPlan,
): Plans => ({
  generic: genericPlan(tree, columns, query.maxRows, finish),
  plan: memoizePlans(query, maxPlans, (known) =>
    customPlan(tree, columns, query.maxRows, known, undefined, finish),
  ),
});

interface OutputColumn extends WireColumn {
  /** By its name in the query, which may have other capital letters. */
  readonly planned: PlannedColumn;
}

/** The columns in the order of the header. */
const outputColumns = ({ columns }: SavedQuery, types: ResultTypes): readonly OutputColumn[] =>
  columns.flatMap(({ name: declared, required }) => {
    const found = types.find(({ name }) => sameName(name, declared));
    if (found === undefined) return [];
    const { json, select } = wireCell(found.type);
    return [{ name: declared, required, json, planned: { ...found, select } }];
  });
