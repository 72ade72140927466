import { randomUUID } from 'node:crypto';
import { type Bindings, bindingOf, printPlan } from '@querygate/bigquery-sql/duckdb';
import {
  duckdbText,
  readsTime,
  runPasses,
  type SharedTable,
  shareTables,
} from '@querygate/bigquery-sql/passes';
import { type Compiled, freshNames, nowParameter, type Query } from '@querygate/bigquery-sql/tree';
import { sameName } from '@querygate/bigquery-sql/types';
import type { BoundValues } from '../../../catalog/binding/bind.ts';
import type { SavedQuery } from '../../../catalog/model/saved-query.ts';
import { maxPlans, memoizePlans, type Plans } from './plans.ts';

/** A materialized part of a saved query. Its SQL is equal for equal parts of different queries. */
export interface SharedPart extends Plans {
  /** For the log. */
  readonly name: string;
  /** Those of the saved query under the names of the part's SQL. */
  bindings(ofQuery: Bindings): Bindings;
  /** All values on which the rows depend, but for the time. */
  values(parameters: BoundValues): readonly unknown[];
  readonly readsTime: boolean;
}

/** The database and the schema of the rows of parts, which no SQL of callers can name. */
export const partsSchema = 'memory.materialized';

/** In the SQL of readers, in place of the table with the rows of a part. */
const placeholder = randomUUID();

const relationOf = (at: number): string => `${partsSchema}."${placeholder} ${at}"`;

/** SQL that reads the rows of parts. @param relations by the numbers of the parts */
export const withRelations = (sql: string, relations: readonly string[]): string =>
  relations.reduce((text, relation, at) => text.replaceAll(relationOf(at), relation), sql);

/** A query over its materialized parts, each of which may read those before it; undefined if it has none. */
export function shareParts(
  query: SavedQuery,
  compiled: Compiled,
): { readonly query: Query; readonly parts: readonly SharedPart[] } | undefined {
  const sharing = shareTables(compiled.query, query.materializedTables ?? [], relationOf);
  return sharing && { query: sharing.query, parts: sharing.tables.map((table) => sharedPart(query, table)) };
}

function sharedPart(query: SavedQuery, { name, query: tree, parameters: names }: SharedTable): SharedPart {
  const declared = (name: string) => query.parameters.find((parameter) => sameName(parameter.name, name));
  const originals = [...names];
  return {
    name,
    generic: duckdbText(tree),
    plan: memoizePlans(query, maxPlans, (known) => {
      const renamed = originals.flatMap(([own, original]) =>
        Object.hasOwn(known, original) ? [[own, known[original] ?? null] as const] : [],
      );
      return printPlan(runPasses(tree, { known: Object.fromEntries(renamed), fresh: freshNames(tree) }));
    }),
    bindings: (ofQuery) =>
      new Map([
        ...[...ofQuery].filter(([one]) => one === nowParameter),
        ...originals.map(([own, original]) => [own, bindingOf(ofQuery, original)] as const),
      ]),
    values: (parameters) =>
      originals.map(([, original]) => {
        const { name: of = original, bind } = declared(original) ?? {};
        return [bind, parameters[of]];
      }),
    readsTime: readsTime(tree),
  };
}
