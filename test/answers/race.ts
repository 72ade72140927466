import { createGateway } from '../../src/gateway/create-gateway.ts';
import type { Caller } from '../../src/keys/sources/key-function.ts';
import { mcp } from '../../src/plugins/mcp/mcp.ts';
import { fakeClock, settled } from '../support/fake-clock.ts';
import { fakeEngine } from '../support/fake-engine.ts';
import { uuidOf } from '../support/query-folder.ts';
import { openedEngine } from '../support/test-app.ts';

/** What one interleaving has shown. */
export interface Outcome {
  /** What must not be, each as a sentence. */
  readonly faults: readonly string[];
  readonly answers: number;
  /** Replies that were sent before as the same object: they came from the store of answers. */
  readonly sentAgain: number;
  readonly refusals: number;
}

/** What a key permits in the model; undefined: it is not valid now. */
type Rights = Pick<Caller, 'tenants' | 'endpoints'> | undefined;

/** One row of the engine: which run of which query it is, and for whom. */
interface Row {
  readonly run: number;
  readonly version: number;
  readonly tenant: string;
  readonly person: string;
}

interface Ask {
  readonly key: string;
  readonly endpoint: (typeof endpoints)[number];
  readonly tenant: (typeof tenants)[number];
  readonly door: (typeof doors)[number];
  readonly accepted: (typeof codings)[number];
  readonly noCache: boolean;
}

const keys = ['k1', 'k2', 'k3', 'k4'] as const;
const tenants = ['a', 'b'] as const;
const endpoints = ['own', 'mine', 'all'] as const;
const doors = ['json', 'csv', 'post', 'get', 'mcp'] as const;
const codings = ['identity', 'zstd'] as const;

const everyRights: readonly Rights[] = [
  {},
  { tenants: ['a'] },
  { tenants: ['b'] },
  { tenants: ['a', 'b'] },
  { tenants: ['a'], endpoints: ['own'] },
  { endpoints: ['all'] },
  { endpoints: ['own', 'mine'] },
  undefined,
];

/** The sentence of the specification: who may get which rows. */
function mayRead(rights: Rights, { endpoint, tenant }: Pick<Ask, 'endpoint' | 'tenant'>): boolean {
  if (rights === undefined) return false;
  const isListed = rights.endpoints === undefined || rights.endpoints.includes(endpoint);
  if (rights.tenants === undefined || rights.tenants === 'all') return isListed;
  return isListed && endpoint !== 'all' && rights.tenants.includes(tenant);
}

function texts(version: number): Readonly<Record<string, string>> {
  const query = (at: number, parameters: string, sql: string) => `/*---
id: ${uuidOf(at)}
description: A query of the race.
max_rows: 100
caching: 900s
cache_warming: 300s
${parameters}columns:
  run: { type: integer, description: Which run. }
  version: { type: integer, description: Which version of the query. }
  tenant: { type: string, description: Whose rows. }
  person: { type: string, description: For whom. }
---*/
SELECT ${version} AS version, ${sql}
`;
  const ofTenant =
    'parameters:\n  tenant: { type: string, required: true, tenant: true, description: Whose rows. }\n';
  return {
    'own.sql': query(1, ofTenant, '@tenant AS tenant'),
    'mine.sql': query(2, ofTenant, '@tenant AS tenant, SESSION_USER() AS person'),
    'all.sql': query(3, '', "'' AS tenant"),
  };
}

const versionOf = ({ sql }: { readonly sql: string }) => Number(/SELECT (\d+) AS version/.exec(sql)?.[1]);

/**
 * Lets requests, refreshes, changes of rights and reloads happen in a random order, and compares each answer with what the
 * model permits: by the rights that the caller had when it was admitted, and with nothing older than what was seen before.
 *
 * @param seed of the order
 */
export async function interleave(seed: number, steps = 60): Promise<Outcome> {
  const choose = chooser(seed);
  const clock = fakeClock();
  const faults: string[] = [];
  let version = 1;
  let served = 1;
  const rightsOf = new Map<string, Rights>(keys.map((key) => [key, choose(everyRights)]));
  /** What the key of a request was found to permit, by the id of the request. */
  const admitted = new Map<string, Rights>();
  const engine = fakeEngine({
    clock,
    queryMs: 40,
    rows(bound, run) {
      const { tenant, ...others } = bound.parameters;
      const [person = ''] = Object.entries(others).flatMap(([, value]) => [String(value)]);
      return [
        JSON.stringify({
          run,
          version: versionOf(bound.query),
          tenant: String(tenant ?? ''),
          person,
        } satisfies Row),
      ];
    },
  });
  const sent = new WeakSet<object>();
  let sentAgain = 0;
  let onChange: (() => void) | undefined;
  const gateway = await createGateway({
    queries: {
      read: () => texts(version),
      watch(changed) {
        onChange = changed;
        return () => {};
      },
    },
    engine: openedEngine(engine),
    now: clock.now,
    after: clock.after,
    keys: ({ headers }) => {
      const [key = '', id = ''] = (headers['x-api-key'] ?? '').split('-');
      const rights = rightsOf.get(key);
      admitted.set(id, rights);
      const caller: Caller | undefined = rights && { id: key, permissions: ['fresh'], ...rights };
      return Number(id) % 3 === 0 ? Promise.resolve(caller) : caller;
    },
    plugins: [
      mcp(),
      {
        name: 'observer',
        onCatalog({ queries: [query] }) {
          served = query === undefined ? served : versionOf(query);
        },
        onReply(_exchange, reply) {
          if (sent.has(reply)) sentAgain += 1;
          sent.add(reply);
          return reply;
        },
      },
    ],
  });
  /** The newest run that was seen, by what was asked. */
  const seen = new Map<string, number>();
  let answers = 0;
  let refusals = 0;
  let requests = 0;
  const ask = async (one: Ask) => {
    requests += 1;
    const id = String(requests);
    const place = `${one.endpoint} ${one.endpoint === 'all' ? '' : one.tenant} ${one.endpoint === 'mine' ? one.key : ''}`;
    const before = { run: seen.get(place) ?? 0, version: served };
    const response = await gateway.fetch(requestOf(one, id));
    const row = await rowOf(one, response);
    const rights = admitted.get(id);
    const described = `seed ${seed}, request ${id}: ${JSON.stringify(one)} with ${JSON.stringify(rights)}`;
    if (row === undefined) {
      refusals += 1;
      if (mayRead(rights, one)) faults.push(`${described} was refused: ${response.status}`);
      return;
    }
    answers += 1;
    if (!mayRead(rights, one)) faults.push(`${described} was answered`);
    if (one.endpoint !== 'all' && row.tenant !== one.tenant)
      faults.push(`${described} got rows of ${row.tenant}`);
    if (row.person !== (one.endpoint === 'mine' ? one.key : ''))
      faults.push(`${described} got rows for ${row.person}`);
    if (row.version < before.version)
      faults.push(`${described} got version ${row.version} of ${before.version}`);
    if (row.run < before.run) faults.push(`${described} got run ${row.run}, older than ${before.run}`);
    seen.set(place, Math.max(row.run, seen.get(place) ?? 0));
  };
  const running = new Set<Promise<void>>();
  const begin = (one: Ask) => {
    const asked = ask(one).finally(() => running.delete(asked));
    running.add(asked);
  };
  const randomAsk = (): Ask => ({
    key: choose(keys),
    endpoint: choose(endpoints),
    tenant: choose(tenants),
    door: choose(doors),
    accepted: choose(codings),
    noCache: choose([true, ...Array<false>(9).fill(false)]),
  });
  let latest = randomAsk();
  const act: Readonly<Record<string, () => unknown>> = {
    ask() {
      latest = randomAsk();
      begin(latest);
    },
    repeat: () => {
      for (let at = 0; at < 4; at += 1) begin({ ...latest, key: choose(keys), noCache: false });
    },
    rights: () => rightsOf.set(choose(keys), choose(everyRights)),
    wait: () => clock.pass(choose([0, 20, 50, 1_000])),
    refresh: () => clock.pass(310_000),
    expire: () => clock.pass(choose([899_960, 950_000])),
    async reload() {
      version += 1;
      onChange?.();
      await new Promise((resolve) => setTimeout(resolve, 60));
    },
  };
  const order = [
    'ask',
    'ask',
    'ask',
    'repeat',
    'repeat',
    'repeat',
    'repeat',
    'rights',
    'wait',
    'wait',
    'wait',
  ];
  const rare = ['refresh', 'refresh', 'refresh', 'expire', 'reload'];
  for (let step = 0; step < steps; step += 1) {
    await act[choose(choose([true, true, true, true, true, true, false]) ? order : rare)]?.();
    if (choose([true, false])) await settled();
  }
  while (running.size > 0) await clock.pass(50);
  await gateway.close();
  return { faults, answers, sentAgain, refusals };
}

function requestOf({ key, endpoint, tenant, door, accepted, noCache }: Ask, id: string): Request {
  const headers = {
    'x-api-key': `${key}-${id}`,
    'accept-encoding': accepted,
    ...(noCache && { 'cache-control': 'no-cache' }),
  };
  const asked = endpoint === 'all' ? '' : `tenant=${tenant}`;
  const root = 'http://gateway.test';
  const post = (path: string, body: object) =>
    new Request(`${root}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const query = `{ ${endpoint}${asked && `(tenant: "${tenant}")`} { rows { run version tenant person } } }`;
  switch (door) {
    case 'json':
      return new Request(`${root}/api/endpoints/query/${endpoint}?${asked}`, { headers });
    case 'csv':
      return new Request(`${root}/api/endpoints/query/${endpoint}.csv?${asked}`, { headers });
    case 'get':
      return new Request(`${root}/graphql?query=${encodeURIComponent(query)}`, { headers });
    case 'post':
      return post('/graphql', { query });
    case 'mcp': {
      const params = { name: endpoint, arguments: endpoint === 'all' ? {} : { tenant } };
      return post('/mcp', { jsonrpc: '2.0', method: 'tools/call', params, id: Number(id) });
    }
  }
}

/** @returns undefined if the caller was refused */
async function rowOf({ door }: Ask, response: Response): Promise<Row | undefined> {
  const text = await response.text();
  if (door === 'csv') {
    if (response.status !== 200) return undefined;
    const [, line = ''] = text.split(/\r?\n/);
    const [run, version, tenant = '', person = ''] = line.split(',').map((cell) => cell.replaceAll('"', ''));
    return { run: Number(run), version: Number(version), tenant, person };
  }
  const body = JSON.parse(text);
  if (door === 'json') return body.result?.[0];
  if (door === 'mcp') return body.result?.structuredContent?.rows?.[0];
  const [field] = Object.values<{ rows: Row[] } | null>(body.data ?? {});
  return field?.rows[0];
}

/** A linear congruential generator, as in Numerical Recipes. */
function chooser(seed: number) {
  let state = seed >>> 0;
  return <T>(from: readonly T[]): T => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return from[Math.floor((state / 2 ** 32) * from.length)] as T;
  };
}
