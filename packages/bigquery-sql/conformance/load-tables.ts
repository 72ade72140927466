import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type Field, type FieldType, fieldTypes } from '../src/table-schema.ts';
import type { Table } from './table.ts';

/** `name: TYPE`, `name: [TYPE]` for an array, `name: [{ … }]` for an array of records, `name: { … }` for one. */
type Shape = string | readonly [Shape] | { readonly [name: string]: Shape };

interface TableText {
  readonly fields: { readonly [name: string]: Shape };
  readonly rows: Table['rows'];
}

/** Loads the tables of a YAML file. */
export function loadTables(file: string): readonly Table[] {
  const tables = parse(readFileSync(file, 'utf8')) as Readonly<Record<string, TableText>>;
  return Object.entries(tables).map(([name, { fields, rows }]) => ({ name, fields: fieldsOf(fields), rows }));
}

const fieldsOf = (shapes: { readonly [name: string]: Shape }) =>
  Object.entries(shapes).map(([name, shape]) => fieldOf(name, shape));

function fieldOf(name: string, shape: Shape, mode: Field['mode'] = 'NULLABLE'): Field {
  if (Array.isArray(shape)) return fieldOf(name, shape[0] as Shape, 'REPEATED');
  if (typeof shape === 'object') {
    return { name, type: 'RECORD', mode, fields: fieldsOf(shape as { readonly [name: string]: Shape }) };
  }
  const type = fieldTypes.find((known) => known === shape);
  if (type === undefined) throw new Error(`${name}: ${shape} is not a type`);
  return { name, type: type satisfies FieldType, mode };
}
