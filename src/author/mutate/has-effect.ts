import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import { rejectedAliases } from '@querygate/bigquery-sql/analysis';
import { runPasses } from '@querygate/bigquery-sql/passes';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import {
  freshNames,
  type From,
  mapParts,
  type Mapper,
  printQuery,
  type Query,
} from '@querygate/bigquery-sql/tree';
import { StartError } from '../../errors.ts';
import { buildAnalyze } from '../../analysis/analyze-catalog.ts';

/** What becomes of a changed query before it runs. */
export type Effect =
  /** The result does not depend on the change: it is in a part that no column of the result uses. */
  | 'none'
  /** The changed query is refused, as by `querygate check`. */
  | 'refused'
  | 'possible';

/** Compares changed queries with the original, as they run after all passes. */
export function openEffects(query: SavedQuery, tables: readonly TableSchema[]): (sql: string) => Effect {
  const { analysisOf } = buildAnalyze({ sql: 'bigquery' })({ queries: [], tables });
  const planOf = (sql: string) => {
    const { compiled, tenantProblems } = analysisOf({ ...query, sql });
    const tree = withInnerJoins(compiled().query);
    if (tenantProblems().length > 0) return undefined;
    return printQuery(runPasses(tree, { known: {}, fresh: freshNames(tree) }));
  };
  const original = planOf(query.sql);
  return (sql) => {
    try {
      const plan = planOf(sql);
      if (plan === undefined) return 'refused';
      return plan === original ? 'none' : 'possible';
    } catch (error) {
      if (error instanceof StartError) return 'refused';
      throw error;
    }
  };
}

/** Outer joins whose added rows a condition of WHERE leaves out, as the inner joins that they amount to. */
function withInnerJoins(query: Query): Query {
  const mapper: Mapper = {
    expression: (part) => mapParts(part, mapper),
    from: (part) => mapParts(part, mapper),
    query(part) {
      const mapped = mapParts(part, mapper);
      if (mapped.kind !== 'select' || mapped.from === undefined) return mapped;
      return { ...mapped, from: toInnerJoins(mapped.from, rejectedAliases(mapped)) };
    },
  };
  return mapper.query(query);
}

function toInnerJoins(from: From, present: ReadonlySet<string>): From {
  if (from.kind !== 'join') return from;
  const { join, on } = from;
  const [left, right] = [toInnerJoins(from.left, present), toInnerJoins(from.right, present)];
  const isInner =
    (join === 'LEFT' && hasAlias(right, present)) || (join === 'RIGHT' && hasAlias(left, present));
  if (!isInner) return { ...from, left, right };
  const isAlways = on?.kind === 'literal' && on.value === true;
  return isAlways ? { kind: 'join', join: 'CROSS', left, right } : { ...from, join: 'INNER', left, right };
}

function hasAlias(from: From, aliases: ReadonlySet<string>): boolean {
  if (from.kind === 'join') return hasAlias(from.left, aliases) || hasAlias(from.right, aliases);
  return from.kind === 'sample' ? hasAlias(from.of, aliases) : aliases.has(from.alias);
}
