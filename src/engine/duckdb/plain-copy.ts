import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Field } from '../../catalog/table-schema.ts';
import { quote } from '../dialect/type.ts';
import { quoteText } from './column-type.ts';
import type { DataFile } from './data-files.ts';
import { linesOf } from './lines.ts';
import { isMisspelt, respell } from './respell.ts';

/**
 * A data file in a form that DuckDB reads rightly: the file itself where it can, or else a plain copy in the scratch
 * folder, which the next copy overwrites.
 */
export async function plainCopy(
  connection: DuckDBConnection,
  fields: readonly Field[],
  file: DataFile,
  scratch: string,
): Promise<DataFile> {
  const inflated = file.compression ? await inflate(file, file.compression, join(scratch, 'inflated')) : file;
  if (inflated.format === 'parquet') return inflated;
  const rows = inflated.format === 'csv' ? await csvAsJson(connection, fields, inflated, scratch) : inflated;
  return isMisspelt(rows.path, fields) ? respell(rows, fields, join(scratch, 'respelt.ndjson')) : rows;
}

/** DuckDB takes a compressed file that was cut short for a whole one; zlib does not. */
async function inflate(file: DataFile, compression: 'gz' | 'zst', path: string): Promise<DataFile> {
  const inflater = compression === 'gz' ? createGunzip() : createZstdDecompress();
  try {
    await pipeline(createReadStream(file.path), inflater, createWriteStream(path));
  } catch (cause) {
    throw new Error(`cannot be decompressed: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
  return { ...file, path, compression: undefined };
}

/** Records stand in CSV as JSON text; as rows of JSON they are read by the same rules as everything else. */
async function csvAsJson(
  connection: DuckDBConnection,
  fields: readonly Field[],
  file: DataFile,
  scratch: string,
): Promise<DataFile> {
  const path = join(scratch, 'rows.ndjson');
  const header = await csvHeader(file.path);
  const declared = new Map(fields.map((field) => [field.name.toLowerCase(), field]));
  const chosen = header.flatMap((column) => {
    const field = declared.get(column.toLowerCase());
    if (field === undefined) return [];
    const isJson = field.fields !== undefined || field.mode === 'REPEATED' || field.type === 'JSON';
    return [`${isJson ? `CAST(${quote(column)} AS JSON)` : quote(column)} AS ${quote(field.name)}`];
  });
  if (header.length > 0 && chosen.length === 0) throw new Error('its header names no column of the table');
  // DuckDB's own guess at the header loses rows when a line is broken, so nothing is left to guess.
  const columns = header.map((column) => `${quoteText(column)}: 'VARCHAR'`).join(', ');
  const rows =
    header.length === 0
      ? 'SELECT 1 WHERE false'
      : `SELECT ${chosen.join(', ')} FROM read_csv(${globText(file.path)}, auto_detect = false, header = true,
          columns = {${columns}}, delim = ',', quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false,
          hive_partitioning = false)`;
  await connection.run(`COPY (${rows}) TO ${quoteText(path)} (FORMAT json)`);
  return { ...file, path, format: 'ndjson' };
}

async function csvHeader(path: string): Promise<readonly string[]> {
  for await (const line of linesOf(path)) {
    const cells = line
      .replace(/^\uFEFF/, '')
      .trimEnd()
      .matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g);
    return [...cells].map(([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? '');
  }
  return [];
}

/** DuckDB takes paths for patterns: characters that mean something there stand in brackets. */
export const globText = (path: string) => quoteText(path.replace(/[*?[]/g, '[$&]'));
