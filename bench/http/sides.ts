import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '../../test/support/gateway-process.ts';
import { queryText } from '../../test/support/queries.ts';

export const rowCounts = [24, 1_000] as const;

/** The columns of the bench's queries, and of the naive server. */
export const columns = {
  made: 'timestamp',
  count: 'integer',
  error_count: 'integer',
  min_time: 'float',
  max_time: 'float',
  avg_time: 'float',
  path: 'string',
  id: 'string',
} as const;

export interface BenchFolder {
  readonly path: string;
  remove(): void;
}

/** The columns of `logs.all`, of which the last is most of a row. */
const logColumns = {
  id: 'string',
  timestamp: 'timestamp',
  event_message: 'string',
  metadata: '{ type: record, repeated: true, description: Nested fields. }',
} as const;

/**
 * A folder with three saved queries for each row count: of eight columns, of those of `logs.all`, and of eight columns that take
 * row arguments.
 */
export function makeFolder(): BenchFolder {
  const path = mkdtempSync(join(tmpdir(), 'querygate-bench-'));
  for (const rows of rowCounts) {
    writeFileSync(join(path, `rows-${rows}.sql`), eightColumns('rows', rows));
    writeFileSync(join(path, `logs-${rows}.sql`), logs(rows));
    writeFileSync(join(path, `mark-${rows}.sql`), eightColumns('mark', rows, ['row_arguments: all']));
  }
  const remove = () => {
    rmSync(path, { recursive: true });
    rmSync(`${path}-log`, { force: true });
  };
  return { path, remove };
}

/** The gateway over the folder's queries, with its access log on. */
export function startOver({ path }: BenchFolder, env: Record<string, string> = { API_KEY: 'key' }) {
  // Not among the queries, which it watches.
  const log = openSync(`${path}-log`, 'a');
  return startGateway({ QUERIES_DIR: path, DATA_DIR: path, ...env }, log);
}

export interface OtherServer {
  readonly port: number;
  readonly pid: number | undefined;
  end(): void;
}

/** A bare `node:http` server that writes the same bytes to everybody. */
export function startBare({ path }: BenchFolder, body: Buffer, coding = ''): Promise<OtherServer> {
  const file = join(path, `body-${body.byteLength}-${coding}`);
  writeFileSync(file, body);
  return start('bare-server.ts', file, coding);
}

/** Yoga and Pothos with a resolver for each field, over rows in memory. */
export function startNaive({ path }: BenchFolder, rows: string): Promise<OtherServer> {
  const file = join(path, 'naive-rows.json');
  writeFileSync(file, rows);
  return start('naive-server.ts', file);
}

async function start(script: string, ...args: readonly string[]): Promise<OtherServer> {
  const child: ChildProcess = spawn(process.execPath, [join(import.meta.dirname, script), ...args], {
    env: { PATH: process.env.PATH, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout ?? child, 'data');
  return { port: Number(String(line)), pid: child.pid, end: () => child.kill() };
}

/** The body as it is written on the wire; fetch would decode it. */
export async function bytesOf(url: string, headers: Record<string, string>, body?: string): Promise<Buffer> {
  const method = body === undefined ? 'GET' : 'POST';
  const [response] = await once(request(url, { method, headers }).end(body), 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${Buffer.concat(chunks)}`);
  return Buffer.concat(chunks);
}

function eightColumns(name: string, rows: number, header: readonly string[] = []): string {
  return queryText({
    name: `${name}-${rows}`,
    caching: ['caching: 86400s', 'labels: [team, session_id]', ...header],
    columns,
    sql: `
      select timestamp_add(timestamp '2026-01-01 00:00:00+00', interval n second) as made, n as count, mod(n, 7) as error_count,
        n / 7 as min_time, n * 1.5 as max_time, n / 3 as avg_time, concat('/rest/v1/', cast(n as string)) as path,
        to_hex(md5(cast(n as string))) as id
      from unnest(generate_array(1, ${rows})) as n`,
  });
}

/** Records of 200 characters of text and 600 of nested fields. */
function logs(rows: number): string {
  return queryText({
    name: `logs-${rows}`,
    caching: ['caching: 86400s'],
    columns: logColumns,
    sql: `
      select to_hex(md5(cast(n as string))) as id, timestamp_add(timestamp '2026-01-01 00:00:00+00', interval n second) as timestamp,
        concat('GET | 200 | https://example.com/rest/v1/', cast(n as string), repeat(' "x"', 40)) as event_message,
        [struct(repeat('abcdef', 100) as body, n as number)] as metadata
      from unnest(generate_array(1, ${rows})) as n`,
  });
}
