import type { Column } from '../../catalog/saved-query.ts';
import type { WireField } from './api/wire.ts';

/** BigQuery's types, in both of its spellings, that may stand for a declared type. */
const fitting: Record<Column['type'], readonly string[]> = {
  string: ['STRING'],
  integer: ['INTEGER', 'INT64'],
  float: ['FLOAT', 'FLOAT64', 'INTEGER', 'INT64'],
  numeric: ['NUMERIC', 'BIGNUMERIC'],
  boolean: ['BOOLEAN', 'BOOL'],
  timestamp: ['TIMESTAMP'],
  datetime: ['DATETIME'],
  date: ['DATE'],
  time: ['TIME'],
  bytes: ['BYTES'],
  json: ['JSON'],
  record: ['RECORD', 'STRUCT'],
};

/** Everything in which the SQL's result is not what the header declares, in words. */
export function schemaMisfits(columns: readonly Column[], fields: readonly WireField[]): readonly string[] {
  const misfits = columns.flatMap((column) => {
    const found = fields.find(({ name }) => sameName(name, column.name));
    if (found === undefined) return [`columns.${column.name}: declared, but the SQL gives no such column`];
    if (fits(column, found)) return [];
    const declared = `${column.repeated ? 'repeated ' : ''}${column.type}`;
    return [`columns.${column.name}: declared ${declared}, but the SQL gives ${inWords(found)}`];
  });
  const undeclared = fields.filter(({ name }) => !columns.some((column) => sameName(name, column.name)));
  return [
    ...misfits,
    ...undeclared.map(
      ({ name }) => `the SQL gives a column ${name} that the header does not declare under columns`,
    ),
  ];
}

/** True where a column may carry what the field holds. */
export function fits({ type, repeated }: Column, field: WireField): boolean {
  return repeated === isRepeated(field) && fitting[type].includes(field.type);
}

/** BigQuery's column names have no case. */
export function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

export function isRepeated({ mode }: WireField): boolean {
  return mode === 'REPEATED';
}

function inWords(field: WireField): string {
  const word = Object.entries(fitting).find(([, types]) => types.includes(field.type))?.[0];
  return `${isRepeated(field) ? 'repeated ' : ''}${word ?? field.type}`;
}
