import { storedColumns } from '@querygate/bigquery-sql/duckdb';
import { fileColumn, type TableSchema, timeColumn } from '@querygate/bigquery-sql/table-schema';
import type { StoredColumn, StoredTable } from '@querygate/bigquery-sql/tree';
import { quote } from '@querygate/bigquery-sql/types';
import { storeName } from './open-store.ts';

/** SQL of the condition that a row is one of some files, by their numbers. */
export const isOfFiles = (files: Iterable<number>) => `${quote(fileColumn)} IN (${[...files].join(', ')})`;

/** A table of the store, in its current layout. */
export interface TableInStore extends StoredTable {
  /** The relation that queries read: `rows`, or a view of them and of the rows of files that are read where they are. */
  readonly relation: string;
  /** The table with the imported rows. */
  readonly rows: string;
  readonly columns: readonly StoredColumn[];
  /** Paths of the records that have several elements in some row. */
  readonly repeatedPaths: ReadonlySet<string>;
  /** The column that time windows and retention use: the first TIMESTAMP that every row has. */
  readonly time: string | undefined;
}

/** A table of a schema in a relation. */
export function tableInStore(
  schema: TableSchema,
  relation: string,
  repeatedPaths: ReadonlySet<string>,
): TableInStore {
  const { name, fields, absent } = schema;
  return {
    name,
    fields,
    ...(absent && { absent }),
    relation,
    rows: relation,
    repeatedPaths,
    time: timeColumn(schema),
    columns: storedColumns(schema, repeatedPaths),
  };
}

/** The relation of a table: each layout that it has had has another number. */
export const relationName = (name: string, generation: number) =>
  `${storeName}.stored.${quote(generation === 1 ? name : `${name} ${generation}`)}`;

/** The view of the imported rows of a table and of its files that are read where they are. */
export const viewOfFiles = (rows: string) => rows.replace(`${storeName}.stored.`, `${storeName}.in_place.`);

export const generationOf = (relation: string) => Number(/ (\d+)"$/.exec(relation)?.[1] ?? 1);

/** Members of a field on which its rows do not depend. */
const remarks: ReadonlySet<string> = new Set(['absent', 'description', 'parameters', 'collation']);

/** The definition for which a stored table was created; when it changes, the table is imported again. */
export const definitionOf = ({ fields }: TableSchema) =>
  JSON.stringify(fields, (key, value) => (remarks.has(key) ? undefined : value));
