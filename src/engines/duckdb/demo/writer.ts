import { type DuckDBConnection, DuckDBTimestampTZValue, TIMESTAMPTZ } from '@duckdb/node-api';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { addedTimes, type Changed, storeName, type StoredTables } from '@querygate/duckdb-import';
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

/** When rows are, in milliseconds since the epoch. */
interface Span {
  readonly from: number;
  readonly to: number;
  /** True if files have the rows of before. */
  readonly hasFiles: boolean;
}

const sourceOf = ({ source }: Stream, { from, hasFiles }: Span) => (hasFiles ? `${source} ${from}` : source);

/** Opens what writes the rows of streams. */
export async function openWriter(connection: DuckDBConnection, tables: StoredTables): Promise<Writer> {
  await connection.run(
    `CREATE TABLE IF NOT EXISTS ${progress} ("table" VARCHAR PRIMARY KEY, source VARCHAR, filled_until TIMESTAMPTZ)`,
  );
  return new Writer(connection, tables);
}

/** Writes the rows of a time span, all from `from` (included) to `to` (excluded), in milliseconds since the epoch. */
export class Writer {
  readonly #connection: DuckDBConnection;
  readonly #tables: StoredTables;
  #rowsSinceCheckpoint = 0;

  constructor(connection: DuckDBConnection, tables: StoredTables) {
    this.#connection = connection;
    this.#tables = tables;
  }

  get isCheckpointDue(): boolean {
    return this.#rowsSinceCheckpoint > rowsPerCheckpoint;
  }

  async checkpoint(): Promise<void> {
    await this.#connection.run(`CHECKPOINT ${storeName}`);
    this.#rowsSinceCheckpoint = 0;
  }

  async fillAll(streams: readonly Stream[], span: Span, onProgress: (share: number) => void): Promise<void> {
    const { from, to } = span;
    for (const [at, stream] of streams.entries()) {
      await this.#fill(stream, span, (until) =>
        onProgress((at + (until - from) / (to - from)) / streams.length),
      );
    }
    await this.checkpoint();
  }

  /** Only for many rows: memory that queries free later stays with the allocator. */
  async withSmallThresholds<T>(work: () => Promise<T>): Promise<T> {
    for (const threshold of smallThresholds) await this.#connection.run(`SET ${threshold} = '1MB'`);
    const result = await work();
    for (const threshold of smallThresholds) await this.#connection.run(`RESET ${threshold}`);
    return result;
  }

  /** All streams, or none of them if one fails. */
  async append(streams: readonly Stream[], from: number, to: number): Promise<void> {
    await this.#connection.run('BEGIN');
    try {
      const changed = new Map<string, Changed>();
      for (const stream of streams) {
        const rows = await this.#write(stream, from, to);
        changed.set(stream.table, await addedTimes(this.#connection, this.#tables.get(stream.table), rows));
      }
      await this.#runUntil(`UPDATE ${progress} SET filled_until = $until`, to);
      await this.#tables.change(() => this.#connection.run('COMMIT'), changed);
    } catch (error) {
      await this.#connection.run('ROLLBACK');
      throw error;
    }
  }

  /** A day, which shows how many days one statement may fill, and then as many at once; with checkpoints. */
  async #fill(stream: Stream, span: Span, onFilled: (until: number) => void): Promise<void> {
    const { from, to } = span;
    const table = quoteText(stream.table);
    const known = await this.#filledUntil(stream, span);
    const isKept = known !== undefined && known >= from && known <= to;
    if (!isKept) {
      await this.#connection.run(`DELETE FROM ${progress} WHERE "table" = ${table}`);
      await this.#connection.run(`DELETE FROM ${this.#tables.get(stream.table).rows}`);
    }
    let days = 1;
    for (let at = isKept ? known : from; at < to; ) {
      const until = Math.min(at + days * dayMs, to);
      const rows = await this.#write(stream, at, until);
      if (this.isCheckpointDue) await this.checkpoint();
      onFilled(until);
      const rowsPerDay = rows / ((until - at) / dayMs);
      days = Math.max(1, Math.floor(rowsPerStatement / (rowsPerDay + 1)));
      at = until;
    }
    await this.#runUntil(
      `INSERT OR REPLACE INTO ${progress} VALUES (${table}, '${sourceOf(stream, span)}', $until)`,
      to,
    );
  }

  /** @returns how many rows */
  async #write({ statement }: Stream, from: number, to: number): Promise<number> {
    statement.bind({ from: timestamp(from), to: timestamp(to) }, { from: TIMESTAMPTZ, to: TIMESTAMPTZ });
    const { rowsChanged } = await statement.run();
    this.#rowsSinceCheckpoint += rowsChanged;
    return rowsChanged;
  }

  /** Until when the store has the rows; undefined if it has none, or those of other files. */
  async #filledUntil(stream: Stream, span: Span): Promise<number | undefined> {
    const { table } = stream;
    const found = await this.#connection.runAndReadAll(
      `SELECT epoch_ms(filled_until)::DOUBLE FROM ${progress} WHERE "table" = ${quoteText(table)} AND source = '${sourceOf(stream, span)}'
        AND EXISTS (FROM ${this.#tables.get(table).rows})`,
    );
    const [[until] = []] = found.getRows();
    return until === undefined ? undefined : Number(until);
  }

  /** Runs a statement that records until when rows are there. */
  async #runUntil(sql: string, until: number): Promise<void> {
    await this.#connection.run(sql, { until: timestamp(until) }, { until: TIMESTAMPTZ });
  }
}

const timestamp = (ms: number) => new DuckDBTimestampTZValue(BigInt(Math.round(ms)) * 1000n);
