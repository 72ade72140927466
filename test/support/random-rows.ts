import type { Field, TableSchema } from '@querygate/bigquery-sql/table-schema';
import type { Rows } from './test-app.ts';

const areas = [
  '/rest/v1/items',
  '/storage/v1/object',
  '/auth/v1/token',
  '/realtime/v1',
  '/functions/v1/hello',
  '/',
];

/** Seconds: five minutes, an hour, a week. */
const windows = [300, 3600, 7 * 24 * 3600];

/**
 * Rows for tables of any shape: the same every time, half of them of the given project, over the week before the moment,
 * with NULLs and absent records.
 */
export function randomRows(tables: readonly TableSchema[], project: string, moment: Date, count = 60): Rows {
  let state = 42;
  /** A whole number from 0 to below the limit (a linear congruential generator, as in Numerical Recipes). */
  const below = (limit: number) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;

  const scalar = ({ name, type }: Field): unknown => {
    const someone = below(2) === 0 ? project : 'somebody-else';
    if (/^project(_ref)?$/.test(name)) return someone;
    if (name === 'url') return `https://${someone}.example.co${pick(areas)}`;
    if (name === 'path') return pick(areas);
    // Near to each other, because engines differ in which of few values is a quantile.
    if (name === 'execution_time_ms') return 9_000 + below(1_000);
    if (name === 'status_code') return pick([200, 201, 304, 404, 500]);
    switch (type) {
      case 'TIMESTAMP':
        return new Date(moment.getTime() - below(pick(windows)) * 1000 - below(1000)).toISOString();
      case 'INTEGER':
        return below(10_000);
      case 'FLOAT':
        return below(10_000) / 8;
      case 'BOOLEAN':
        return below(2) === 0;
      default:
        return `${name} ${below(5)} "ü 👍"`;
    }
  };
  const one = (field: Field): unknown => {
    if (field.mode === 'NULLABLE' && !/timestamp|project|time_ms/.test(field.name) && below(10) === 0)
      return null;
    return field.type === 'RECORD' ? record(field.fields ?? []) : scalar(field);
  };
  const record = (fields: readonly Field[]) =>
    Object.fromEntries(
      // Nested records have one element or none: queries/tables say so.
      fields.map((field) => [
        field.name,
        field.mode !== 'REPEATED' ? one(field) : below(10) === 0 ? [] : [one(field)],
      ]),
    );
  return Object.fromEntries(
    tables.map(({ name, fields }) => [
      name,
      Array.from({ length: count }, (_, at) => ({ ...record(fields), id: `${name} ${at}` })),
    ]),
  );
}
