import { type DuckDBConnection, DuckDBTimestampTZValue, TIMESTAMPTZ } from '@duckdb/node-api';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { storeName, type StoredTables } from '@querygate/duckdb-import';
import type { Stream } from './streams.ts';

export const dayMs = 86_400_000;

/** How far the tables of a store that is kept have been filled, and by what. */
const progress = `${storeName}.querygate_demo`;

/** DuckDB compresses a table in memory only at a checkpoint; until then a row takes ten times the space. */
const rowsPerCheckpoint = 8_000;

/** So many rows of one statement have room in a small memory; each further statement is planned again. */
const rowsPerStatement = 60_000;

/** Freed memory goes back to the system; rows go into the file of the store, and not into its log before. */
const smallThresholds = [
  'allocator_flush_threshold',
  'allocator_bulk_deallocation_flush_threshold',
  'checkpoint_threshold',
];

/** Writes the rows of a time span, all from `from` (included) to `to` (excluded), in milliseconds since the epoch. */
export async function openWriter(connection: DuckDBConnection, tables: StoredTables) {
  await connection.run(
    `CREATE TABLE IF NOT EXISTS ${progress} ("table" VARCHAR PRIMARY KEY, source VARCHAR, filled_until TIMESTAMPTZ)`,
  );
  let rowsSinceCheckpoint = 0;
  const write = async ({ statement }: Stream, from: number, to: number): Promise<number> => {
    statement.bind({ from: timestamp(from), to: timestamp(to) }, { from: TIMESTAMPTZ, to: TIMESTAMPTZ });
    const { rowsChanged } = await statement.run();
    rowsSinceCheckpoint += rowsChanged;
    return rowsChanged;
  };
  const isCheckpointDue = () => rowsSinceCheckpoint > rowsPerCheckpoint;
  const checkpoint = async () => {
    await connection.run(`CHECKPOINT ${storeName}`);
    rowsSinceCheckpoint = 0;
  };
  const record = ({ table, source }: Stream, until: number) =>
    connection.run(
      `INSERT OR REPLACE INTO ${progress} VALUES (${quoteText(table)}, '${source}', $until)`,
      { until: timestamp(until) },
      { until: TIMESTAMPTZ },
    );
  /** Until when the store has the rows; undefined if it has none, or those of other files. */
  const filledUntil = async ({ table, source }: Stream): Promise<number | undefined> => {
    const found = await connection.runAndReadAll(
      `SELECT epoch_ms(filled_until)::DOUBLE FROM ${progress} WHERE "table" = ${quoteText(table)} AND source = '${source}'
        AND EXISTS (FROM ${tables.get(table).relation})`,
    );
    const [[until] = []] = found.getRows();
    return until === undefined ? undefined : Number(until);
  };
  /** A day, which shows how many days one statement may fill, and then as many at once; with checkpoints. */
  const fill = async (stream: Stream, from: number, to: number, onFilled: (until: number) => void) => {
    const known = await filledUntil(stream);
    const isKept = known !== undefined && known >= from && known <= to;
    if (!isKept) {
      await connection.run(`DELETE FROM ${progress} WHERE "table" = ${quoteText(stream.table)}`);
      await connection.run(`DELETE FROM ${tables.get(stream.table).relation}`);
    }
    let days = 1;
    for (let at = isKept ? known : from; at < to; ) {
      const until = Math.min(at + days * dayMs, to);
      const rows = await write(stream, at, until);
      if (isCheckpointDue()) await checkpoint();
      onFilled(until);
      const rowsPerDay = rows / ((until - at) / dayMs);
      days = Math.max(1, Math.floor(rowsPerStatement / (rowsPerDay + 1)));
      at = until;
    }
    await record(stream, to);
  };
  return {
    isCheckpointDue,
    checkpoint,
    async fillAll(
      streams: readonly Stream[],
      from: number,
      to: number,
      onProgress: (share: number) => void,
    ): Promise<void> {
      for (const [at, stream] of streams.entries()) {
        await fill(stream, from, to, (until) =>
          onProgress((at + (until - from) / (to - from)) / streams.length),
        );
      }
      await checkpoint();
    },
    /** Only for many rows: memory that queries free later stays with the allocator. */
    async withSmallThresholds(work: () => Promise<void>): Promise<void> {
      for (const threshold of smallThresholds) await connection.run(`SET ${threshold} = '1MB'`);
      await work();
      for (const threshold of smallThresholds) await connection.run(`RESET ${threshold}`);
    },
    /** All streams, or none of them if one fails. */
    async append(streams: readonly Stream[], from: number, to: number) {
      await connection.run('BEGIN');
      try {
        for (const stream of streams) await write(stream, from, to);
        await connection.run(
          `UPDATE ${progress} SET filled_until = $until`,
          { until: timestamp(to) },
          { until: TIMESTAMPTZ },
        );
        await connection.run('COMMIT');
      } catch (error) {
        await connection.run('ROLLBACK');
        throw error;
      }
    },
  };
}

const timestamp = (ms: number) => new DuckDBTimestampTZValue(BigInt(Math.round(ms)) * 1000n);
