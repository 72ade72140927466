import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteText } from '../../src/engine/dialect/expr/literals.ts';
import { type Dataset, dayMicros, hotTables, now, rowsElsewhere } from './dataset.ts';
import { type Limits, openDatabase } from './limits.ts';
import { projects, projectTables } from './projects.ts';

/** One file to be written: what arrives from `begins` until before `ends`, microseconds since the epoch. */
interface Part {
  readonly table: string;
  readonly path: string;
  readonly begins: number;
  readonly ends: number;
  readonly everyMicros: number;
}

const demoDir = 'queries/demo';
const nowMicros = now.getTime() * 1000;

/**
 * Writes the nested NDJSON of a set, unless it is there: the hot streams a file a day, the others one file each. The
 * rows are those that the demo's SQL makes, so that they are nested and as wide as the shipped tables declare, of the
 * bench's projects, and the same on every machine.
 */
export async function generate(
  set: Dataset,
  tables: readonly string[],
  limits: Limits,
  tell: (line: string) => void,
): Promise<void> {
  const files = ['_shared', ...tables].map((name) => readFileSync(join(demoDir, `${name}.sql`), 'utf8'));
  const traffic = readFileSync(join(import.meta.dirname, 'traffic.sql'), 'utf8')
    .replaceAll('{now}', String(nowMicros))
    .replaceAll('{projects}', String(projects.length));
  const setup = `${files[0]};${projectTables()};${traffic}`;
  const made = createHash('sha256')
    .update([setup, ...files, set.rows].join('\0'))
    .digest('hex');
  const marker = join(set.folder, 'complete');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === made) return;

  rmSync(set.folder, { recursive: true, force: true });
  const parts = partsOf(set, tables);
  for (const { path } of parts) mkdirSync(join(path, '..'), { recursive: true });
  const database = await openDatabase(':memory:', limits);
  try {
    const workers: DuckDBConnection[] = [];
    // One file is written by one thread.
    for (let left = Number(limits.DUCKDB_THREADS); left > 0; left -= 1)
      workers.push(await database.connect());
    await workers[0]?.run(`SET VARIABLE every = 1; ${setup}`);
    const total = parts.length;
    let done = 0;
    const work = async (connection: DuckDBConnection) => {
      for (let part = parts.shift(); part; part = parts.shift()) {
        await writePart(connection, part);
        done += 1;
        tell(`${set.name}: ${done} of ${total} files generated`);
      }
    };
    // Closing a database waits for what runs on it: all end before an error leaves.
    const ended = await Promise.allSettled(workers.map(work));
    for (const end of ended) if (end.status === 'rejected') throw end.reason;
  } finally {
    database.close();
  }
  writeFileSync(marker, made);
}

function partsOf(set: Dataset, tables: readonly string[]): Part[] {
  const hot: readonly string[] = hotTables;
  return tables.flatMap((table) => {
    const rows = hot.includes(table) ? set.rows : rowsElsewhere;
    const everyMicros = Math.floor(set.spanMicros / rows);
    const begins = nowMicros - rows * everyMicros + 1;
    const whole = { table, everyMicros, begins, ends: nowMicros + 1 };
    if (!hot.includes(table)) return [{ ...whole, path: join(set.dataDir, `${table}.ndjson`) }];
    // A hundred million rows as plain text would not fit on most disks.
    const extension = set.rows > 10_000_000 ? 'ndjson.zst' : 'ndjson';
    return days(whole).map((day) => ({
      ...day,
      path: join(set.dataDir, table, `${isoTime(day.begins).slice(0, 10)}.${extension}`),
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

async function writePart(connection: DuckDBConnection, part: Part): Promise<void> {
  const rows = readFileSync(join(demoDir, `${part.table}.sql`), 'utf8')
    .replace(/;\s*$/, '')
    .replaceAll('$from', `make_timestamp(${part.begins})`)
    .replaceAll('$to', `make_timestamp(${part.ends})`);
  const compression = part.path.endsWith('.zst') ? ', COMPRESSION zstd' : '';
  await connection.run(`SET VARIABLE every = ${part.everyMicros}`);
  await connection.run(`
    COPY (
      SELECT * REPLACE (strftime("timestamp", '%Y-%m-%dT%H:%M:%S.%fZ') AS "timestamp") FROM (${rows})
    ) TO ${quoteText(part.path)} (FORMAT json${compression})`);
}

const isoTime = (micros: number) => new Date(micros / 1000).toISOString();
