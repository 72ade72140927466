import type { DuckDBConnection } from '@duckdb/node-api';
import type { Field } from '../../../../catalog/tables/table-schema.ts';
import { quote } from '../../../dialect/types.ts';
import { quoteText } from '../../store/column-type.ts';
import type { Reject } from '../scan/manifest.ts';
import { globText } from './glob-text.ts';
import { linesOf } from './lines.ts';

/**
 * Writes the rows of a CSV file as lines of JSON: records stand in CSV as JSON text, and are read by the same rules as
 * everything else then.
 *
 * @returns the rows that are none, of which the copy has nothing
 * @throws Error where no column is one of the table's
 */
export async function copyCsv(
  connection: DuckDBConnection,
  fields: readonly Field[],
  path: string,
  copy: string,
): Promise<readonly Reject[]> {
  const header = await csvHeader(path);
  const declared = new Map(fields.map((field) => [field.name.toLowerCase(), field]));
  const chosen = header.flatMap((column) => {
    const field = declared.get(column.toLowerCase());
    return field === undefined ? [] : [{ column, field }];
  });
  if (header.length > 0 && chosen.length === 0) throw new Error('its header names no column of the table');

  // DuckDB's own guess at the header loses rows when a line is broken, so nothing is left to guess.
  const columns = header.map((column) => `${quoteText(column)}: 'VARCHAR'`).join(', ');
  const rows = (more: string) =>
    header.length === 0
      ? `SELECT '' WHERE false`
      : `SELECT ${rowAsJson(chosen)} FROM read_csv(${globText(path)}, auto_detect = false, header = true,
          columns = {${columns}}, delim = ',', quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false,
          hive_partitioning = false${more})`;
  const write = (more: string) =>
    connection.run(
      `COPY (${rows(more)}) TO ${quoteText(copy)} (FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\x1f')`,
    );

  try {
    await write('');
    return [];
  } catch {
    const kept = 'csv_rejects';
    await connection.run(`DROP TABLE IF EXISTS ${kept}; DROP TABLE IF EXISTS csv_scans`);
    await write(
      `, store_rejects = true, rejects_limit = 0, rejects_table = 'csv_rejects', rejects_scan = 'csv_scans'`,
    );
    const told = await connection.runAndReadAll(
      `SELECT line, min_by(error_message, coalesce(column_idx, 0)) FROM ${kept} GROUP BY line ORDER BY line`,
    );
    return told.getRowsJS().map(([line, reason]) => ({ line: Number(line), reason: String(reason) }));
  }
}

interface Chosen {
  readonly column: string;
  readonly field: Field;
}

/** A row with a cell that should be JSON and is not becomes a line that is no row: it is refused with the others. */
function rowAsJson(chosen: readonly Chosen[]): string {
  const isJson = ({ fields, mode, type }: Field) =>
    fields !== undefined || mode === 'REPEATED' || type === 'JSON';
  const members = chosen.map(({ column, field }) => {
    const value = isJson(field) ? `CAST(${quote(column)} AS JSON)` : quote(column);
    return `${quote(field.name)} := ${value}`;
  });
  const broken = chosen
    .filter(({ field }) => isJson(field))
    .map(({ column }) => `NOT coalesce(json_valid(${quote(column)}), true)`);
  const row = `CAST(to_json(struct_pack(${members.join(', ')})) AS VARCHAR)`;
  return broken.length === 0
    ? row
    : `CASE WHEN ${broken.join(' OR ')} THEN 'a cell is no JSON' ELSE ${row} END`;
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
