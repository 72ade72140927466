import type { SavedQuery } from '../../catalog/saved-query.ts';
import type { TableSchema } from '../../catalog/tables/table-schema.ts';
import { StartError } from '../../errors.ts';
import { compile } from '../dialect/compile.ts';
import { runPasses } from '../dialect/passes/passes.ts';
import { freshNames } from '../dialect/tree/fresh-names.ts';
import { printQuery } from '../dialect/tree/print.ts';
import { unfilteredProblems } from '../tenant-filters.ts';

/** What becomes of a changed query before it runs. */
export type Effect =
  /** The result does not depend on the change: it is in a part that no column of the result uses. */
  | 'none'
  /** The changed query is refused, as by `querygate check`. */
  | 'refused'
  | 'possible';

/** Compares changed queries with the original, as they run after all passes. */
export function openEffects(query: SavedQuery, tables: readonly TableSchema[]): (sql: string) => Effect {
  const planOf = (sql: string) => {
    const compiled = compile({ ...query, sql }, tables);
    if (unfilteredProblems({ ...query, sql }, compiled).length > 0) return undefined;
    return printQuery(runPasses(compiled.query, { known: {}, fresh: freshNames(compiled.query) }));
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
