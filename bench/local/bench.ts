import type { Catalog } from '../../src/catalog/saved-query.ts';
import type { TableSchema } from '../../src/catalog/tables/table-schema.ts';
import type { Dataset } from './dataset.ts';
import type { Limits } from './limits.ts';
import type { Options } from './options.ts';

/** What every part of the bench works with. */
export interface Bench {
  /** The shipped queries, and the bench's own. */
  readonly catalog: Catalog;
  readonly limits: Limits;
  readonly options: Options;
  /** Smallest first; generated. */
  readonly sets: readonly Dataset[];
}

export function tableOf({ tables }: Catalog, name: string): TableSchema {
  const table = tables.find((one) => one.name === name);
  if (table === undefined) throw new Error(`The catalog declares no table ${name}`);
  return table;
}
