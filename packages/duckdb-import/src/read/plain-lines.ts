import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { decompress, lineEndProblem, readBytes } from '@querygate/bigquery-sql/command';
import type { Field } from '@querygate/bigquery-sql/table-schema';
import type { DataFile } from '../scan/data-files.ts';
import type { Reject } from '../store/manifest.ts';
import { copyCsv } from './csv-copy.ts';
import { jsonLines } from './json-lines.ts';

/** A data file as JSON lines. */
interface PlainLines {
  readonly bytes: AsyncIterable<Buffer>;
  /** Rows of the file that are not valid CSV, and so are not among the lines. */
  readonly rejects: readonly Reject[];
}

export interface PlainOptions {
  /** The connection for copies. */
  readonly connect: () => Promise<DuckDBConnection>;
  readonly fields: readonly Field[];
  /** A folder for copies of this file; it is created when it is needed. */
  readonly scratch: string;
}

/**
 * Opens a file of any format but Parquet as JSON lines.
 *
 * @param offset where to begin, in bytes of the lines
 * @throws Error, also while the bytes are read, if the file cannot be read as a whole
 */
export async function openPlainLines(
  file: Pick<DataFile, 'path' | 'format' | 'compression' | 'size'>,
  offset: number,
  { connect, fields, scratch }: PlainOptions,
): Promise<PlainLines> {
  if (file.format === 'ndjson' && file.compression === undefined) {
    return { bytes: readBytes(file.path, offset, file.size), rejects: [] };
  }
  if (file.format !== 'csv') {
    const bytes = decompress(file);
    return { bytes: skipBytes(file.format === 'json' ? jsonLines(bytes) : bytes, offset), rejects: [] };
  }
  await mkdir(scratch, { recursive: true });
  const plain = file.compression === undefined ? file.path : join(scratch, 'decompressed');
  if (plain !== file.path) await pipeline(decompress(file), createWriteStream(plain));
  const copy = join(scratch, 'lines');
  const rejects = await copyCsv(await connect(), fields, plain, copy).catch(async (error: unknown) => {
    const isOfCsv = error instanceof Error && error.message.includes('CSV');
    const problem = isOfCsv ? await lineEndProblem(plain, file.compression !== undefined) : undefined;
    throw problem === undefined ? error : new Error(problem, { cause: error });
  });
  return { bytes: readBytes(copy, offset), rejects: offset === 0 ? rejects : [] };
}

async function* skipBytes(chunks: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes;
  for await (const chunk of chunks) {
    const skipped = Math.min(left, chunk.length);
    left -= skipped;
    if (skipped < chunk.length) yield chunk.subarray(skipped);
  }
}
