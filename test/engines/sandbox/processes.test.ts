import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Owner } from '../../../src/concurrency/fair-share.ts';
import type { StoppedSql } from '../../../src/engine-contract/engine.ts';
import { GatewayError } from '../../../src/errors.ts';
import { openWorld, type World } from './world.ts';

/** Texts that end the process of their sandbox, or have to be stopped. */
const tooMuchMemory = `select count(distinct concat(repeat('x', 900000), cast(i as string))) as n from unnest(generate_array(1, 20000)) as i`;
const endless =
  'select count(*) as n from unnest(generate_array(1, 100000)) as a, unnest(generate_array(1, 100000)) as b where mod(a * b, 7) = 3';

let world: World;
const stopped: StoppedSql[] = [];
beforeAll(async () => {
  world = await openWorld({
    others: true,
    isolate: true,
    timeoutMs: 60_000,
    sandbox: { memoryBytes: 200_000_000, processorMs: 1_000 },
    events: { sqlStopped: (one) => void stopped.push(one) },
  });
});
afterAll(() => world.close());

const run = async (
  sql: string,
  owner: Owner,
  signal = new AbortController().signal,
  query = world.query,
  { engine } = world,
) => {
  try {
    const { rows } = await engine.run(
      { query, parameters: { tenant: 'mine', kind: '' }, sql },
      { signal, owner },
    );
    return `[${rows.join(',')}]`;
  } catch (error) {
    if (error instanceof GatewayError) return `${error.code} ${error.message}`;
    throw error;
  }
};
const count = 'select count(*) as n from logs';

test('a process runs texts of several saved queries, each over the common tables of its own', async () => {
  for (let at = 0; at < 2; at += 1) {
    expect(await run('select max(id) as n from logs', 'one')).toBe('[{"n":4}]');
    expect(await run('select max(tenfold) as n from logs', 'one', undefined, world.otherQuery)).toBe(
      '[{"n":40}]',
    );
  }
});

test('a text may use some processor time, and memory, and no more; others go on', async () => {
  const [slow, large, quick] = await Promise.all([
    run(endless, 'one'),
    run(tooMuchMemory, 'two'),
    run(count, 'three'),
  ]);
  expect(slow).toBe(
    'QUERY_TOO_EXPENSIVE sql: takes more than 1 s of processor time; ask for fewer rows, or a shorter time',
  );
  expect(large).toMatch(/^(?:ENGINE_FAILED The query needs more memory|QUERY_TOO_EXPENSIVE sql: takes more)/);
  expect(quick).toBe('[{"n":4}]');
  expect(await run(count, 'one')).toBe('[{"n":4}]');
}, 120_000);

test('the rows that a text reads may have some size', async () => {
  const small = await openWorld({
    others: true,
    isolate: true,
    timeoutMs: 60_000,
    sandbox: { diskBytes: 700 },
  });
  expect(await small.run('select count(*) as n from projects')).toBe('[{"n":2}]');
  expect(await small.run('select * from logs')).toBe(
    'QUERY_TOO_EXPENSIVE sql: reads more than 700 bytes of rows; select fewer columns, or a shorter time',
  );
  await small.close();
});

test('a key whose texts had to be stopped three times sends none for a while; other keys do', async () => {
  stopped.length = 0;
  for (let at = 0; at < 3; at += 1) expect(await run(endless, 'attacker')).toMatch(/^QUERY_TOO_EXPENSIVE/);
  expect(await run(count, 'attacker')).toMatch(
    /^RATE_LIMITED sql: 3 texts of this key had to be stopped .* the permission sql rests for \d+ s$/,
  );
  expect(await run(count, 'another key')).toBe('[{"n":4}]');
  expect(stopped.map(({ owner, endpoint, reason, rests }) => ({ owner, endpoint, reason, rests }))).toEqual(
    [false, false, true].map((rests) => ({
      ...{ owner: 'attacker', endpoint: 'rows', reason: 'processor time', rests },
    })),
  );
  expect(stopped[0]?.sqlSha256).toMatch(/^[0-9a-f]{64}$/);
}, 120_000);

test('a text whose caller has gone ends', async () => {
  const abort = new AbortController();
  const running = run(endless, 'gone', abort.signal);
  setTimeout(() => abort.abort(), 200);
  expect(await running).toMatch(/^CANCELLED /);
  expect(await run(count, 'gone')).toBe('[{"n":4}]');
}, 120_000);

test('many keys of some tenants with endless texts do not keep others from their turn', async () => {
  const patient = await openWorld({ others: true, isolate: true, timeoutMs: 60_000 });
  const leaving = new AbortController();
  const runIn = (sql: string, owner: Owner) => run(sql, owner, leaving.signal, patient.query, patient);
  const hostile = ['a', 'b', 'c'].flatMap((group) =>
    ['1', '2', '3'].map((key) => runIn(endless, { group, key: `${group}${key}` })),
  );
  // None of these ends before the second and the third of those.
  for (const owner of ['one', 'two', 'three'])
    expect(await Promise.race([...hostile, runIn(count, owner)])).toBe('[{"n":4}]');
  leaving.abort();
  expect(new Set((await Promise.all(hostile)).map((text) => text.split(' ')[0]))).toEqual(
    new Set(['CANCELLED']),
  );
  expect(await run(count, 'one', undefined, patient.query, patient)).toBe('[{"n":4}]');
  await patient.close();
}, 120_000);
