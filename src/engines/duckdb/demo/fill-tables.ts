import type { DuckDBConnection } from '@duckdb/node-api';
import type { StoredTables } from '../store/stored-tables.ts';
import { openStreams, type Stream, type Streams } from './streams.ts';
import { openWriter, type Writer } from './writer.ts';

/** Makes rows on a connection that nothing else uses. */
export interface Filler {
  readonly writer: Writer;
  readonly streams: Streams;
}

export async function openFiller(
  connection: DuckDBConnection,
  tables: StoredTables,
  folder: string,
): Promise<Filler> {
  await connection.run(`SET TimeZone = 'UTC'`);
  return {
    writer: await openWriter(connection, tables),
    streams: await openStreams(connection, tables, folder),
  };
}

interface Span {
  readonly from: number;
  readonly to: number;
  /** Receives how much has been made, from 0 to 1. */
  readonly onProgress?: ((share: number) => void) | undefined;
}

/**
 * Gives tables their rows from `from` (included) to `to` (excluded), in milliseconds since the epoch. One statement occupies
 * one processor: each filler takes the next table when it is done with one.
 */
export async function fillTables(
  fillers: readonly Filler[],
  names: readonly string[],
  { from, to, onProgress = () => {} }: Span,
): Promise<void> {
  const waiting = [...names];
  const shares = new Map<string, number>();
  const fill = ({ writer }: Filler, stream: Stream) =>
    writer.fill(stream, from, to, (until) => {
      shares.set(stream.table, (until - from) / (to - from));
      onProgress([...shares.values()].reduce((sum, share) => sum + share, 0) / names.length);
    });
  const work = fillers.map(async (filler) => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const stream = filler.streams.get(name);
      if (stream !== undefined) await fill(filler, stream);
    }
  });
  await Promise.allSettled(work);
  await Promise.all(work);
  await fillers[0]?.writer.checkpoint();
}
