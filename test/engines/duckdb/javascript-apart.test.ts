import { afterAll, beforeAll, expect, test } from 'vitest';
import { queueFull } from '../../../src/engine-contract/engine-errors.ts';
import { JavascriptApart } from '../../../src/engines/duckdb/javascript/javascript-apart.ts';
import { openDatabase } from '../../../src/engines/duckdb/open-database.ts';
import { openWorker } from '../../../src/engines/duckdb/run/worker.ts';
import { type FolderApp, openFolderApp } from '../../support/folder-app.ts';
import { isNightly } from '../../support/nightly.ts';
import { queryText } from '../../support/query-folder.ts';

const header = `parameters:
  x: { type: integer, description: a number, required: true, bind: INT64 }
`;

/** Takes some microseconds for each call: thousands of them are computed apart. */
const work = 'let y = 0; for (let i = 0; i < 100; i += 1) y += i % 7; if (y < 0) return null;';
const count = 20_000;
const numbers = `FROM UNNEST(GENERATE_ARRAY(1, ${count})) AS n`;
const define = (signature: string, code: string) =>
  `CREATE TEMP FUNCTION ${signature} RETURNS FLOAT64 LANGUAGE js AS r'''${code}''';`;
const plus = define('plus(x FLOAT64)', `${work} return x + 1;`);
const twice = define('twice(x FLOAT64)', `${work} return x * 2;`);
/** Fails for NULL, which no call has in the end. */
const strict = define('strict(x FLOAT64)', `${work} if (x === null) throw new Error("null"); return x + 1;`);
/** Functions that do not end have seconds of processor time, for which a busy machine takes longer. */
const busyMs = 120_000;

const sum = count * (count + 1);
const digits = Array.from({ length: count }, (_, at) => String(at + 1).length).reduce((a, b) => a + b);

/** What each gives for x = 0. */
const queries: Readonly<Record<string, readonly [sql: string, y: number]>> = {
  sum: [`${plus} SELECT SUM(plus(n + @x)) AS y ${numbers}`, sum / 2 + count],
  'of.another': [`${strict}${twice} SELECT SUM(strict(twice(n + @x))) AS y ${numbers}`, sum + count],
  'of.itself': [`${plus} SELECT SUM(plus(plus(plus(n + @x)))) AS y ${numbers}`, sum / 2 + 3 * count],
  strictly: [`${strict} SELECT SUM(strict(strict(n + @x))) AS y ${numbers}`, sum / 2 + 2 * count],
  filter: [`${twice} SELECT COUNT(*) AS y ${numbers} WHERE twice(n + @x) > ${count}`, count / 2],
  negated: [`${twice} SELECT COUNT(*) AS y ${numbers} WHERE NOT twice(n + @x) > ${count}`, count / 2],
  branches: [
    `${define('never(x FLOAT64)', 'throw new Error("called");')}${twice}
      SELECT SUM(IF(twice(n + @x) > 0, n, never(n))) AS y ${numbers}`,
    sum / 2,
  ],
  'no.error': [`${twice} SELECT SUM(IFNULL(SAFE_DIVIDE(n, twice(n + @x)), 7)) AS y ${numbers}`, count / 2],
  'each.time': [
    `CREATE TEMP FUNCTION id(x FLOAT64) RETURNS FLOAT64 NOT DETERMINISTIC LANGUAGE js AS r'''
      globalThis.n = (globalThis.n || 0) + 1; ${work} return globalThis.n;''';
      SELECT COUNT(DISTINCT id(MOD(n, 3) + @x)) AS y ${numbers}`,
    count,
  ],
  random: [
    `${define('light(x FLOAT64)', 'return x + 1;')} SELECT COUNTIF(light(RAND() + @x) >= 1) AS y ${numbers} WHERE n <= 5000`,
    5_000,
  ],
  texts: [
    `CREATE TEMP FUNCTION long(x FLOAT64) RETURNS STRING LANGUAGE js AS r'''${work} return "é".repeat(1000) + x;''';
      SELECT SUM(LENGTH(long(n + @x))) AS y ${numbers}`,
    1_000 * count + digits,
  ],
  aggregate: [
    `CREATE TEMP AGGREGATE FUNCTION total(x FLOAT64) RETURNS FLOAT64 LANGUAGE js AS r'''
      export function initialState() { return { sum: 0 }; }
      export function aggregate(state, x) { ${work} state.sum += x; }
      export function merge(state, other) { state.sum += other.sum; }
      export function finalize(state) { return state.sum; }''';
      SELECT total(n + @x) AS y ${numbers}`,
    sum / 2,
  ],
  quick: ['SELECT @x + 1 AS y', 1],
  spin: [`${define('spin(x FLOAT64)', 'for (;;) x += 1;')} SELECT spin(@x) AS y`, 0],
  'spin.once': [
    `${define('spin(x FLOAT64)', 'while (x === 3900) {} return 1;')} SELECT SUM(spin(n + @x)) AS y ${numbers}`,
    0,
  ],
};

let gateway: FolderApp;
beforeAll(async () => {
  const files = Object.entries(queries).map(([name, [sql]], at) => {
    const id = `11111111-2222-4333-8444-${String(at).padStart(12, '0')}`;
    const text = queryText({ id, header, sql }).replace('n: { type: integer', 'y: { type: float');
    return [`${name}.sql`, text] as const;
  });
  gateway = await openFolderApp(Object.fromEntries(files), {
    env: { STALE_IF_ERROR: '0s', ENGINE_TIMEOUT_MS: String(busyMs) },
  });
});
afterAll(() => gateway.close());

const get = async (address: string) => {
  const response = await gateway.get(address);
  return { status: response.status, body: (await response.json()) as unknown };
};

/** What they show differs little from what the others show. */
const ofNights = ['of.another', 'of.itself', 'negated', 'random', 'no.error'];

test.each(
  Object.entries(queries).filter(
    ([name]) => !name.startsWith('spin') && (isNightly || !ofNights.includes(name)),
  ),
)('what is computed apart gives the same: %s', async (name, [, y]) => {
  expect(await get(`${name}?x=0`)).toEqual({ status: 200, body: { result: [{ y }] } });
});

test(
  'functions that do not end are stopped, and others give their results',
  async () => {
    const spins = [0, 1].map((x) => get(`${x === 0 ? 'spin' : 'spin.once'}?x=${x}`));
    expect(await get('quick?x=10')).toMatchObject({ status: 200 });
    for (const { status, body } of await Promise.all(spins)) {
      expect(status).toBe(422);
      expect(body).toMatchObject({ error: { code: 'QUERY_TOO_EXPENSIVE' } });
    }
    expect(await get('sum?x=1')).toMatchObject({ status: 200 });
  },
  busyMs,
);

test('a full queue refuses a run whose functions were computed, and they are not computed again', async () => {
  const javascript = new JavascriptApart(10);
  let runs = 0;
  const outcome = javascript.run({ owner: 'a', signal: new AbortController().signal }, async ({ apart }) => {
    runs += 1;
    if (runs > 1) throw queueFull();
    const definition = { name: 'f', parameters: [], returns: 'FLOAT64', code: 'return 1' };
    // It throws, as for any single call.
    apart?.miss({ definition: JSON.stringify(definition), texts: [], isOnce: true }, ['[]']);
  });
  await expect(outcome).rejects.toMatchObject({ code: 'ENGINE_BUSY' });
  expect(runs).toBe(2);
  await javascript.close();
});

/** Computes functions apart, with a call that does not end. */
const openSpinning = async () => {
  const database = await openDatabase({ threads: 1, memoryLimit: '1GB' });
  const worker = openWorker(await database.connect(), database.hostWorks);
  const javascript = new JavascriptApart(10);
  const { signal } = new AbortController();
  const definition = { name: 'f', parameters: [], returns: 'FLOAT64', code: 'for (;;);' };
  const sql = `SELECT host_javascript('${JSON.stringify(definition)}', '[]')`;
  return {
    spin: (owner: string) =>
      javascript.run({ owner, signal }, async (work) => {
        worker.beginWork(work);
        try {
          return await worker.runOnce(sql, new Map());
        } finally {
          await worker.release();
        }
      }),
    async close() {
      await javascript.close();
      database.close();
    },
  };
};

test(
  'the event loop of the engine goes on while functions are computed',
  async () => {
    const { spin, close } = await openSpinning();
    const turns = async (owner: string) => {
      let count = 0;
      const running = spin(owner);
      const counting = setInterval(() => {
        count += 1;
      }, 10);
      await expect(running).rejects.toThrow('functions in JavaScript take longer');
      clearInterval(counting);
      return count;
    };
    // It is computed for two seconds; without turns, there would be one or two.
    expect(await turns('a')).toBeGreaterThan(20);
    await close();
  },
  busyMs,
);

test(
  'functions are computed again once processes can be started',
  async () => {
    const { spin, close } = await openSpinning();
    const { execPath } = process;
    // It is refused, as for lack of file descriptors.
    process.execPath = '\0';
    try {
      for (const owner of ['a', 'b', 'c', 'd']) await expect(spin(owner)).rejects.toThrow('null bytes');
    } finally {
      process.execPath = execPath;
    }
    await expect(spin('a')).rejects.toThrow('functions in JavaScript take longer');
    await close();
  },
  busyMs,
);
