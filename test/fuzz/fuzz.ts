import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { planted } from '../http/hostile-requests.ts';
import { startGateway } from '../support/gateway-process.ts';
import { apiKey } from '../support/test-app.ts';
import { openRandom } from '../../packages/bigquery-sql/test/support/random.ts';
import { fuzzRequest } from './requests.ts';
import { send } from './send.ts';
import { secrets } from './values.ts';

export interface Fuzzed {
  readonly requests: number;
  /** How many responses had each status; `none` are connections closed without one. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly slowestMs: number;
  /** Of the process, after a garbage collection, in MB. */
  readonly memoryMb: { readonly before: number; readonly after: number };
  /** Requests with a 5xx response, as JSON text. */
  readonly failed: readonly string[];
  /** The exit code of the process when it is shut down afterwards. */
  readonly exitCode: number | null;
  /** Secrets of the run that its log contains. */
  readonly leaked: readonly string[];
}

/** Concurrent connections. */
const concurrency = 64;
const collect = `import v8 from 'node:v8';import vm from 'node:vm';v8.setFlagsFromString('--expose-gc');const gc=vm.runInNewContext('gc');process.on('SIGUSR2',()=>gc())`;

/** Sends random requests to a process of its own, over DuckDB, and reports the outcome. */
export async function fuzz(requests: number, seed: number): Promise<Fuzzed> {
  const dataDir = mkdtempSync(join(tmpdir(), 'querygate-fuzz-'));
  writeFileSync(join(dataDir, 'edge_logs.ndjson'), edgeLogs());
  const gateway = await startGateway({
    API_KEY: secrets.key,
    DATA_DIR: dataDir,
    CORS_ORIGINS: 'https://dash.example.com',
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(collect)}`,
  });
  const port = Number(new URL(gateway.origin).port);
  const random = openRandom(seed);
  const statuses: Record<string, number> = {};
  const failed: string[] = [];
  let slowestMs = 0;
  let left = requests;
  const sendAll = async (until: number) => {
    while (left > until) {
      left -= 1;
      const bytes = fuzzRequest(random);
      const sent = await send(port, bytes);
      slowestMs = Math.max(slowestMs, sent.ms);
      for (const status of sent.statuses.length === 0 ? ['none'] : sent.statuses) {
        statuses[status] = (statuses[status] ?? 0) + 1;
        const text = bytes.toString('latin1');
        if (Number(status) >= 500 && !(Number(status) === 501 && otherCoding.test(text)))
          failed.push(`${status} ${JSON.stringify(text).slice(0, 2_000)}`);
      }
    }
  };
  const sendConcurrently = (until: number) =>
    Promise.all(Array.from({ length: concurrency }, () => sendAll(until)));

  try {
    // Memory for what is loaded and compiled on first use is not a leak.
    await sendConcurrently(requests - Math.ceil(requests / 20));
    const before = await memoryMb(gateway.child);
    await sendConcurrently(0);
    const after = await memoryMb(gateway.child);
    const exitCode = await gateway.end();
    const leaked = [...Object.values(secrets), planted, apiKey].filter((secret) =>
      gateway.log().includes(secret),
    );
    return { requests, statuses, slowestMs, memoryMb: { before, after }, failed, exitCode, leaked };
  } finally {
    gateway.child.kill('SIGKILL');
    rmSync(dataDir, { recursive: true });
  }
}

async function memoryMb(child: {
  readonly pid?: number | undefined;
  kill(signal: 'SIGUSR2'): boolean;
}): Promise<number> {
  child.kill('SIGUSR2');
  await sleep(1_000);
  const kilobytes = execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' });
  return Math.round(Number(kilobytes) / 1_000);
}

function edgeLogs(): string {
  const rows = Array.from({ length: 200 }, (_, id) => ({
    id: `${id}`,
    timestamp: new Date(Date.now() - id * 20_000).toISOString(),
    project: 'p',
    event_message: 'GET',
    metadata: [{ request: [{ path: '/rest/v1/a', url: `https://p.example.co/rest/v1/a${id}` }] }],
  }));
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** A coding of the body besides chunked, which is refused with 501 (RFC 9112, 6.1). */
const otherCoding = /^Transfer-Encoding:(?!\s*chunked\s*$)/im;
