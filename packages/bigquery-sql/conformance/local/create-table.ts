import { decimalUnits } from '@querygate/text';
import type { Field } from '../../src/table-schema.ts';
import { columnsOf, duckdbType, quote } from '../../src/types.ts';
import type { Table } from '../table.ts';

/** The SQL that creates a table with its rows. */
export function createTable({ name, fields, rows }: Table): string {
  const columns = columnsOf(fields).map((column) => `${quote(column.name)} ${duckdbType(column.type)}`);
  const create = `CREATE TABLE ${quote(name)} (${columns.join(', ')})`;
  if (rows.length === 0) return create;
  const tuples = rows.map((row) => `(${fields.map((field) => literal(field, row[field.name])).join(', ')})`);
  return `${create}; INSERT INTO ${quote(name)} VALUES ${tuples.join(', ')}`;
}

function literal(field: Field, content: unknown): string {
  if (field.mode !== 'REPEATED') return literalOne(field, content);
  // BigQuery stores no NULL arrays.
  const items = (content ?? []) as readonly unknown[];
  return `[${items.map((item) => literalOne(field, item)).join(', ')}]`;
}

function literalOne(field: Field, content: unknown): string {
  if (content === undefined || content === null) return 'NULL';
  if (field.fields !== undefined) {
    const record = content as Readonly<Record<string, unknown>>;
    return `{${field.fields.map((child) => `${text(child.name)}: ${literal(child, record[child.name])}`).join(', ')}}`;
  }
  if (field.type === 'JSON') return text(JSON.stringify(content));
  if (typeof content === 'number' || typeof content === 'boolean') return String(content);
  if (field.type === 'BIGNUMERIC') return `${decimalUnits(String(content), 38)}::BIGNUM`;
  if (field.type === 'BYTES') return `from_base64(${text(String(content))})`;
  return text(String(content));
}

const text = (content: string) => `'${content.replaceAll("'", "''")}'`;
