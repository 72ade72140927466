import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bind } from '../../../src/catalog/binding/bind.ts';
import { systemClock } from '../../../src/concurrency/clock.ts';
import { GatewayError } from '../../../src/errors.ts';
import { cacheKey } from '../../../src/results/cache-key.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { draftQuery, queryText } from '../../support/queries.ts';
import { ago, apiKey, openTestApp, type TestApp } from '../../support/test-app.ts';
import { openTestResults } from '../../support/test-results.ts';

/** A gateway over the demo, as a process of its own. */
export interface DemoGateway {
  readonly origin: string;
  /** The settings in which gateways with and without COMPAT differ. */
  readonly env: Readonly<Record<string, string>>;
  /** A key without restrictions, and one for `logs.all` only. */
  readonly key: string;
  readonly narrowKey: string;
}

/** One thing that clients of a Logflare endpoint may rely on. */
export interface Row {
  readonly expects: string;
  /** @returns whether the gateway does it too */
  readonly check: (gateway: DemoGateway) => Promise<boolean>;
  /** Why it is not so without COMPAT, and why not with it either; absent: it holds. */
  readonly strict?: string;
  readonly compat?: string;
}

const project = 'mzqkvxwotrplbhnydsea';
const path = '/api/endpoints/query';
const stats = `functions.invocation-stats`;
const usage = `usage.api-counts`;
const statsId = '8d5a1f0e-6c3b-4f7e-9a52-1b7c0e4d2f63';

type Cells = Readonly<Record<string, unknown>>;

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { readonly result?: readonly Cells[]; readonly error?: unknown };
}

async function send(gateway: DemoGateway, target: string, init: RequestInit = {}): Promise<Answered> {
  const headers = { 'x-api-key': gateway.key, ...(init.headers as Record<string, string>) };
  const response = await fetch(`${gateway.origin}${target}`, { ...init, headers });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Answered['body'],
  };
}

/** Without the key that `send` adds. */
async function sendKeyless(
  gateway: DemoGateway,
  target: string,
  headers: Record<string, string> = {},
): Promise<Answered> {
  const response = await fetch(`${gateway.origin}${target}`, { headers });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Answered['body'],
  };
}

const get = (gateway: DemoGateway, name: string, parameters = `project=${project}`) =>
  send(gateway, `${path}/${name}?${parameters}`);

async function rows(gateway: DemoGateway, name: string, parameters?: string): Promise<readonly Cells[]> {
  const { status, body } = await get(gateway, name, parameters);
  if (status !== 200 || body.result === undefined)
    throw new Error(`${name} ${parameters}: ${status} ${JSON.stringify(body)}`);
  return body.result;
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
const isUnauthorized = ({ status, body }: Answered) =>
  status === 401 && same(body, { error: 'Unauthorized' });
const isEmpty = ({ status, body }: Answered) => status === 200 && same(body, { result: [] });
const isFailure = ({ status, body }: Answered) =>
  status === 200 && typeof body.error === 'string' && body.error !== '' && body.result === undefined;
const cacheStatus = async (pending: Promise<Answered>) => (await pending).headers.get('cache-status') ?? '';
const isHit = async (pending: Promise<Answered>) => (await cacheStatus(pending)).startsWith('querygate; hit');

/** A result that no other row has, so that it is computed when it is first requested. */
let unused = 0;
const cold = () => {
  unused += 1;
  return `project=nobody-${process.pid}-${unused}`;
};

/** Microseconds of a row's timestamp as Studio reads it: 16 digits, or a date without zone in UTC. */
function microsOf({ timestamp }: Cells): number {
  if (typeof timestamp === 'number') return String(timestamp).length === 16 ? timestamp : Number.NaN;
  return typeof timestamp === 'string' ? Date.parse(`${timestamp}Z`) * 1000 : Number.NaN;
}

function isAscending(values: readonly number[], step = 1): boolean {
  return values.every((value, at) => at === 0 || value - (values[at - 1] ?? value) >= step);
}

const nowMicros = () => Date.now() * 1000;
const minute = 60_000_000;
const hour = 60 * minute;
const day = 24 * hour;

/** An answer may be kept from an earlier row of this file, which may have been in an earlier hour. */
const earliestMicros = nowMicros();

/** True if all rows are within the window, on the edges of its buckets. */
function isWithin(result: readonly Cells[], window: number, bucket: number): boolean {
  const times = result.map(microsOf);
  return (
    times.length > 0 &&
    times.every(
      (time) => time % bucket === 0 && time >= earliestMicros - window - bucket && time <= nowMicros(),
    )
  );
}

/** The whole service in this process, with what a demo does not have; its answers by path. */
async function within<T>(
  { env }: DemoGateway,
  use: (get: (target: string) => Promise<Answered>, app: TestApp) => Promise<T>,
  {
    tables = {},
    more = {},
    options = {},
  }: {
    readonly tables?: Parameters<typeof openTestApp>[0];
    readonly more?: Record<string, string>;
    readonly options?: Parameters<typeof openTestApp>[2];
  } = {},
): Promise<T> {
  const app = await openTestApp(tables, { ...env, ...more }, options);
  try {
    return await use(async (target) => {
      const response = await app.fetch(target, { headers: { 'x-api-key': apiKey } });
      return {
        status: response.status,
        headers: response.headers,
        body: (await response.json()) as Answered['body'],
      };
    }, app);
  } finally {
    await app.close();
  }
}

/** An engine whose queries fail in one way, or do not. */
const failingEngine = (fault: GatewayError) => {
  const engine = fakeEngine({ clock: systemClock, queryMs: 1, rows: () => ['{"x":1}'] });
  engine.failing = true;
  engine.fault = fault;
  return engine;
};

const timeout = new GatewayError('ENGINE_TIMEOUT', 'No result within 5 ms; try again later');
const failed = new GatewayError('ENGINE_FAILED', 'The query failed');

const reasons = {
  urlKey: 'a key in a URL is refused, because URLs are logged',
  twoKeys: 'two different keys may belong to two callers',
  shape: 'errors have one shape, with a code and a message',
  access: 'an unknown endpoint is 404, one that the key may not query 403',
  requests: 'REST is GET at one path',
  origins: 'origins are configuration: `CORS_ORIGINS`',
  value: 'a wrong value is refused with what would be right',
  failure: 'a failure has the status of its cause',
  repeated: 'two values are ambiguous',
};

/** What was found in Logflare's source, and in the sources of its clients. */
export const logflareRows: readonly Row[] = [
  {
    expects: 'an endpoint is found by its name; the rows are in `{"result": […]}`',
    check: async (gateway) => {
      const { status, body } = await get(gateway, stats);
      return status === 200 && same(Object.keys(body), ['result']) && (body.result?.length ?? 0) > 0;
    },
  },
  {
    expects: 'its UUID gives the same',
    check: async (gateway) => same(await rows(gateway, statsId), await rows(gateway, stats)),
  },
  {
    expects: 'the name of the key header has any case; a `Content-Type` on GET does no harm',
    check: async (gateway) => {
      const headers = { 'X-Api-KEY': gateway.key, 'content-type': 'application/json; charset=utf-8' };
      return (await sendKeyless(gateway, `${path}/${stats}?project=${project}`, headers)).status === 200;
    },
  },
  {
    expects: '`Authorization: Bearer` is accepted',
    check: async (gateway) => {
      const headers = { authorization: `Bearer ${gateway.key}` };
      return (await sendKeyless(gateway, `${path}/${stats}?project=${project}`, headers)).status === 200;
    },
  },
  {
    expects: '`?api_key=` is accepted',
    check: async (gateway) =>
      (await sendKeyless(gateway, `${path}/${stats}?project=${project}&api_key=${gateway.key}`)).status ===
      200,
    strict: reasons.urlKey,
  },
  {
    expects: 'of two keys the bearer token counts',
    check: async (gateway) => {
      const target = `${path}/${stats}?project=${project}`;
      const [right, wrong] = [gateway.key, 'wrong'];
      const both = (bearer: string, header: string) =>
        sendKeyless(gateway, target, { authorization: `Bearer ${bearer}`, 'x-api-key': header });
      return (await both(right, wrong)).status === 200 && (await both(wrong, right)).status === 401;
    },
    strict: reasons.twoKeys,
  },
  {
    expects: 'without a key: 401 `{"error":"Unauthorized"}`',
    check: async (gateway) =>
      isUnauthorized(await sendKeyless(gateway, `${path}/${stats}?project=${project}`)),
    strict: reasons.shape,
  },
  {
    expects: 'with a wrong key: the same',
    check: async (gateway) =>
      isUnauthorized(
        await send(gateway, `${path}/${stats}?project=${project}`, { headers: { 'x-api-key': 'wrong' } }),
      ),
    strict: reasons.shape,
  },
  {
    expects: 'with a key that has no right to the endpoint: the same',
    check: async (gateway) => {
      const headers = { 'x-api-key': gateway.narrowKey };
      return isUnauthorized(await send(gateway, `${path}/${stats}?project=${project}`, { headers }));
    },
    strict: reasons.access,
  },
  {
    expects: 'an unknown name: the same',
    check: async (gateway) => isUnauthorized(await get(gateway, 'no.such')),
    strict: reasons.access,
  },
  {
    expects: 'an unknown UUID: the same',
    check: async (gateway) => isUnauthorized(await get(gateway, '00000000-0000-4000-8000-000000000000')),
    strict: reasons.access,
  },
  {
    expects: 'a name that is like a UUID is a name, never a malformed request',
    check: async (gateway) => {
      const statuses = await Promise.all(
        ['logs-all-staging', 'logs.all.staging', statsId.slice(1)].map(
          async (name) => (await get(gateway, name)).status,
        ),
      );
      return statuses.every((status) => status === 404 || status === 401);
    },
  },
  {
    expects: 'also at `/api/endpoints/query/name/<name>` and `/endpoints/query/<name or UUID>`',
    check: async (gateway) => {
      const paths = [`${path}/name/${stats}`, `/endpoints/query/${stats}`, `/endpoints/query/${statsId}`];
      const answers = await Promise.all(paths.map((target) => send(gateway, `${target}?project=${project}`)));
      return answers.every(({ status }) => status === 200);
    },
    strict: reasons.requests,
  },
  {
    expects: 'POST, with JSON or a form',
    check: async (gateway) => {
      const post = (type: string, body: string) =>
        send(gateway, `${path}/${stats}`, { method: 'POST', headers: { 'content-type': type }, body });
      const asJson = await post('application/json', JSON.stringify({ project, interval: '7day' }));
      const asForm = await post('application/x-www-form-urlencoded', `project=${project}&interval=7day`);
      const byGet = await get(gateway, stats, `project=${project}&interval=7day`);
      return same(asJson.body, byGet.body) && same(asForm.body, byGet.body);
    },
    strict: reasons.requests,
  },
  {
    expects: 'every preflight is answered for any origin',
    check: async (gateway) => {
      const response = await fetch(`${gateway.origin}${path}/${stats}`, {
        method: 'OPTIONS',
        headers: { origin: 'https://dash.example.com', 'access-control-request-method': 'GET' },
      });
      return response.headers.get('access-control-allow-origin') === '*';
    },
    strict: reasons.origins,
    compat: reasons.origins,
  },
  {
    expects: 'every response is JSON',
    check: async (gateway) => {
      const answers = await Promise.all([
        get(gateway, stats),
        get(gateway, 'no.such'),
        get(gateway, 'logs.all', `project=${project}&iso_timestamp_start=x`),
        sendKeyless(gateway, `${path}/${stats}`),
      ]);
      return answers.every(
        ({ headers }) => headers.get('content-type')?.startsWith('application/json') ?? false,
      );
    },
  },
  {
    expects: 'parameters that the query does not declare are ignored',
    check: async (gateway) =>
      same(
        await rows(gateway, stats, `project=${project}&ref=x&project_tier=PRO&__proto__=1`),
        await rows(gateway, stats),
      ),
  },
  {
    expects: 'an empty `function_id` means all functions',
    check: async (gateway) =>
      same(await rows(gateway, stats, `project=${project}&function_id=`), await rows(gateway, stats)),
  },
  {
    expects: 'a missing or unknown interval of `functions.invocation-stats` means `1day`',
    check: async (gateway) => {
      const byDay = await rows(gateway, stats, `project=${project}&interval=1day`);
      const others = ['', '&interval=', '&interval=2hr', '&interval=1DAY'];
      const results = await Promise.all(
        others.map((other) => rows(gateway, stats, `project=${project}${other}`)),
      );
      return results.every((result) => same(result, byDay));
    },
  },
  {
    expects: 'a missing or unknown interval of `usage.api-counts` gives no rows',
    check: async (gateway) =>
      isEmpty(await get(gateway, usage)) &&
      isEmpty(await get(gateway, usage, `project=${project}&interval=2hr`)),
    strict: reasons.value,
  },
  {
    expects: 'a missing project gives no rows',
    check: async (gateway) =>
      isEmpty(await get(gateway, stats, '')) && isEmpty(await get(gateway, 'logs.all', 'project=')),
    strict: reasons.value,
  },
  {
    expects: 'a tier is compared exactly; an unknown one means one day',
    check: async (gateway) => {
      const tier = async (name: string) => {
        const end = new Date(Date.now() - 2 * 86_400_000).toISOString();
        return rows(gateway, 'logs.all', `project=${project}&project_tier=${name}&iso_timestamp_end=${end}`);
      };
      const within7Days = await Promise.all(['PRO', 'PAYG', 'ENTERPRISE'].map(tier));
      const within1Day = await Promise.all(['FREE', 'pro', 'TEAM', ''].map(tier));
      return within7Days.every(({ length }) => length > 0) && within1Day.every(({ length }) => length === 0);
    },
  },
  {
    expects: 'the start of a range is exclusive, its end inclusive; with offsets, as a date, with a space',
    check: async (gateway) => {
      const [newest] = await rows(gateway, 'logs.all');
      const micros = microsOf(newest ?? {});
      const iso = (micro: number, zone = 'Z') =>
        encodeURIComponent(
          `${new Date(Math.floor(micro / 1000)).toISOString().slice(0, 19)}.${String(micro % 1_000_000).padStart(6, '0')}${zone}`,
        );
      const range = (parameters: string) => rows(gateway, 'logs.all', `project=${project}&${parameters}`);
      const ids = async (parameters: string) => (await range(parameters)).map(({ id }) => id);
      const [offset, spaced] = [iso(micros + hour, '+01:00'), iso(micros).replace('T', '%20')];
      return (
        (await ids(`iso_timestamp_end=${iso(micros)}`)).includes(newest?.id) &&
        (await ids(`iso_timestamp_end=${offset}`)).includes(newest?.id) &&
        (await ids(`iso_timestamp_end=${spaced}`)).includes(newest?.id) &&
        !(await ids(`iso_timestamp_start=${iso(micros)}`)).includes(newest?.id) &&
        (await ids(`iso_timestamp_start=${iso(micros - 1)}`)).includes(newest?.id) &&
        (await ids(`iso_timestamp_start=${new Date().getUTCFullYear() - 1}-01-01`)).length > 0
      );
    },
  },
  {
    expects: 'an invalid timestamp: 200 with `error`',
    check: async (gateway) =>
      isFailure(await get(gateway, 'logs.all', `project=${project}&iso_timestamp_start=x`)),
    strict: reasons.value,
  },
  {
    expects: '`sql` is ignored where sandboxing is disabled',
    check: async (gateway) =>
      same(
        await rows(gateway, stats, `project=${project}&sql=${encodeURIComponent('select 1 as x')}`).catch(
          () => undefined,
        ),
        await rows(gateway, stats),
      ),
    strict: 'the rows would not be those of the SQL',
  },
  {
    expects: 'values are percent-decoded, and never become a part of the SQL',
    check: async (gateway) => {
      const encoded = [...project].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');
      const injected = encodeURIComponent(`${project}' or '1'='1`);
      return (
        same(await rows(gateway, stats, `project=${encoded}`), await rows(gateway, stats)) &&
        (await rows(gateway, stats, `project=${injected}`)).length === 0
      );
    },
  },
  {
    expects: 'the last of a repeated parameter counts',
    check: async (gateway) =>
      same(
        (await get(gateway, stats, `project=x&interval=5min&project=${project}&interval=1day`)).body,
        (await get(gateway, stats)).body,
      ),
    strict: reasons.repeated,
  },
  {
    expects: '`logs.all` has `id`, `timestamp`, `event_message` and `metadata`, an array of nested arrays',
    check: async (gateway) =>
      (await rows(gateway, 'logs.all')).every(
        ({ id, timestamp, event_message, metadata }) =>
          typeof id === 'string' &&
          Number.isInteger(timestamp) &&
          typeof event_message === 'string' &&
          Array.isArray(metadata) &&
          metadata.every((one: Cells) => Array.isArray(one.request)),
      ),
  },
  {
    expects: '`logs.all` is newest first, at most 100 rows',
    check: async (gateway) => {
      const result = await rows(gateway, 'logs.all');
      return (
        result.length === 100 &&
        isAscending(
          result.map((row) => -microsOf(row)),
          0,
        )
      );
    },
  },
  {
    expects: 'a result has at most `max_rows` rows',
    check: async (gateway) => {
      const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
      const sql = 'select x from unnest(generate_array(1, 20)) as x order by x';
      writeFileSync(join(folder, 'many.sql'), queryText({ columns: { x: 'integer' }, maxRows: 7, sql }));
      try {
        const { body } = await within(gateway, (of) => of(`${path}/many`), { more: { QUERIES_DIR: folder } });
        return body.result?.length === 7;
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  },
  {
    expects: '`functions.invocation-stats` has eight columns: numbers, and microseconds',
    check: async (gateway) =>
      (await rows(gateway, stats)).every(
        (row) =>
          Object.keys(row).length === 8 && Object.values(row).every(Number.isFinite) && microsOf(row) > 0,
      ),
  },
  {
    expects: 'min ≤ avg ≤ max, p95 ≤ p99 ≤ max',
    check: async (gateway) =>
      (await rows(gateway, stats)).every((row) => {
        const of = (name: string) => Number(row[`${name}_execution_time`]);
        return (
          of('min') <= of('avg') && of('avg') <= of('max') && of('p95') <= of('p99') && of('p99') <= of('max')
        );
      }),
  },
  {
    expects: 'a project is compared exactly',
    check: async (gateway) => {
      const others = [project.toUpperCase(), project.slice(1), `${project}%20`, `%20${project}`];
      const results = await Promise.all(others.map((other) => rows(gateway, stats, `project=${other}`)));
      return results.every(({ length }) => length === 0);
    },
  },
  {
    expects: '`usage.api-counts` has a datetime without zone, and four counts',
    check: async (gateway) =>
      (await rows(gateway, usage, `project=${project}&interval=hourly`)).every(
        ({ timestamp, ...counts }) =>
          /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(String(timestamp)) &&
          Object.keys(counts).length === 4 &&
          Object.values(counts).every(Number.isInteger),
      ),
  },
  {
    expects: 'its project is a regular expression in RE2’s syntax',
    check: async (gateway) => {
      const pattern = encodeURIComponent(`^https://(${project.slice(0, 8)}[a-z]+|x)\\.`);
      const byPattern = await rows(gateway, usage, `project=${pattern}&interval=daily`);
      const byName = await rows(gateway, usage, `project=${project}&interval=daily`);
      // The demo gets live rows, and the window moves: the first and the last bucket change.
      return byName.length > 2 && same(byPattern.slice(1, -1), byName.slice(1, -1));
    },
  },
  {
    expects: 'a record without a URL is not counted, and does no harm',
    check: async (gateway) => {
      const record = (more: object) => ({
        id: 'a',
        timestamp: ago({ minutes: 1 }),
        project: 'p',
        metadata: [{ request: [{ path: '/rest/v1', ...more }] }],
      });
      const edge_logs = [record({}), record({ url: null }), record({ url: 'https://p.example.co/rest/v1' })];
      const { body } = await within(gateway, (of) => of(`${path}/${usage}?project=.&interval=daily`), {
        tables: { edge_logs },
      });
      return same(
        body.result?.map((row) => row.total_rest_requests),
        [1],
      );
    },
  },
  {
    expects: 'the windows and buckets of every interval',
    check: async (gateway) => {
      const of = (name: string, interval: string) =>
        rows(gateway, name, `project=${project}&interval=${interval}`);
      return (
        isWithin(await of(stats, '15min'), 15 * minute, minute) &&
        isWithin(await of(stats, '1hr'), hour, minute) &&
        isWithin(await of(stats, '1day'), day, hour) &&
        isWithin(await of(stats, '7day'), 7 * day, day) &&
        isWithin(await of(usage, 'minutely'), hour, minute) &&
        isWithin(await of(usage, 'hourly'), hour, hour) &&
        isWithin(await of(usage, 'daily'), 7 * day, day)
      );
    },
  },
  {
    expects: 'no rows are `{"result":[]}`',
    check: async (gateway) => isEmpty(await get(gateway, stats, cold())),
  },
  {
    expects: 'a success has no `error`',
    check: async (gateway) => !('error' in (await get(gateway, stats)).body),
  },
  {
    expects: 'a failed query: 200, and `error` is a text',
    check: async (gateway) =>
      isFailure(await get(gateway, usage, 'project=(&interval=daily')) &&
      (await within(gateway, async (of) => isFailure(await of(`${path}/${stats}?project=p`)), {
        options: { engine: failingEngine(failed), clock: systemClock.now },
      })),
    strict: reasons.failure,
  },
  {
    expects: 'a query that takes too long: the same',
    check: (gateway) =>
      within(gateway, async (of) => isFailure(await of(`${path}/${stats}?project=p`)), {
        options: { engine: failingEngine(timeout), clock: systemClock.now },
      }),
    strict: reasons.failure,
  },
  {
    expects: 'a failure is not cached',
    check: (gateway) => {
      const engine = failingEngine(failed);
      return within(
        gateway,
        async (of) => {
          const first = await of(`${path}/${stats}?project=p`);
          engine.failing = false;
          const second = await of(`${path}/${stats}?project=p`);
          return first.body.result === undefined && second.body.result?.length === 1;
        },
        { options: { engine, clock: systemClock.now } },
      );
    },
  },
  {
    expects: 'statuses are 200 for what a query gives, and 401 for what a key may not have',
    check: async (gateway) => {
      const answers = await Promise.all([
        get(gateway, usage),
        get(gateway, usage, 'project=(&interval=daily'),
        get(gateway, 'logs.all', `project=${project}&iso_timestamp_end=x`),
        get(gateway, 'no.such'),
        sendKeyless(gateway, `${path}/${stats}`),
      ]);
      return same(
        answers.map(({ status }) => status),
        [200, 200, 200, 401, 401],
      );
    },
    strict: reasons.failure,
  },
  {
    expects: 'the name and the UUID share one cached result',
    check: async (gateway) => {
      const parameters = cold();
      await get(gateway, stats, parameters);
      return isHit(get(gateway, statsId, parameters));
    },
  },
  {
    expects: 'undeclared parameters are not a part of the cache key',
    check: async (gateway) => {
      const parameters = cold();
      await get(gateway, stats, parameters);
      return isHit(get(gateway, stats, `${parameters}&ref=${parameters}`));
    },
  },
  {
    expects: 'nor is the order of the parameters',
    check: async (gateway) => {
      const parameters = cold();
      await get(gateway, stats, `${parameters}&interval=1hr`);
      return isHit(get(gateway, stats, `interval=1hr&${parameters}`));
    },
  },
  {
    expects: '`logs.all` is not cached',
    check: async (gateway) => {
      await get(gateway, 'logs.all');
      return (await cacheStatus(get(gateway, 'logs.all'))).startsWith('querygate; fwd=bypass');
    },
  },
  {
    expects: 'a result in use is refreshed every 300 seconds in the background',
    check: async () => {
      const results = openTestResults();
      const { clock, engine } = results;
      const first = results.request();
      await clock.pass(100);
      await first;
      await clock.pass(301_000);
      const { cacheStatus, document } = await results.request();
      await results.close();
      return (
        cacheStatus === 'HIT' && engine.runs === 2 && clock.now().getTime() - document.computedAt < 300_000
      );
    },
  },
  {
    expects: 'a result is cached for 900 seconds',
    check: async (gateway) => {
      const parameters = cold();
      await get(gateway, stats, parameters);
      const [, ttl] = /ttl=(\d+)/.exec(await cacheStatus(get(gateway, stats, parameters))) ?? [];
      return Number(ttl) > 800 && Number(ttl) <= 900;
    },
  },
  {
    expects: 'equal requests at the same time are one run',
    check: async (gateway) => {
      const parameters = `${cold()}&interval=7day`;
      const statuses = await Promise.all(
        Array.from({ length: 12 }, () => cacheStatus(get(gateway, stats, parameters))),
      );
      return (
        statuses.filter((status) => status.includes('fwd=miss') && !status.includes('collapsed')).length === 1
      );
    },
  },
  {
    expects: 'a failed refresh leaves the cached result in use until it expires',
    check: async () => {
      const results = openTestResults();
      const { clock, engine } = results;
      const first = results.request();
      await clock.pass(100);
      await first;
      engine.failing = true;
      await clock.pass(600_000);
      const { cacheStatus } = await results.request();
      await results.close();
      return cacheStatus === 'HIT' && engine.runs > 2;
    },
  },
  {
    expects: 'a changed definition has no cached results',
    check: async () => {
      const keyOf = (sql: string) =>
        cacheKey(bind(draftQuery({ columns: { x: 'integer' }, sql }), new Map()));
      return (
        keyOf('select 1 as x') !== keyOf('select 2 as x') &&
        keyOf('select 1 as x') === keyOf(['select 1', 'x'].join(' as '))
      );
    },
  },
  {
    expects: 'the key is checked before the cache',
    check: async (gateway) => {
      const parameters = cold();
      await get(gateway, stats, parameters);
      return (await sendKeyless(gateway, `${path}/${stats}?${parameters}`)).status === 401;
    },
  },
  {
    expects: 'other ways to the same query share its cached result (here: GraphQL)',
    check: async (gateway) => {
      const [, name = ''] = cold().split('=');
      await get(gateway, stats, `project=${name}`);
      const body = JSON.stringify({
        query: `{ functionsInvocationStats(project: "${name}") { cacheStatus } }`,
      });
      const headers = { 'x-api-key': gateway.key, 'content-type': 'application/json' };
      const response = await fetch(`${gateway.origin}/graphql`, { method: 'POST', headers, body });
      return same(await response.json(), { data: { functionsInvocationStats: { cacheStatus: 'HIT' } } });
    },
  },
  {
    expects: 'Studio shows a text for a 401: `error.message`, else the text of the status',
    check: async (gateway) => {
      const response = await fetch(`${gateway.origin}${path}/${stats}`);
      const { error } = (await response.json()) as { error?: { message?: string } };
      return (error?.message ?? response.statusText) !== '';
    },
  },
  {
    expects: 'Studio fills the gaps of a series: timestamps are distinct, ascending, and dates to it',
    check: async (gateway) => {
      const series = [
        await rows(gateway, stats, `project=${project}&interval=15min`),
        await rows(gateway, usage, `project=${project}&interval=daily`),
      ];
      return series.every((result) => isAscending(result.map(microsOf)));
    },
  },
  {
    expects: 'Studio takes a timestamp of 16 digits for microseconds',
    check: async (gateway) =>
      [...(await rows(gateway, stats)), ...(await rows(gateway, 'logs.all'))].every(
        ({ timestamp }) => String(timestamp).length === 16 && !Number.isNaN(Number(timestamp)),
      ),
  },
  {
    expects: 'Studio adds up the counts: they are numbers',
    check: async (gateway) => {
      const result = await rows(gateway, usage, `project=${project}&interval=daily`);
      const sum = result.reduce((total, row) => total + (row.total_rest_requests as number), 0);
      return Number.isInteger(sum) && sum > 0;
    },
  },
  {
    expects: 'the Postgres wrapper reads integers from JSON integers, and NULL from an absent key',
    check: async (gateway) => {
      const result = [...(await rows(gateway, stats)), ...(await rows(gateway, 'logs.all'))];
      const areCounts = (await rows(gateway, stats)).every(({ count }) => Number.isInteger(count));
      return areCounts && result.every((row) => !Object.values(row).includes(null));
    },
  },
];
