import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '../../test/support/gateway-process.ts';
import { queryText } from '../../test/support/queries.ts';
import type { Bench } from '../run.ts';
import { responsesPerSecond } from './load.ts';

const connections = 64;
const roundMs = 2_000;
const rounds = 5;
/** The least ratio of REST hits to a bare server. */
const goal = 0.6;

const bench: Bench = {
  title: `REST hits against a bare node:http server that writes the same bytes, ${connections} connections`,
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'querygate-bench-'));
    for (const rows of [24, 1_000]) writeFileSync(join(folder, `rows-${rows}.sql`), eightColumns(rows));
    const log = openSync(join(folder, 'log'), 'w');
    const gateway = await startGateway({ API_KEY: 'key', QUERIES_DIR: folder, DATA_DIR: folder }, log);
    const lines: string[] = [];
    try {
      for (const rows of [24, 1_000]) {
        for (const coding of ['', 'zstd']) lines.push(await compare(gateway.origin, folder, rows, coding));
      }
    } finally {
      await gateway.end();
      rmSync(folder, { recursive: true });
    }
    return lines;
  },
};

export default bench;

/** One line: both sides in alternation, and the median of the rounds' ratios. */
async function compare(origin: string, folder: string, rows: number, coding: string): Promise<string> {
  const path = `/api/endpoints/query/rows-${rows}`;
  const accepts: Record<string, string> = coding === '' ? {} : { 'accept-encoding': coding };
  const body = await bytesOf(`${origin}${path}`, { 'x-api-key': 'key', ...accepts });
  const file = join(folder, 'body');
  writeFileSync(file, body);
  const bare = await startBare(file, coding);
  const head = [
    `GET ${path} HTTP/1.1`,
    'Host: bench',
    'X-API-KEY: key',
    ...(coding ? [`Accept-Encoding: ${coding}`] : []),
  ];
  const load = (port: number, ms: number) =>
    responsesPerSecond({ port, request: head.join('\r\n'), connections, ms });
  const sides = { gateway: Number(new URL(origin).port), bare: bare.port };
  const measured: { gateway: number; bare: number; ratio: number }[] = [];
  try {
    await load(sides.gateway, roundMs / 2);
    await load(sides.bare, roundMs / 2);
    for (let round = 0; round < rounds; round += 1) {
      const gateway = await load(sides.gateway, roundMs);
      const bare = await load(sides.bare, roundMs);
      measured.push({ gateway, bare, ratio: gateway / bare });
    }
  } finally {
    bare.end();
  }
  const median = (name: 'gateway' | 'bare' | 'ratio') =>
    measured.map((one) => one[name]).sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
  const isJudged = rows === 1_000 && coding === '';
  if (isJudged && median('ratio') < goal) process.exitCode = 1;
  const verdict = isJudged ? `; at least ${goal}: ${median('ratio') < goal ? 'DOES NOT HOLD' : 'holds'}` : '';
  return `${rows}×8 rows, ${body.length} bytes ${coding || 'plain'}: ${Math.round(median('gateway'))}/s against ${Math.round(median('bare'))}/s, ratio ${median('ratio').toFixed(2)}${verdict}`;
}

async function startBare(file: string, coding: string) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bare-server.ts'), file, coding]);
  const [line] = await once(child.stdout, 'data');
  return { port: Number(String(line)), end: () => child.kill() };
}

/** The body as it is sent; fetch would decompress it. */
async function bytesOf(url: string, headers: Record<string, string>): Promise<Buffer> {
  const [response] = await once(request(url, { headers }).end(), 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function eightColumns(rows: number): string {
  return queryText({
    name: `rows-${rows}`,
    caching: ['caching: 86400s'],
    columns: {
      made: 'timestamp',
      count: 'integer',
      error_count: 'integer',
      min_time: 'float',
      max_time: 'float',
      avg_time: 'float',
      path: 'string',
      id: 'string',
    },
    sql: `
      select timestamp_add(timestamp '2026-01-01 00:00:00+00', interval n second) as made, n as count, mod(n, 7) as error_count,
        n / 7 as min_time, n * 1.5 as max_time, n / 3 as avg_time, concat('/rest/v1/', cast(n as string)) as path,
        to_hex(md5(cast(n as string))) as id
      from unnest(generate_array(1, ${rows})) as n`,
  });
}
