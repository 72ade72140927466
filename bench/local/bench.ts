import type { Catalog } from '../../src/catalog/model/saved-query.ts';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import type { Dataset } from './dataset.ts';
import type { Limits } from './limits.ts';
import type { Options } from './options.ts';

/** The input of every part of the benchmark. */
export interface Bench {
  /** The shipped queries, and the benchmark's own. */
  readonly catalog: Catalog;
  readonly limits: Limits;
  readonly options: Options;
  /** Generated; the smallest first. */
  readonly sets: readonly Dataset[];
}

export function tableOf({ tables }: Catalog, name: string): TableSchema {
  const table = tables.find((candidate) => candidate.name === name);
  if (table === undefined) throw new Error(`The catalog declares no table ${name}`);
  return table;
}
