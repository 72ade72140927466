import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { StartError } from '../../../src/errors.ts';
import type { KeySource, Verified } from '../../../src/keys/key-source.ts';
import { type Principal, unrestricted } from '../../../src/keys/principal.ts';
import { keyFile } from '../../../src/exports/keys.ts';
import { updateFile } from '../../../src/keys/file/update-file.ts';
import { writeKeyFile } from '../../support/key-files.ts';
import { type LiveGateway, openLiveGateway } from '../../support/live-gateway.ts';
import { queryText, uuidOf } from '../../support/query-folder.ts';
import { type EventReader, readEvents } from '../../support/read-events.ts';

const accept = { accept: 'text/event-stream' };

const tenantQuery = (comment = '') =>
  queryText({
    id: uuidOf(1),
    header:
      'live: 5s\nparameters:\n  project: { type: string, required: true, tenant: true, description: P. }\n',
    caching: '60s',
    sql: `SELECT 1 AS n FROM UNNEST([@project]) AS p WHERE p = @project ${comment}`,
  });

const path = (project: string) => `/api/endpoints/query/rows?project=${project}`;

/** Keys whose rights the test changes. */
function changingKeys() {
  const principals = new Map<string, Principal>();
  const expired = new Set<string>();
  const source: KeySource = {
    isUnlimited: true,
    open: () => ({
      find: (text = '') => (expired.has(text) ? undefined : principals.get(text)),
      explain: (text) => (expired.has(text) ? { reason: 'expired' } : undefined),
    }),
  };
  return { source, principals, expired };
}

const bound = (id: string, ...tenants: string[]): Principal => ({
  ...unrestricted(id),
  tenants: new Set(tenants),
});

const codeOf = ({ data = '{}' }: { readonly data?: string } = {}) =>
  (JSON.parse(data) as { readonly code?: string }).code;

describe('the rights of a stream while it lasts', () => {
  let live: LiveGateway;
  afterEach(() => live.close());
  const open = async () => {
    const { source, principals } = changingKeys();
    live = await openLiveGateway({ queries: { 'rows.sql': tenantQuery() }, keys: source });
    return principals;
  };
  const follow = async (key: string, project: string) =>
    readEvents(await live.get(path(project), { ...accept, 'x-api-key': key }));
  const isEnded = async (events: EventReader, code: string) => {
    expect(codeOf(await events.next())).toBe(code);
    expect(await events.next()).toBeUndefined();
  };

  test('a key that is gone ends its streams within a second, and no others', async () => {
    const principals = await open();
    principals.set('ann', bound('ann', 'a')).set('bob', bound('bob', 'a'));
    const [anns, bobs] = [await follow('ann', 'a'), await follow('bob', 'a')];
    for (const one of [anns, bobs]) await one.next();
    principals.delete('ann');
    live.setRows(['{"n":2}']);
    await live.clock.pass(1_000);
    await isEnded(anns, 'KEY_REVOKED');
    await live.clock.pass(5_000);
    expect(await bobs.next()).toMatchObject({ event: 'next', data: '{"result":[{"n":2}]}' });
    await bobs.cancel();
  });

  test('a key that may read fewer tenants loses the streams of the others', async () => {
    const principals = await open();
    principals.set('ann', bound('ann', 'a', 'b'));
    const [ofA, ofB] = [await follow('ann', 'a'), await follow('ann', 'b')];
    for (const one of [ofA, ofB]) await one.next();
    principals.set('ann', bound('ann', 'b'));
    await live.clock.pass(1_000);
    await isEnded(ofA, 'KEY_REVOKED');
    expect(ofB.arrived().filter((one) => one !== ':')).toEqual([]);
    principals.set('ann', { ...bound('ann', 'b'), endpoints: new Set() });
    await live.clock.pass(1_000);
    await isEnded(ofB, 'KEY_REVOKED');
  });

  test('a key of a file that is revoked, narrowed or expires ends its streams', async () => {
    const expires = new Date('2026-03-10T12:10:00Z').toISOString();
    const keys = writeKeyFile({ gone: {}, narrowed: { tenants: ['a', 'b'] }, expiring: { expires } });
    live = await openLiveGateway({
      queries: { 'rows.sql': tenantQuery() },
      keys: keyFile(keys.path, { acceptsCutFile: true }),
    });
    const streams = await Promise.all(
      ['gone', 'narrowed', 'expiring'].map((name) => follow(keys.keyOf(name), 'a')),
    );
    for (const one of streams) await one.next();
    await updateFile(keys.path, (text) => {
      const file = JSON.parse(text);
      const of = (name: string) => file.keys.find((key: { name: string }) => key.name === name);
      of('gone').revoked = '2026-03-10T12:00:00Z';
      of('narrowed').tenants = ['b'];
      return { text: JSON.stringify(file), result: undefined };
    });
    const isLoaded = () => live.logged.some(({ msg }) => msg === 'key file loaded');
    while (!isLoaded()) await new Promise((resolve) => setTimeout(resolve, 10));
    await live.clock.pass(200);
    const [gone, narrowed, expiring] = streams as [EventReader, EventReader, EventReader];
    await isEnded(gone, 'KEY_REVOKED');
    await isEnded(narrowed, 'KEY_REVOKED');
    await live.clock.pass(600_000);
    const ends = expiring.arrived().filter((one) => one !== ':' && one.event === 'end');
    expect(ends.map((one) => (one === ':' ? '' : codeOf(one)))).toEqual(['TOKEN_EXPIRED']);
    keys.remove();
  });

  test('a source that fails ends the streams', async () => {
    const { source } = changingKeys();
    let isFailing = false;
    const failing: KeySource = {
      ...source,
      open: () => ({
        find() {
          if (isFailing) throw new StartError('no database', []);
          return unrestricted('ann');
        },
      }),
    };
    live = await openLiveGateway({ queries: { 'rows.sql': tenantQuery() }, keys: failing });
    const events = await follow('ann', 'a');
    await events.next();
    isFailing = true;
    await live.clock.pass(1_000);
    await isEnded(events, 'SHUTTING_DOWN');
  });

  test('a function that takes its time is asked every ten seconds', async () => {
    let asked = 0;
    let isKnown = true;
    live = await openLiveGateway({
      queries: { 'rows.sql': tenantQuery() },
      keys: async () => {
        asked += 1;
        return isKnown ? { id: 'ann' } : undefined;
      },
    });
    const events = await follow('ann', 'a');
    await events.next();
    isKnown = false;
    await live.clock.pass(1_000);
    expect(asked).toBeLessThan(4);
    await events.cancel();
  });

  test('one query of several that a key loses gets no event after its end', async () => {
    const { source, principals } = changingKeys();
    let version = 0;
    live = await openLiveGateway({
      queries: { 'rows.sql': tenantQuery() },
      keys: source,
      rowsOf: () => [`{"n":${version}}`],
    });
    principals.set('ann', bound('ann', 'a', 'b')).set('bob', bound('bob', 'a', 'b'));
    const query = (id: string) => ({ id, query: 'rows', parameters: { project: id } });
    const response = await live.post('/api/live', [query('a'), query('b')], { 'x-api-key': 'ann' });
    const events = readEvents(response);
    for (let at = 0; at < 2; at += 1) await events.next();
    principals.set('ann', bound('ann', 'b'));
    version = 1;
    // A check of rights holds for five milliseconds.
    await new Promise((resolve) => setTimeout(resolve, 10));
    for (const project of ['a', 'b'])
      await live.get(path(project), { 'x-api-key': 'bob', 'cache-control': 'no-cache' });
    await live.clock.pass(100);
    const told = events
      .arrived()
      .map((one) => (one === ':' ? one : [one.event, JSON.parse(one.data ?? '').id]));
    expect(told).toEqual([
      ['end', 'a'],
      ['next', 'b'],
    ]);
    await events.cancel();
  });

  test('a key that is being verified gets its event afterwards, and the gateway serves others meanwhile', async () => {
    let verified: Promise<Verified> | undefined;
    const ann = unrestricted('ann');
    const source: KeySource = {
      isUnlimited: true,
      open: () => ({ find: (text) => (text === 'ann' ? (verified ?? ann) : unrestricted('bob')) }),
    };
    live = await openLiveGateway({ queries: { 'rows.sql': tenantQuery() }, keys: source });
    const events = await follow('ann', 'a');
    await events.next();
    const { promise, resolve } = Promise.withResolvers<Verified>();
    verified = promise;
    live.setRows(['{"n":2}']);
    await live.clock.pass(5_250);
    expect(events.arrived().filter((one) => one !== ':')).toEqual([]);
    expect((await live.get(path('a'), { 'x-api-key': 'bob' })).status).toBe(200);
    verified = undefined;
    resolve({ principal: ann });
    await live.clock.pass(100);
    expect(await events.next()).toMatchObject({ data: '{"result":[{"n":2}]}' });
    await events.cancel();
  });
});

describe('rights that change in any order', () => {
  /** What happens. */
  const step = fc.oneof(
    fc.record({ kind: fc.constant('rows' as const) }),
    fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 6_000 }) }),
    fc.record({ kind: fc.constant('revoke' as const), key: fc.nat(2) }),
    fc.record({ kind: fc.constant('expire' as const), key: fc.nat(2) }),
    fc.record({ kind: fc.constant('narrow' as const), key: fc.nat(2), tenant: fc.constantFrom('a', 'b') }),
    fc.record({ kind: fc.constant('follow' as const), key: fc.nat(2), tenant: fc.constantFrom('a', 'b') }),
    fc.record({ kind: fc.constant('reload' as const) }),
    fc.record({ kind: fc.constant('remove' as const) }),
  );

  test('no interleaving sends an event after the end, or a row of another tenant', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const { source, principals, expired } = changingKeys();
        let version = 0;
        let reloads = 0;
        let isServed = true;
        const other = { 'other.sql': queryText({ id: uuidOf(2) }) };
        const gateway = await openLiveGateway({
          queries: { 'rows.sql': tenantQuery(), ...other },
          keys: source,
          rowsOf: ({ project = '' }) => [`{"n":${version},"project":${JSON.stringify(project)}}`],
        });
        const names = ['ann', 'bob', 'cyd'];
        for (const name of names) principals.set(name, bound(name, 'a', 'b'));
        const opened: { key: string; tenant: string; events: EventReader; codes: Set<string> }[] = [];
        const mayFollow = (key: string, tenant: string) =>
          !expired.has(key) && (principals.get(key)?.tenants?.has(tenant) ?? false);
        /** Why streams may end now: those of other tenants, too, if a key loses one in between. */
        const note = (code: string, isOf: (key: string) => boolean) => {
          for (const { key, codes } of opened) if (isOf(key)) codes.add(code);
        };
        for (const one of steps) {
          const key = 'key' in one ? (names[one.key] ?? '') : '';
          if (one.kind === 'rows') version += 1;
          else if (one.kind === 'pass') await gateway.clock.pass(one.ms);
          else if (one.kind === 'revoke') {
            principals.delete(key);
            note('KEY_REVOKED', (of) => of === key);
          } else if (one.kind === 'expire') {
            expired.add(key);
            note('TOKEN_EXPIRED', (of) => of === key);
          } else if (one.kind === 'narrow') {
            principals.set(key, bound(key, one.tenant));
            note('KEY_REVOKED', (of) => of === key);
          } else if (one.kind === 'reload' || one.kind === 'remove') {
            reloads += 1;
            isServed = one.kind === 'reload';
            const served = isServed ? { 'rows.sql': tenantQuery(`-- ${reloads}`) } : {};
            await gateway.setQueries({
              ...served,
              ...other,
              [`more-${reloads}.sql`]: queryText({ id: uuidOf(3) }),
            });
            note('QUERY_CHANGED', () => true);
          } else {
            const response = await gateway.get(path(one.tenant), { ...accept, 'x-api-key': key });
            expect(response.status === 200).toBe(isServed && mayFollow(key, one.tenant));
            if (response.status !== 200) continue;
            opened.push({ key, tenant: one.tenant, events: readEvents(response), codes: new Set() });
          }
        }
        await gateway.clock.pass(1_000);
        for (const { key, tenant, events, codes } of opened) {
          const all = events.arrived().filter((event) => event !== ':');
          const end = all.findIndex(({ event }) => event === 'end');
          expect(end).toBeOneOf([-1, all.length - 1]);
          if (!mayFollow(key, tenant) || codes.has('QUERY_CHANGED')) expect(end).toBe(all.length - 1);
          if (end >= 0) expect([...codes]).toContain(codeOf(all[end]));
          for (const { event, data = '' } of all)
            if (event === 'next') expect(data).toContain(`"project":"${tenant}"`);
          await events.cancel();
        }
        await gateway.close();
      }),
      { numRuns: Number(process.env.LIVE_RUNS ?? 30) },
    );
  });
});
