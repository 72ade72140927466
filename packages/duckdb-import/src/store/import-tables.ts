import type { DuckDBConnection } from '@duckdb/node-api';
import type { SourceValue } from '@querygate/bigquery-sql/duckdb';
import type { FilesInPlace } from './files/files-in-place.ts';
import type { PlacedFile } from './files/placed-file.ts';
import type { TableInStore } from './table-in-store.ts';

/** Rows as DuckDB reads them from a source. */
export interface SourceRelation {
  /** A FROM item; statements call it `r`. */
  readonly source: string;
  /** By column name in lower case. */
  readonly columns: ReadonlyMap<string, SourceValue>;
  /** SQL for the number of a row's file, an INTEGER. */
  readonly fileNumber: string;
}

/** A change of the rows of a table, which statements see as a whole or not at all. */
export interface RowChange {
  readonly table: string;
  /** Numbers of the files whose rows go: imported ones, and those of files that are read where they are. */
  readonly removed: ReadonlySet<number>;
  /** Rows that are imported. */
  readonly added?: SourceRelation | undefined;
  /** Files that are read where they are from then on. */
  readonly placed?: readonly PlacedFile[];
  /** True if the table has imported rows then; as before without it. */
  readonly hasImported?: boolean;
  /** Statements of the same transaction, given the number of imported rows. */
  readonly record: (rows: number) => readonly string[];
}

/** The tables of a store, as an import sees them. */
export interface ImportTables {
  readonly all: readonly TableInStore[];
  get(name: string): TableInStore;
  /**
   * Changes the rows of a table in one transaction. It fails with `repeatedRecordError` if a row has several elements of a
   * record that is stored shredded.
   *
   * @param connection that only the caller uses
   */
  replaceRows(connection: DuckDBConnection, change: RowChange): Promise<void>;
  /**
   * Lets statements read the files of a table that are read where they are, beside its imported rows.
   *
   * @returns the table as it was; undefined if they do already
   */
  openFiles(name: string): Promise<TableInStore | undefined>;
  readonly files: Pick<FilesInPlace, 'of' | 'read' | 'forget' | 'touch'>;
}

/** The store of an import: all that the import knows of it. */
export interface ImportStore {
  /** Opens a connection for the import alone, with its session settings. */
  readonly connect: () => Promise<DuckDBConnection>;
  /** The folder in which the store grows, to check its disk's free space; undefined for a store in memory. */
  readonly storeFolder?: string;
  /** An existing empty folder for copies. */
  readonly scratch: string;
  readonly tables: ImportTables;
  /** Called when queries can read the files of a table that are read where they are; resolves when they do. */
  readonly onOpened?: (old: TableInStore, opened: TableInStore) => Promise<void>;
  /** Rebuilds a table so that a record may have several elements; the batch is then loaded again. */
  readonly onRepeatedRecord: (table: string, path: string) => Promise<void>;
}
