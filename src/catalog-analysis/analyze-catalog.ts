import { setImmediate as nextTurn } from 'node:timers/promises';
import { schemaTables } from '@querygate/bigquery-sql/tree';
import type { CompleteCatalog } from '../catalog/folder/choose-version.ts';
import type { Catalog, SavedQuery } from '../catalog/model/saved-query.ts';
import { runSteps } from '../concurrency/loop-turns.ts';
import { memoize } from '../memoize.ts';
import { analyzeQuery, type Compiler, compiler, type QueryAnalysis } from './analyze-query.ts';
import { completeColumns, leavesFieldsOpen } from './complete-columns.ts';

/** A version of the saved queries, each with what its files say of it. */
export interface AnalyzedCatalog extends Catalog {
  /** The same object for the same query, also in a later version with the same tables. */
  readonly analysisOf: (query: SavedQuery) => QueryAnalysis;
}

/** The properties of an engine that the analysis depends on. */
export interface Dialect {
  /** As in `EngineFactory`: SQL that is `native` is never compiled. */
  readonly sql: 'bigquery' | 'native';
  readonly flags?: { readonly hasOwnTables?: true };
}

/** Where no engine is chosen, any table may be read. */
export const anyEngine: Dialect = { sql: 'bigquery', flags: { hasOwnTables: true } };

/**
 * Analyzes the versions of a catalog, and fills in the fields of every record whose header leaves them to the SQL, as far as
 * the compiler knows them. They follow from the files alone, so that a schema is the same on all engines.
 */
export function buildAnalyze(
  { sql, flags }: Dialect = anyEngine,
  given: Compiler = compiler,
): CompleteCatalog<AnalyzedCatalog> {
  const hasOpenTables = flags?.hasOwnTables ?? false;
  const analysesOver = memoize((tables: Catalog['tables']) => {
    const stored = schemaTables(tables);
    return memoize((query: SavedQuery) => analyzeQuery(query, stored, hasOpenTables, given));
  });
  /** The last completed form of each query: others compare queries by identity. */
  const forms = new WeakMap<SavedQuery, SavedQuery>();
  /** The query of each form. */
  const written = new WeakMap<SavedQuery, SavedQuery>();

  const complete = (query: SavedQuery, { columns }: QueryAnalysis): SavedQuery => {
    const completed = completeColumns(query.columns, columns());
    const last = forms.get(query);
    if (last !== undefined && JSON.stringify(last.columns) === JSON.stringify(completed)) return last;
    const form = { ...query, columns: completed };
    forms.set(query, form);
    written.set(form, query);
    return form;
  };
  function* analyze({ queries, tables, ...rest }: Catalog): Generator<void, AnalyzedCatalog> {
    const analyses = analysesOver(tables);
    const completed: SavedQuery[] = [];
    for (const query of queries) {
      const isOpen = sql === 'bigquery' && query.columns.some(leavesFieldsOpen);
      completed.push(isOpen ? complete(query, analyses(query)) : query);
      if (isOpen) yield;
    }
    const analysisOf = (query: SavedQuery) => analyses(written.get(query) ?? query);
    return { ...rest, queries: completed, tables, analysisOf };
  }
  return Object.assign((catalog: Catalog) => runSteps(analyze(catalog)), {
    async inTurns(catalog: Catalog) {
      const steps = analyze(catalog);
      for (;;) {
        const step = steps.next();
        if (step.done) return step.value;
        await nextTurn();
      }
    },
  });
}
