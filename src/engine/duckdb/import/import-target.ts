import type { TableSchema } from '../../../catalog/tables/table-schema.ts';
import type { FoundValue } from '../store/stored-value.ts';

/** How the rows of one table are stored. */
export interface ImportTarget {
  readonly table: TableSchema;
  /**
   * An INSERT that stores rows. Where a record is stored as a single one and a row has more of them, it fails with a
   * message that has `plural record: <path>`.
   *
   * @param found what the rows have, by column name in lower case
   * @param source what may stand in a FROM clause: the statement calls it `r`
   * @param file SQL of the number of a row's file, an INTEGER
   */
  insertSql(found: ReadonlyMap<string, FoundValue>, source: string, file: string): string;
  /** A DELETE of all rows of some files. */
  deleteSql(files: readonly number[]): string;
}
