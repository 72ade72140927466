import { Slots } from '../concurrency/slots.ts';
import { GatewayError } from '../errors.ts';
import { columnShapes } from './column-shapes.ts';
import { writeParquet } from './parquet/write-parquet.ts';
import { ConversionEnded } from './parquet/convert-apart.ts';
import type { Renderer, RenderTurn } from './renderer.ts';
import type { Rows } from './rows.ts';

/** Each takes a process, memory of DuckDB, and room for temporary files. */
const maxConversions = 1;

const slots = new Slots(maxConversions);

export const parquet: Renderer = {
  names: ['parquet'],
  contentType: 'application/vnd.apache.parquet',
  mediaTypes: ['application/vnd.apache.parquet'],
  fileExtension: 'parquet',
  isCompressed: true,
  whole: writeParquetInTurn,
};

/**
 * Writes a Parquet file when it is the owner's turn.
 *
 * @throws GatewayError OVERLOADED if memory or disk do not suffice, or temporary files cannot be written; the signal's reason
 * when it is aborted before
 */
async function writeParquetInTurn(rows: Rows, { turns, owner, signal }: RenderTurn): Promise<Buffer> {
  const slot = slots.slotFor(owner);
  try {
    await slot.take(signal);
    return await writeParquet(rows, await turns.run(owner, columnShapes(rows)));
  } catch (cause) {
    if (!isOutOfRoom(cause)) throw cause;
    throw new GatewayError(
      'OVERLOADED',
      'There is not enough memory or disk space for a Parquet file of these rows now; try again, or use another format',
      { cause, retryAfterSeconds: 5 },
    );
  } finally {
    slot.giveBack();
  }
}

/**
 * By the code of a file system, or the first words of DuckDB's message. A system without memory ends the process, or does not
 * start it.
 */
const isOutOfRoom = (error: unknown): boolean =>
  error instanceof Error &&
  (error instanceof ConversionEnded ||
    ('code' in error && /^(EACCES|EDQUOT|EMFILE|ENOENT|ENOSPC|EPERM|EROFS)$/.test(String(error.code))) ||
    /^(Out of Memory|IO Error|Failed to allocate)/.test(error.message));
