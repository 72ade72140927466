import { type Narrowed, NotDerivable, narrowWindow } from '@querygate/bigquery-sql/derive';
import { timeColumn } from '@querygate/bigquery-sql/table-schema';
import type { Catalog, Column, PlainParameter } from '../../catalog/model/saved-query.ts';
import { isSameColumn } from '../check-columns.ts';
import type { Derivation, DerivedQuery } from './derive-query.ts';

/** A query over a part of its time window, as engines run it; or why it cannot be narrowed. */
export type NarrowQuery =
  | (Extract<DerivedQuery, { problem?: undefined }> & {
      readonly narrowed: Narrowed;
      /** The column of the result that has the buckets. */
      readonly bucket: Column;
    })
  | Extract<DerivedQuery, { query?: undefined }>;

/**
 * Narrows a saved query to a part of its time window.
 *
 * @param derive makes a statement, as `deriveQuery` does
 */
export async function narrowQuery(
  tables: Catalog['tables'],
  derive: (derivation: Derivation) => DerivedQuery | Promise<DerivedQuery>,
): Promise<NarrowQuery> {
  let found: { readonly narrowed: Narrowed; readonly bucket: Column } | undefined;
  const timeOf = (name: string) => {
    const table = tables.find((one) => one.name === name);
    return table && timeColumn(table);
  };
  const derived = await derive((query, compiled) => {
    const narrowed = narrowWindow({ sql: query.sql, query: compiled().query, timeOf });
    const bucket = query.columns.find(({ name }) => isSameColumn(name, narrowed.bucket.column));
    if (bucket === undefined) throw new NotDerivable(`the column ${narrowed.bucket.column} is not declared`);
    found = { narrowed, bucket };
    const { from, until, now } = narrowed.parameters;
    return {
      ...query,
      sql: narrowed.sql,
      parameters: [...query.parameters, ...[from, until, now].map(momentParameter)],
    };
  });
  if (derived.query === undefined || found === undefined)
    return { problem: derived.problem ?? { message: 'not derived' } };
  return { ...found, query: derived.query };
}

const momentParameter = (name: string): PlainParameter => ({
  name,
  type: 'timestamp',
  bind: 'TIMESTAMP',
  description: '',
  required: true,
  default: undefined,
  example: '2026-01-31T12:00:00.000000Z',
});
