import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CompleteCatalog } from '../catalog/folder/choose-version.ts';
import { loadCatalog } from '../catalog/folder/load-catalog.ts';
import type { Catalog, RecordField, SavedQuery } from '../catalog/model/saved-query.ts';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { runSteps } from '../concurrency/loop-turns.ts';
import { isSameColumn } from './check-columns.ts';
import { type KnownColumn, knownColumns, remember, toRecordField } from './known-columns.ts';

/**
 * The catalog with the fields of every record whose header leaves them to the SQL, as far as the compiler knows them. They
 * follow from the files alone, so that a schema is the same whatever the engine is.
 */
export const completeRecords: CompleteCatalog = Object.assign(
  (catalog: Catalog) => runSteps(complete(catalog)),
  {
    async inTurns(catalog: Catalog) {
      const steps = complete(catalog);
      for (;;) {
        const step = steps.next();
        if (step.done) return step.value;
        await nextTurn();
      }
    },
  },
);

/** A queries folder with the fields of its records. @throws StartError with every problem of every file */
export const loadTypedCatalog = (folder: string): Catalog => completeRecords(loadCatalog(folder));

function* complete({ queries, tables }: Catalog): Generator<void, Catalog> {
  const completed: SavedQuery[] = [];
  for (const query of queries) {
    const isOpen = query.columns.some(leavesFieldsOpen);
    completed.push(isOpen ? completeQuery(query, tables) : query);
    if (isOpen) yield;
  }
  return { queries: completed, tables };
}

const leavesFieldsOpen = ({ type, fields, isFreeForm }: RecordField): boolean =>
  type === 'record' && !isFreeForm && (fields === undefined || fields.some(leavesFieldsOpen));

/** The last completed form of a query: others compare queries by identity. */
const lastForms = new WeakMap<SavedQuery, SavedQuery>();

function completeQuery(query: SavedQuery, tables: readonly TableSchema[]): SavedQuery {
  const known = knownColumns(query, tables);
  const columns = query.columns.map((column) => ({
    ...column,
    ...fieldsFor(
      column,
      known?.find(({ name }) => isSameColumn(name, column.name)),
    ),
  }));
  const last = lastForms.get(query);
  const form =
    last !== undefined && JSON.stringify(last.columns) === JSON.stringify(columns)
      ? last
      : { ...query, columns };
  lastForms.set(query, form);
  remember(form, tables, known);
  return form;
}

/** The fields that a header declares, and those of the SQL where it declares none. */
function fieldsFor(declared: RecordField, known: KnownColumn | undefined): Pick<RecordField, 'fields'> {
  if (!leavesFieldsOpen(declared) || known?.fields === undefined) return {};
  const { fields } = declared;
  if (fields === undefined) return { fields: known.fields.map(toRecordField) };
  return {
    fields: fields.map((field) => ({
      ...field,
      ...fieldsFor(
        field,
        known.fields?.find(({ name }) => name === field.name),
      ),
    })),
  };
}
