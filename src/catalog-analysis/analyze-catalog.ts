import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Field, TableSchema } from '@querygate/bigquery-sql/table-schema';
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

/** The forms that are kept of a query: one that is served, and those of refused versions after it. */
const maxForms = 4;

/** Where no engine is chosen, any table may be read. */
export const anyEngine: Dialect = { sql: 'bigquery', flags: { hasOwnTables: true } };

/**
 * Analyzes the versions of a catalog, and fills in the schemas that queries read, and the fields of every record whose header
 * leaves them to the SQL, as far as the compiler knows them. They follow from the files alone, so that a schema is the same on
 * all engines.
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
  /** The last completed forms of each query, for a version may be refused: others compare queries by identity. */
  const forms = new WeakMap<SavedQuery, readonly SavedQuery[]>();
  /** The query of each form. */
  const written = new WeakMap<SavedQuery, SavedQuery>();

  const complete = (
    query: SavedQuery,
    columns: SavedQuery['columns'],
    schemas: string | undefined,
  ): SavedQuery => {
    if (columns === query.columns && schemas === undefined) return query;
    const known = forms.get(query) ?? [];
    const same = known.find(
      (one) => one.schemas === schemas && JSON.stringify(one.columns) === JSON.stringify(columns),
    );
    const form = same ?? { ...query, columns, schemas };
    forms.set(query, [form, ...known.filter((one) => one !== form)].slice(0, maxForms));
    written.set(form, query);
    return form;
  };
  function* analyze({ queries, tables, ...rest }: Catalog): Generator<void, AnalyzedCatalog> {
    const analyses = analysesOver(tables);
    const completed: SavedQuery[] = [];
    for (const query of queries) {
      const { columns } = query;
      const isOpen = sql === 'bigquery' && columns.some(leavesFieldsOpen);
      const known = isOpen ? completeColumns(columns, analyses(query).columns()) : columns;
      completed.push(complete(query, known, schemasOf(query, tables)));
      yield;
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

/** A digest of the schemas of the tables that a query may read: its rows depend on them. undefined: it reads none. */
function schemasOf(query: SavedQuery, tables: readonly TableSchema[]): string | undefined {
  if (tables.length === 0) return undefined;
  const text = query.sql.toLowerCase();
  const readsAny = /information_schema|\*`/.test(text);
  const read = tables.filter(({ name }) => readsAny || text.includes(name.toLowerCase()));
  return read.length === 0 ? undefined : hash('sha256', read.map(schemaText).join(), 'base64url');
}

/** Fields in another order, and with other descriptions, are the same. */
const schemaText = memoize(({ name, fields }: TableSchema) => JSON.stringify([name, plainFields(fields)]));

const plainFields = (fields: readonly Field[]): unknown =>
  fields
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ description: _, fields, ...field }) => [field, fields && plainFields(fields)]);
