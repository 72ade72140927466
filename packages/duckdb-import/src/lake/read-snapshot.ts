import type { DuckDBConnection } from '@duckdb/node-api';
import type { Field } from '@querygate/bigquery-sql/table-schema';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { type Member, type Part, unknownLeaf } from '../read/parquet-columns.ts';
import type { NoRows } from '../store/files/files-relation.ts';
import { readRows } from '../store/statements.ts';
import { metadataOf } from './lake-catalog.ts';

/** A table of a lake at one snapshot. */
export interface LakeTable {
  readonly id: number;
  readonly schema: string;
  readonly name: string;
  /** The snapshot at which its rows or columns have changed last. */
  readonly version: number;
}

/** Reads the catalog of a lake again and again, each time only what is new. */
export class SnapshotReader {
  /** When each table has changed last, by its id. */
  readonly #changed = new Map<number, number>();
  #last = -1;

  /** The tables of the newest snapshot. */
  async read(connection: DuckDBConnection, database: string): Promise<readonly LakeTable[]> {
    const metadata = metadataOf(database);
    const rows = (sql: string) => readRows(connection, sql);
    const snapshots = `${metadata}.ducklake_snapshot`;
    const [ends = []] = await rows(
      `SELECT max(snapshot_id)::DOUBLE, max(snapshot_id) FILTER (snapshot_id - 1 NOT IN (SELECT snapshot_id FROM ${snapshots}))::DOUBLE
      FROM ${snapshots}`,
    );
    const [snapshot = -1, unbroken = -1] = ends.map(Number);
    const changes =
      await rows(`SELECT snapshot_id::DOUBLE, changes_made FROM ${metadata}.ducklake_snapshot_changes
      WHERE snapshot_id > ${this.#last} AND snapshot_id <= ${snapshot} ORDER BY snapshot_id`);
    for (const [id, text] of changes)
      for (const table of changedTables(String(text))) this.#changed.set(table, Number(id));
    this.#last = snapshot;
    const found = await tablesAt(connection, database, snapshot);
    return found.map((table) => {
      const changed = Math.max(this.#changed.get(table.id) ?? 0, table.version);
      // An expired snapshot can no longer be read, and the catalog no longer has its changes.
      return { ...table, version: Math.max(changed, unbroken) };
    });
  }
}

/** The tables of a snapshot, each as of the snapshot at which it was made. */
export async function tablesAt(
  connection: DuckDBConnection,
  database: string,
  snapshot: number,
): Promise<readonly LakeTable[]> {
  const metadata = metadataOf(database);
  const found = await readRows(
    connection,
    `SELECT t.table_id::DOUBLE, s.schema_name, t.table_name, t.begin_snapshot::DOUBLE
    FROM ${metadata}.ducklake_table AS t JOIN ${metadata}.ducklake_schema AS s USING (schema_id)
    WHERE ${visibleAt('t', snapshot)} AND ${visibleAt('s', snapshot)}`,
  );
  return found.map(([id, schema, name, begin]) => ({
    id: Number(id),
    schema: String(schema),
    name: String(name),
    version: Number(begin),
  }));
}

/** The snapshot that a lake had at a time, in microseconds since the epoch. */
export async function snapshotAt(
  connection: DuckDBConnection,
  database: string,
  micros: bigint,
): Promise<number | NoRows> {
  const snapshots = `${metadataOf(database)}.ducklake_snapshot`;
  const rows = (sql: string) => readRows(connection, sql);
  // SQLite has it as text.
  const time = 'CAST(snapshot_time AS TIMESTAMPTZ)';
  const isFollowed = `snapshot_id + 1 IN (SELECT snapshot_id FROM ${snapshots}) OR snapshot_id = (SELECT max(snapshot_id) FROM ${snapshots})`;
  const [latest] = await rows(`SELECT snapshot_id::DOUBLE, ${isFollowed} FROM ${snapshots}
    WHERE ${time} <= make_timestamptz(${micros}) ORDER BY ${time} DESC, snapshot_id DESC LIMIT 1`);
  if (latest?.[1] === false) return { problem: 'the snapshot of that time may have been expired' };
  if (latest !== undefined) return Number(latest[0]);
  const [first = []] = await rows(`SELECT epoch_ms(min(${time}))::DOUBLE FROM ${snapshots}`);
  return { problem: `the first snapshot is of ${new Date(Number(first[0])).toISOString()}` };
}

/**
 * Why a table can no longer be read at a snapshot. DuckLake has one minimum and one maximum of a column for all snapshots: after
 * its files were rewritten, DuckDB leaves out rows that the table had before, and a column that had another type ends DuckDB.
 */
export async function changedSince(
  connection: DuckDBConnection,
  database: string,
  { id, version }: LakeTable,
  fields: readonly Field[],
): Promise<NoRows | undefined> {
  const metadata = metadataOf(database);
  const rows = (sql: string) => readRows(connection, sql);
  const rewritten = await rows(`SELECT changes_made FROM ${metadata}.ducklake_snapshot_changes
    WHERE snapshot_id > ${version} AND contains(changes_made, 'rewrite_delete')`);
  if (rewritten.some(([text]) => changedTables(String(text), 'rewrite_delete').includes(id)))
    return { problem: 'the files of its table have been rewritten since' };
  const retyped = await rows(`SELECT c.column_name FROM ${metadata}.ducklake_column AS c
    JOIN ${metadata}.ducklake_column AS later USING (table_id, column_id)
    WHERE table_id = ${id} AND ${visibleAt('c', version)} AND later.begin_snapshot > ${version} AND later.column_type <> c.column_type`);
  if (retyped.length > 0) return { problem: 'columns of its table have had other types since' };
  const renamed = await rows(`SELECT c.column_name, later.column_name FROM ${metadata}.ducklake_column AS c
    JOIN ${metadata}.ducklake_column AS later USING (table_id, column_id)
    WHERE table_id = ${id} AND ${visibleAt('c', version)} AND later.end_snapshot IS NULL AND lower(later.column_name) <> lower(c.column_name)`);
  const names = namesOf(fields);
  // By its name of now, the column was not there.
  const [from, to] = renamed.find(([, name]) => names.has(String(name).toLowerCase())) ?? [];
  return to === undefined ? undefined : { problem: `its column ${from} has been renamed to ${to} since` };
}

const namesOf = (fields: readonly Field[]): ReadonlySet<string> =>
  new Set(fields.flatMap(({ name, fields: inner = [] }) => [name.toLowerCase(), ...namesOf(inner)]));

/** True if a file belongs to a table of a lake, at some snapshot. */
export async function hasFile(
  connection: DuckDBConnection,
  database: string,
  path: string,
): Promise<boolean> {
  const name = quoteText(path.replace(/^.*[\\/]/, ''));
  const found = ['data', 'delete'].map(
    (kind) =>
      `SELECT 1 FROM ${metadataOf(database)}.ducklake_${kind}_file WHERE right(path, length(${name})) = ${name}`,
  );
  return (await readRows(connection, `${found.join(' UNION ALL ')} LIMIT 1`)).length > 0;
}

const visibleAt = (alias: string, snapshot: number) =>
  `${alias}.begin_snapshot <= ${snapshot} AND coalesce(${alias}.end_snapshot > ${snapshot}, true)`;

/** The ids in a text such as `created_table:"main"."t",inserted_into_table:1`, of all changes or of one kind. */
function changedTables(text: string, kind = '\\w+'): readonly number[] {
  const withoutNames = text.replaceAll(/"(?:[^"]|"")*"/g, '');
  return [...withoutNames.matchAll(new RegExp(`\\b${kind}:(\\d+)`, 'g'))].map(([, id]) => Number(id));
}

/** The columns of a table, in the order of DuckDB, with their statistics: which have a value in each row. */
export async function readLakeColumns(
  connection: DuckDBConnection,
  database: string,
  { id, version }: LakeTable,
): Promise<readonly Member[]> {
  const metadata = metadataOf(database);
  // Of a column that was added to rows, nothing is known, and a member may have been added as NOT NULL.
  const found = await readRows(
    connection,
    `SELECT c.column_id::DOUBLE, c.parent_column::DOUBLE, c.column_name, c.column_type,
      (c.parent_column IS NULL AND NOT c.nulls_allowed) OR coalesce(NOT s.contains_null, false)
    FROM ${metadata}.ducklake_column AS c LEFT JOIN ${metadata}.ducklake_table_column_stats AS s USING (table_id, column_id)
    WHERE c.table_id = ${id} AND ${visibleAt('c', version)} ORDER BY c.column_order`,
  );
  const byParent = Map.groupBy(found, ([, parent]) => (parent === null ? undefined : Number(parent)));
  const membersOf = (parent: number | undefined): readonly Member[] =>
    (byParent.get(parent) ?? []).map(([column, , name, type, isFilled]) => ({
      name: String(name),
      part: partOf(String(type), membersOf(Number(column)), isFilled === true),
    }));
  return membersOf(undefined);
}

function partOf(type: string, members: readonly Member[], hasNoNulls: boolean): Part {
  const [element] = members;
  if (type === 'list' && element) return { kind: 'list', element: element.part };
  if (members.length > 0) return { kind: 'record', members, hasNoNulls };
  return { kind: 'leaf', leaf: { ...unknownLeaf, hasNoNulls } };
}
