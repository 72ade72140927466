import type { DuckDBConnection } from '@duckdb/node-api';
import { describeSource, type SourceValue } from '@querygate/bigquery-sql/duckdb';
import { quote } from '@querygate/bigquery-sql/types';

/** The smallest and the largest value of a column: texts, or whole numbers, which are microseconds for points in time. */
export type Bounds = readonly [least: string, greatest: string];

/** The footer of a Parquet file that is read where it is; kept in the manifest. */
export interface Footer {
  /** The names and DuckDB's types of its columns. */
  readonly columns: readonly (readonly [name: string, type: string])[];
  /** The columns that its folders give, with their types and values as SQL. */
  readonly partition: readonly (readonly [name: string, type: string, value: string])[];
  /** By the stored column; none for one of which the file does not say them. */
  readonly bounds: Readonly<Record<string, Bounds>>;
  /** Paths of the records that may have several elements. */
  readonly repeatedPaths: readonly string[];
}

/** A Parquet file that is read where it is. */
export interface PlacedFile extends Footer {
  /** Of its entry of the manifest. */
  readonly number: number;
  readonly name: string;
  readonly path: string;
  /** Device and inode. */
  readonly identity: string;
  readonly size: number;
  readonly mtime: bigint;
  readonly ctime?: bigint | undefined;
  /** Of the footer. */
  readonly digest: string;
  /** The same for files with the same columns. */
  readonly shape: string;
  /** Its columns, by name in lower case; `partition` is left out. */
  readonly sources: ReadonlyMap<string, SourceValue>;
  /** The same of `partition`, without SQL. */
  readonly partitionSources: ReadonlyMap<string, SourceValue>;
}

type Shape = Pick<PlacedFile, 'shape' | 'sources' | 'partitionSources'>;

/** Makes the types of columns from their texts; once for all files with the same ones. */
export function buildShapes(
  connection: DuckDBConnection,
): (footer: Pick<Footer, 'columns' | 'partition'>) => Promise<Shape> {
  const known = new Map<string, Promise<Shape>>();
  const sourcesOf = async (columns: readonly (readonly [name: string, type: string, ...unknown[]])[]) => {
    if (columns.length === 0) return new Map<string, SourceValue>();
    const list = columns.map(([name, type]) => `CAST(NULL AS ${type}) AS ${quote(name)}`);
    const found = await describeSource(connection, `(SELECT ${list.join(', ')})`);
    return new Map([...found].map(([name, value]) => [name, { ...value, isChecked: true as const }]));
  };
  return ({ columns, partition }) => {
    const shape = JSON.stringify([columns, partition.map(([name, type]) => [name, type])]);
    const made =
      known.get(shape) ??
      Promise.all([sourcesOf(columns), sourcesOf(partition)]).then(([sources, partitionSources]) => ({
        shape,
        sources,
        partitionSources,
      }));
    known.set(shape, made);
    return made;
  };
}
