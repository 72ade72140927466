import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGateway } from '../support/gateway-process.ts';
import { writeKeyFile } from '../support/key-files.ts';
import { mainThreadMs, memoryOf } from './process-tree.ts';
import type { AttackText } from './texts.ts';

/** What one text did to a gateway, and to the callers of other keys. */
export interface AttackOutcome {
  readonly text: AttackText;
  readonly path: 'REST' | 'GraphQL';
  /** How it was answered, each answer once. */
  readonly answers: readonly string[];
  readonly isAlive: boolean;
  /** The most processor time that the gateway's main thread took until it answered /healthz, or a cached result. */
  readonly longestHealthMs: number;
  readonly longestHitMs: number;
  /** How long a query of another key took that was not cached, after the attack. */
  readonly coldMs: number;
  /** Of the gateway's process, and of all its processes, above what they had before. */
  readonly ownBytes: number;
  readonly allBytes: number;
}

/** A gateway in a process of its own, with rows of two tenants. */
export interface AttackedGateway {
  /** Of the gateway's process. */
  readonly pid: number;
  /** Sends SQL with the key of one attacker, by its number. @returns the status and the body */
  ask(attacker: number, sql: string): Promise<{ readonly status: number; readonly body: string }>;
  /** Reads the rows of the attacked tenant, which are not cached. @returns the status and the body */
  rows(): Promise<{ readonly status: number; readonly body: string }>;
  attack(text: AttackText, path: AttackOutcome['path']): Promise<AttackOutcome>;
  log(): string;
  close(): Promise<void>;
}

const rowCount = 2_000;
const copies = 4;
/** Callers that disconnect do so after this time. */
const patienceMs = 1_500;
/** The deadline of queries: longer than the processor time that a text may use. */
const timeoutMs = 15_000;
const probeEveryMs = 40;

/** @param attacks how many texts will be sent, each with a key of its own: a key pauses after some that had to be stopped */
export async function openAttackedGateway(attacks: number): Promise<AttackedGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-attacks-'));
  const [queries, data] = [join(folder, 'queries'), join(folder, 'data')];
  cpSync('queries', queries, { recursive: true });
  const file = join(queries, 'logs.all.sql');
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace('query_sandboxing: disabled', 'query_sandboxing: enabled'),
  );
  mkdirSync(data);
  for (const table of ['edge_logs', 'function_edge_logs', 'auth_logs'])
    writeFileSync(join(data, `${table}.ndjson`), rowsOf(table));
  const attackers = Array.from({ length: attacks }, (_, at) => `attacker ${at}`);
  const keys = writeKeyFile({
    victim: {},
    ...Object.fromEntries(
      attackers.map((name) => [name, { tenants: ['abc'], permissions: ['sql'] } as const]),
    ),
  });
  const gateway = await startGateway({
    QUERIES_DIR: queries,
    DATA_DIR: data,
    STORE_FILE: join(folder, 'store', 'rows.duckdb'),
    API_KEYS_FILE: keys.path,
    ENGINE_TIMEOUT_MS: String(timeoutMs),
    LOG_LEVEL: 'warn',
  });
  const { pid = 0 } = gateway.child;
  const victim = { 'x-api-key': keys.keyOf('victim') };
  const counts = (interval: string, id: number) =>
    fetch(
      `${gateway.origin}/api/endpoints/query/functions.invocation-stats?project=victim&interval=${interval}&function_id=f${id}`,
      { headers: victim },
    );
  const reply = async (response: Response) => ({ status: response.status, body: await response.text() });
  const logs = (search: Record<string, string>) =>
    `${gateway.origin}/api/endpoints/query/logs.all?${new URLSearchParams({ project_tier: 'ENTERPRISE', ...search })}`;
  let colds = 0;
  const cold = async () => {
    colds += 1;
    const startedAt = performance.now();
    const response = await counts('1day', colds);
    await response.text();
    return response.status === 200 ? performance.now() - startedAt : Number.POSITIVE_INFINITY;
  };
  const send = async (text: AttackText, path: AttackOutcome['path'], key: string): Promise<string> => {
    const signal = text.disconnects ? AbortSignal.timeout(patienceMs) : null;
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    try {
      const response =
        path === 'REST'
          ? await fetch(logs({ project: 'abc', sql: text.sql }), { headers, signal })
          : await fetch(`${gateway.origin}/graphql`, {
              method: 'POST',
              headers,
              signal,
              body: JSON.stringify({
                query:
                  'query ($sql: String!) { logsAllSql(project: "abc", projectTier: ENTERPRISE, sql: $sql) { rows } }',
                variables: { sql: text.sql },
              }),
            });
      const body = await response.text();
      const [, code = 'rows'] = /"code":"(\w+)"/.exec(body) ?? [];
      return `${response.status} ${code}`;
    } catch (error) {
      return signal?.aborted ? 'disconnected' : `no answer: ${String(error)}`;
    }
  };

  // Everything is loaded once, before memory is compared.
  await (await counts('1hr', 0)).text();
  await cold();
  const warm: AttackText = { kind: 'crash', sql: 'select count(*) as n from edge_logs' };
  for (const path of ['REST', 'GraphQL'] as const) await send(warm, path, keys.keyOf('victim'));
  await sleep(2_000);
  const idle = memoryOf(pid);
  let next = 0;

  return {
    pid,
    log: gateway.log,
    async ask(attacker, sql) {
      const headers = { 'x-api-key': keys.keyOf(attackers[attacker] ?? '') };
      return reply(await fetch(logs({ project: 'abc', sql }), { headers }));
    },
    rows: async () => reply(await fetch(logs({ project: 'victim' }), { headers: victim })),
    async attack(text, path) {
      const key = keys.keyOf(attackers[next++ % attackers.length] ?? '');
      // A process is there for the key: otherwise most of the time would pass until one has started.
      while (!(await send(warm, path, key)).startsWith('200 rows')) await sleep(100);
      const probes = openProbes(pid, {
        health: () => fetch(`${gateway.origin}/healthz`),
        hit: () => counts('1hr', 0),
      });
      const answers = await Promise.all(Array.from({ length: copies }, () => send(text, path, key)));
      const coldMs = await cold();
      const { longest, peak } = await probes.end();
      return {
        ...{ text, path, coldMs },
        answers: [...new Set(answers)],
        isAlive: gateway.child.exitCode === null && gateway.child.signalCode === null,
        longestHealthMs: longest.health,
        longestHitMs: longest.hit,
        ownBytes: peak.own - idle.own,
        allBytes: peak.all - idle.all,
      };
    },
    async close() {
      await gateway.end();
      keys.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Probes {
  end(): Promise<{
    readonly longest: Readonly<Record<'health' | 'hit', number>>;
    readonly peak: { readonly own: number; readonly all: number };
  }>;
}

/** Sends probes all the while, each when the one before it is answered, and looks at memory. */
function openProbes(
  pid: number,
  probes: Readonly<Record<'health' | 'hit', () => Promise<Response>>>,
): Probes {
  const longest = { health: 0, hit: 0 };
  const peak = { own: 0, all: 0 };
  let isOn = true;
  const probe = async (name: keyof typeof probes) => {
    while (isOn) {
      const startedMs = mainThreadMs(pid);
      await (await probes[name]()).text().catch(() => {});
      longest[name] = Math.max(longest[name], mainThreadMs(pid) - startedMs);
      await sleep(probeEveryMs);
    }
  };
  const look = async () => {
    while (isOn) {
      const { own, all } = memoryOf(pid);
      peak.own = Math.max(peak.own, own);
      peak.all = Math.max(peak.all, all);
      await sleep(probeEveryMs);
    }
  };
  const running = Promise.all([probe('health'), probe('hit'), look()]);
  return {
    async end() {
      isOn = false;
      await running;
      return { longest, peak };
    },
  };
}

function rowsOf(table: string): string {
  const now = Date.now();
  return Array.from({ length: rowCount }, (_, at) => {
    const project = at % 2 === 0 ? 'abc' : 'victim';
    const row = {
      id: `${table}-${at}`,
      timestamp: new Date(now - at * 1000).toISOString(),
      ...(table === 'function_edge_logs' ? {} : { project }),
      event_message: `GET | 200 | /rest/v1/rows?page=${at} | 1,1,1`,
      metadata:
        table === 'auth_logs'
          ? [{ level: 'info', msg: `message ${at}` }]
          : [
              {
                ...(table === 'function_edge_logs' && {
                  project_ref: project,
                  function_id: `f${at % 7}`,
                  execution_time_ms: at % 50,
                }),
                request: [{ method: 'GET', path: '/rest/v1/rows' }],
                response: [{ status_code: 200 }],
              },
            ],
    };
    return `${JSON.stringify(row)}\n`;
  }).join('');
}
