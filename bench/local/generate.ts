import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { columnType } from '@querygate/bigquery-sql/duckdb';
import type { Field, TableSchema } from '@querygate/bigquery-sql/table-schema';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { quote } from '@querygate/bigquery-sql/types';
import { type Dataset, dayMicros, hotTables, now, rowsElsewhere } from './dataset.ts';
import { type Limits, openDatabase } from './limits.ts';
import { projects, projectTables } from './projects.ts';

/** A file to write: the rows that arrive from `begins` until before `ends`, in microseconds since the epoch. */
interface FileSpan {
  readonly table: TableSchema;
  readonly path: string;
  readonly begins: number;
  readonly ends: number;
  readonly everyMicros: number;
}

const demoDir = 'queries/demo';
const nowMicros = now.getTime() * 1000;

/**
 * Writes the nested NDJSON of a set, or Parquet, unless it exists: one file a day for the hot streams, one file for each other. The
 * rows come from the demo's SQL, so that they are as nested and as wide as the shipped tables declare, for the projects of
 * the benchmark, and the same on every machine.
 */
export async function generate(
  set: Dataset,
  tables: readonly TableSchema[],
  limits: Limits,
  onProgress: (line: string) => void,
): Promise<void> {
  const files = ['_shared', ...tables.map(({ name }) => name)].map((name) =>
    readFileSync(join(demoDir, `${name}.sql`), 'utf8'),
  );
  const traffic = readFileSync(join(import.meta.dirname, 'traffic.sql'), 'utf8')
    .replaceAll('{now}', String(nowMicros))
    .replaceAll('{projects}', String(projects.length));
  const setup = `${files[0]};${projectTables()};${traffic}`;
  const version = createHash('sha256')
    .update([setup, ...files, set.rows].join('\0'))
    .digest('hex');
  const marker = join(set.folder, 'complete');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === version) return;

  rmSync(set.folder, { recursive: true, force: true });
  const spans = spansOf(set, tables);
  for (const { path } of spans) mkdirSync(join(path, '..'), { recursive: true });
  const database = await openDatabase(':memory:', limits);
  try {
    const workers: DuckDBConnection[] = [];
    // One file is written by one thread.
    for (let left = Number(limits.threads); left > 0; left -= 1) workers.push(await database.connect());
    await workers[0]?.run(`SET VARIABLE every = 1; ${setup}`);
    const total = spans.length;
    let done = 0;
    const work = async (connection: DuckDBConnection) => {
      for (let span = spans.shift(); span; span = spans.shift()) {
        await writeSpan(connection, span);
        done += 1;
        onProgress(`${set.name}: ${done} of ${total} files generated`);
      }
    };
    // All workers end before an error is thrown: closing the database waits for them.
    const ended = await Promise.allSettled(workers.map(work));
    for (const end of ended) if (end.status === 'rejected') throw end.reason;
  } finally {
    database.close();
  }
  writeFileSync(marker, version);
}

function spansOf(set: Dataset, tables: readonly TableSchema[]): FileSpan[] {
  const hot: readonly string[] = hotTables;
  return tables.flatMap((table) => {
    const { name } = table;
    const rows = hot.includes(name) ? set.rows : rowsElsewhere;
    const everyMicros = Math.floor(set.spanMicros / rows);
    const begins = nowMicros - rows * everyMicros + 1;
    const whole = { table, everyMicros, begins, ends: nowMicros + 1 };
    if (!hot.includes(name)) return [{ ...whole, path: join(set.dataDir, `${name}.ndjson`) }];
    const folder = join(set.isParquetOnly ? set.parquetDir : set.dataDir, name);
    const extension = set.isParquetOnly ? 'parquet' : 'ndjson';
    return days(whole).map((day) => ({
      ...day,
      path: join(folder, `${isoTime(day.begins).slice(0, 10)}.${extension}`),
    }));
  });
}

function days<T extends { readonly begins: number; readonly ends: number }>(whole: T): T[] {
  const parts: T[] = [];
  for (let begins = whole.begins; begins < whole.ends; ) {
    const ends = Math.min((Math.floor(begins / dayMicros) + 1) * dayMicros, whole.ends);
    parts.push({ ...whole, begins, ends });
    begins = ends;
  }
  return parts;
}

async function writeSpan(connection: DuckDBConnection, span: FileSpan): Promise<void> {
  const { name, fields } = span.table;
  const rows = readFileSync(join(demoDir, `${name}.sql`), 'utf8')
    .replace(/;\s*$/, '')
    .replaceAll('$from', `make_timestamp(${span.begins})`)
    .replaceAll('$to', `make_timestamp(${span.ends})`);
  await connection.run(`SET VARIABLE every = ${span.everyMicros}`);
  await connection.run(
    span.path.endsWith('.parquet')
      ? `COPY (FROM (SELECT ${fields.map(parquetColumn).join(', ')} FROM (${rows}) AS r) ORDER BY ${tenants[name]}, "timestamp")
          TO ${quoteText(span.path)} (FORMAT parquet, COMPRESSION zstd)`
      : `COPY (
          SELECT * REPLACE (strftime("timestamp", '%Y-%m-%dT%H:%M:%S.%fZ') AS "timestamp") FROM (${rows})
        ) TO ${quoteText(span.path)} (FORMAT json)`,
  );
}

/** By which `querygate tables convert` would sort. */
const tenants: Readonly<Record<string, string>> = {
  edge_logs: 'project',
  function_edge_logs: 'metadata.project_ref',
};

const parquetColumn = (field: Field): string =>
  `${parquetValue(field, `r.${quote(field.name)}`)} AS ${quote(field.name)}`;

/** As `querygate tables convert` writes it: a record is a STRUCT. */
function parquetValue(field: Field, value: string): string {
  if (!field.fields) return `CAST(${value} AS ${columnType(field)})`;
  const members = field.fields.map(
    (part) => `${quote(part.name)} := ${parquetValue(part, `${value}[1].${quote(part.name)}`)}`,
  );
  return `CASE WHEN len(${value}) > 0 THEN struct_pack(${members.join(', ')}) END`;
}

const isoTime = (micros: number) => new Date(micros / 1000).toISOString();
