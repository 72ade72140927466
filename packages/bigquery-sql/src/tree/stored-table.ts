import type { Field, TableSchema } from '../table-schema.ts';
import { type Column, columnsOf, scalar } from '../types.ts';
import { column } from './build.ts';
import type { Expression, RecordValue } from './nodes.ts';

/** A table that queries may read, as it is stored in DuckDB. */
export interface StoredTable extends TableSchema {
  /** The relation to read in FROM, as SQL; by default the table's own name. */
  readonly relation?: string;
  /** True if rows are in files, of which a plan may read some instead of the relation. */
  readonly isInFiles?: boolean;
  /** How the fields are stored; by default each is one column of the declared type. */
  readonly columns?: readonly StoredColumn[];
}

/**
 * A column of a table. A record that occurs at most once in every row may be shredded: its fields are columns of their
 * own, named by their path (`a.b.c`), and the column of its own name is a BOOLEAN: whether the row has the record (NULL
 * if the record around it is absent).
 */
export interface StoredColumn extends Column {
  /** The fields of a shredded record. */
  readonly fields?: readonly StoredColumn[];
  /** True if it is never NULL. */
  readonly required?: boolean;
}

/** A stored column, by its path. */
export interface Origin {
  readonly table: string;
  readonly path: string;
}

/**
 * How the columns of a table are stored.
 *
 * @param isShredded whether a record is shredded, by its path; records inside a list are stored with the list
 */
export function layoutColumns(
  fields: readonly Field[],
  isShredded: (path: string, field: Field) => boolean,
  prefix = '',
): readonly StoredColumn[] {
  return columnsOf(fields).map((column, index) => {
    const field = fields[index];
    const path = `${prefix}${column.name}`;
    const stored = { ...column, required: field?.mode === 'REQUIRED' };
    if (!field?.fields || !isShredded(path, field)) return stored;
    return { ...stored, fields: layoutColumns(field.fields, isShredded, `${path}.`) };
  });
}

/** A stored column; a shredded record with its fields, each of which is a column named by its path. */
export function storedValue(
  from: string,
  path: string,
  { type, fields, required }: StoredColumn,
): Expression {
  if (!fields) return column(from, path, type, required);
  const record: RecordValue = {
    kind: 'record',
    type,
    present: column(from, path, scalar('BOOL')),
    repeated: type.kind === 'array',
    fields: fields.map((part) => ({
      name: part.name,
      // Even a field declared as required is NULL if its record is absent.
      value: storedValue(from, `${path}.${part.name}`, { ...part, required: false }),
    })),
  };
  return record;
}
