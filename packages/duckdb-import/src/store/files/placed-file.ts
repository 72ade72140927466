import {
  type DuckDBConnection,
  type DuckDBType,
  DuckDBTypeId,
  LIST,
  SQLNULL,
  STRUCT,
} from '@duckdb/node-api';
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
  /** Paths of the fields that have no value, in lower case, and another type in the file; not known of an older release. */
  readonly emptyPaths?: readonly string[] | undefined;
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
  { isRemote }: { readonly isRemote: boolean },
): (footer: Pick<Footer, 'columns' | 'partition' | 'emptyPaths'>) => Promise<Shape> {
  const shapes = new Map<string, Promise<Shape>>();
  // Files elsewhere are not read whole when they are examined.
  const known = { isChecked: true as const, ...(isRemote && { isRawJson: true as const }) };
  const sourcesOf = async (
    columns: readonly (readonly [name: string, type: string, ...unknown[]])[],
    empty: ReadonlySet<string>,
  ) => {
    if (columns.length === 0) return new Map<string, SourceValue>();
    const list = columns.map(([name, type]) => `CAST(NULL AS ${type}) AS ${quote(name)}`);
    const found = await describeSource(connection, `(SELECT ${list.join(', ')})`);
    return new Map(
      [...found].map(([name, { sql, type }]) => [
        name,
        { sql, type: withoutValues(type, name, empty), ...known },
      ]),
    );
  };
  return ({ columns, partition, emptyPaths = [] }) => {
    const shape = JSON.stringify([columns, partition.map(([name, type]) => [name, type]), emptyPaths]);
    const made =
      shapes.get(shape) ??
      Promise.all([sourcesOf(columns, new Set(emptyPaths)), sourcesOf(partition, new Set())]).then(
        ([sources, partitionSources]) => ({
          shape,
          sources,
          partitionSources,
        }),
      );
    shapes.set(shape, made);
    return made;
  };
}

/** A type with the one of NULL at the paths that have no value: DuckDB reads the column of no type as one of integers. */
export function withoutValues(type: DuckDBType, path: string, empty: ReadonlySet<string>): DuckDBType {
  if (empty.size === 0) return type;
  if (type.typeId === DuckDBTypeId.LIST) return LIST(withoutValues(type.valueType, path, empty));
  if (type.typeId !== DuckDBTypeId.STRUCT) return empty.has(path.toLowerCase()) ? SQLNULL : type;
  const entries = type.entryTypes.map((entry, at) => {
    const name = type.entryNames[at] ?? '';
    return [name, withoutValues(entry, `${path}.${name}`, empty)] as const;
  });
  return STRUCT(Object.fromEntries(entries));
}
