import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type GatewayProcess, startGateway } from '../support/gateway-process.ts';
import { isNightly, nightly } from '../support/nightly.ts';
import { queryText } from '../support/queries.ts';

const replacements = isNightly ? 10 : 4;
const requests = isNightly ? 5_000 : 1_000;
const callers = 8;
const key = 'a-key-of-the-rollout-test';

const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
beforeAll(() =>
  writeFileSync(
    join(folder, 'one.sql'),
    queryText({ name: 'one', columns: { x: 'integer' }, caching: ['caching: 60s'], sql: 'select 1 as x' }),
  ),
);
afterAll(() => rmSync(folder, { recursive: true }));

nightly(
  'no request fails while gateways behind a balancer are replaced one after another',
  async () => {
    const start = () =>
      startGateway({ API_KEY: key, QUERIES_DIR: folder, DATA_DIR: folder, NODE_ENV: 'production' });
    const balancer = openBalancer(readinessProbe());
    /** How often each answer came. */
    const answers = new Map<string, number>();
    let sent = 0;
    let isDone = false;
    const call = async (agent: Agent | false) => {
      while (!isDone || sent < requests) {
        sent += 1;
        const answer = await balancer.send('/api/endpoints/query/one', agent);
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
        await sleep(10);
      }
    };
    const agent = new Agent({ keepAlive: true });
    const running = await Promise.all([start(), start()]);
    for (const { origin } of running) await balancer.add(origin);
    const calls = Array.from({ length: callers }, (_, at) => call(at % 2 === 0 && agent));
    const ends: Promise<number | null>[] = [];
    for (let count = 0; count < replacements; count += 1) {
      const next = await start();
      await balancer.add(next.origin);
      running.push(next);
      ends.push((running.shift() as GatewayProcess).end());
    }
    const exitCodes = await Promise.all(ends);
    isDone = true;
    await Promise.all(calls);
    balancer.close();
    await Promise.all(running.map((gateway) => gateway.end('SIGKILL')));
    expect(Object.fromEntries(answers)).toEqual({ '200 {"result":[{"x":1}]}': sent });
    expect(sent).toBeGreaterThanOrEqual(requests);
    expect(exitCodes).toEqual(Array(replacements).fill(0));
    // A start of each after the other's.
  },
  600_000,
);

interface Probe {
  readonly path: string;
  readonly periodSeconds: number;
}

/** As the manifest for Kubernetes has it; one failure makes a gateway unready. */
function readinessProbe(): Probe {
  for (const document of parseAllDocuments(readFileSync('deploy/kubernetes/querygate.yaml', 'utf8'))) {
    const { kind, spec } = document.toJS();
    if (kind !== 'Deployment') continue;
    const { httpGet, periodSeconds } = spec.template.spec.containers[0].readinessProbe;
    return { path: httpGet.path, periodSeconds };
  }
  throw new Error('There is no deployment');
}

/** Sends requests to gateways in turn, as long as their last probe found them ready. It tries none again. */
function openBalancer({ path, periodSeconds }: Probe) {
  const ready: string[] = [];
  const probes = new Set<NodeJS.Timeout>();
  let turn = 0;
  const probe = async (origin: string) => {
    const isReady = (await answerOf(origin + path, false)).startsWith('200 ');
    const at = ready.indexOf(origin);
    if (isReady && at === -1) ready.push(origin);
    if (!isReady && at !== -1) ready.splice(at, 1);
  };
  return {
    /** Begins to probe a gateway. */
    async add(origin: string) {
      await probe(origin);
      probes.add(setInterval(() => void probe(origin), periodSeconds * 1_000));
    },
    send(target: string, agent: Agent | false): Promise<string> {
      turn += 1;
      const origin = ready[turn % ready.length];
      return origin === undefined ? Promise.resolve('no gateway is ready') : answerOf(origin + target, agent);
    },
    close() {
      for (const timer of probes) clearInterval(timer);
    },
  };
}

/** The status and the body of a response, or why the request failed. */
function answerOf(url: string, agent: Agent | false): Promise<string> {
  return new Promise((resolve) => {
    const request = get(url, { agent, headers: { 'x-api-key': key } }, async (response) => {
      const chunks = await response.toArray().catch((error) => [String(error)]);
      resolve(`${response.statusCode} ${chunks.join('')}`);
    });
    request.once('error', (error) => resolve(String(error)));
  });
}
