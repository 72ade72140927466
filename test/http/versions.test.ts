import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type FolderApp, openFolderApp } from '../support/folder-app.ts';
import { writeKeyFile } from '../support/key-files.ts';
import { queryText, uuidOf } from '../support/query-folder.ts';

let gateway: FolderApp;
afterEach(() => gateway.close());

const version = (number: number, header = '', more: { id?: string } = {}) =>
  queryText({ id: uuidOf(number), sql: `SELECT ${number} AS n`, header, ...more });
const deprecated =
  'deprecated: { since: 2026-11-01, sunset: 2027-03-01, reason: It counts twice, successor: orders@2 }\n';

const rows = async (address: string, key?: string) => {
  const response = await gateway.get(address, key === undefined ? {} : { key });
  const { result } = (await response.json()) as { result?: readonly { n: number }[] };
  return result?.[0]?.n ?? response.status;
};

describe('versions in REST', () => {
  test('a name, a number, a UUID and both spellings of @ reach their version, in every format', async () => {
    gateway = await openFolderApp({ 'orders.sql': version(1), 'orders@2.sql': version(2) });
    const addresses = ['orders', 'orders@1', 'orders%401', 'orders@2', 'orders%402', uuidOf(1), uuidOf(2)];
    expect(await Promise.all(addresses.map((address) => rows(address)))).toEqual([1, 1, 1, 2, 2, 1, 2]);
    expect(await (await gateway.get('orders@2.csv')).text()).toBe('n\r\n2\r\n');
    expect(await (await gateway.get('orders%402.csv')).text()).toBe('n\r\n2\r\n');
    expect((await gateway.get('orders@2.csv')).headers.get('content-disposition')).toMatch(
      /filename="orders@2-\S+\.csv"/,
    );
    expect(
      await Promise.all(['orders@3', 'orders@0', 'orders@02', 'orders@'].map((one) => rows(one))),
    ).toEqual([404, 404, 404, 404]);
  });

  test('a deprecated version says so, in every format and when nothing has changed', async () => {
    gateway = await openFolderApp({ 'orders.sql': version(1, deprecated), 'orders@2.sql': version(2) });
    const expected = {
      deprecation: `@${Date.UTC(2026, 10, 1) / 1000}`,
      sunset: 'Mon, 01 Mar 2027 00:00:00 GMT',
      link: '<orders@2>; rel="successor-version"',
    };
    const first = await gateway.get('orders');
    const etag = first.headers.get('etag') ?? '';
    const replies = [
      first,
      await gateway.get('orders'),
      await gateway.get('orders@1'),
      await gateway.get('orders.csv'),
      await gateway.get('orders', { headers: { 'if-none-match': etag } }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 304]);
    for (const { headers } of replies) expect(Object.fromEntries(headers)).toMatchObject(expected);
    const other = Object.fromEntries((await gateway.get('orders@2')).headers);
    for (const name of Object.keys(expected)) expect(other).not.toHaveProperty(name);
  });
});

describe('versions in GraphQL', () => {
  test('each has a field, and the name has that of the default', async () => {
    gateway = await openFolderApp({
      'orders.sql': version(1, deprecated),
      'orders@2.sql': version(2, 'default: true\n'),
    });
    const { data } = await gateway.graphql(
      '{ orders { rows { n } } ordersV1 { rows { n } } ordersV2 { rows { n } __typename } }',
    );
    expect(data).toEqual({
      orders: { rows: [{ n: 2 }] },
      ordersV1: { rows: [{ n: 1 }] },
      ordersV2: { rows: [{ n: 2 }], __typename: 'OrdersV2Result' },
    });
    const { data: catalog } = await gateway.graphql(`{
      endpoint(name: "orders") { name field version isDefault deprecated { since }
        versions { name field version isDefault deprecated { since sunset reason successor } } }
      __type(name: "Query") { fields(includeDeprecated: true) { name isDeprecated deprecationReason } }
    }`);
    expect(catalog?.endpoint).toEqual({
      name: 'orders@2',
      field: 'orders',
      version: 2,
      isDefault: true,
      deprecated: null,
      versions: [
        {
          name: 'orders',
          field: 'ordersV1',
          version: 1,
          isDefault: false,
          deprecated: {
            since: '2026-11-01',
            sunset: '2027-03-01',
            reason: 'It counts twice',
            successor: 'orders@2',
          },
        },
        { name: 'orders@2', field: 'orders', version: 2, isDefault: true, deprecated: null },
      ],
    });
    const { fields = [] } = (catalog?.__type ?? {}) as {
      fields?: { name: string; deprecationReason: string | null }[];
    };
    expect(fields.map(({ name, deprecationReason }) => [name, deprecationReason])).toEqual(
      expect.arrayContaining([
        ['orders', null],
        ['ordersV2', null],
        ['ordersV1', 'Since 2026-11-01, until 2027-03-01. It counts twice. Use orders.'],
      ]),
    );
  });
});

describe('versions and keys', () => {
  test('a key for the name has every version, one for a number only that one', async () => {
    const keys = writeKeyFile({
      all: { endpoints: ['orders'] },
      first: { endpoints: ['orders@1'] },
      second: { endpoints: [uuidOf(2)] },
      other: { endpoints: ['clients'] },
    });
    const files = {
      'orders.sql': version(1),
      'orders@2.sql': version(2, 'default: true\n'),
      'clients.sql': version(3),
    };
    gateway = await openFolderApp(files, {
      env: { API_KEYS_FILE: keys.path },
      options: { hideEndpoints: 'off' },
    });
    const addresses = ['orders', 'orders@1', 'orders@2', 'clients'];
    const seen = (name: string) => Promise.all(addresses.map((one) => rows(one, keys.keyOf(name))));
    expect(await seen('all')).toEqual([2, 1, 2, 403]);
    expect(await seen('first')).toEqual([403, 1, 403, 403]);
    expect(await seen('second')).toEqual([2, 403, 2, 403]);
    expect(await seen('other')).toEqual([403, 403, 403, 3]);

    const fieldsOf = async (name: string) => {
      const query = '{ __type(name: "Query") { fields { name } } endpoints { name versions { name } } }';
      const { data } = await gateway.graphql(query, keys.keyOf(name));
      const { fields = [] } = (data?.__type ?? {}) as { fields?: { name: string }[] };
      return [fields.map((field) => field.name).filter((one) => one.startsWith('orders')), data?.endpoints];
    };
    // The name is that of version 2 also for a key that does not see it.
    expect(await fieldsOf('first')).toEqual([
      ['ordersV1'],
      [{ name: 'orders', versions: [{ name: 'orders' }] }],
    ]);
    const document = await gateway.app.fetch(
      new Request('http://gateway.test/openapi.json', { headers: { 'x-api-key': keys.keyOf('first') } }),
    );
    const { paths } = (await document.json()) as { paths: object };
    expect(Object.keys(paths).filter((path) => path.includes('orders'))).toEqual([
      '/api/endpoints/query/orders@1',
      '/api/endpoints/query/orders@1.{format}',
    ]);
    keys.remove();
  });
});

describe('versions and changed files', () => {
  test('a new version changes nothing for the name, whose results stay cached; a header moves it, and back', async () => {
    gateway = await openFolderApp({ 'orders.sql': version(1) });
    const statusOf = async (address: string) =>
      (await gateway.get(address)).headers.get('cache-status')?.split(';')[1]?.trim();
    expect(await statusOf('orders')).toBe('fwd=miss');
    gateway.queries.write('orders@2.sql', version(2));
    await eventually(async () => expect(await rows('orders@2')).toBe(2));
    expect(await statusOf('orders')).toBe('hit');
    expect(await statusOf('orders@1')).toBe('hit');
    gateway.queries.write('orders@2.sql', version(2, 'default: true\n'));
    await eventually(async () => expect(await rows('orders')).toBe(2));
    expect(await rows('orders@1')).toBe(1);
    expect(await statusOf('orders@2')).toBe('hit');
    gateway.queries.write('orders@2.sql', version(2));
    await eventually(async () => expect(await rows('orders')).toBe(1));
    expect(await statusOf('orders')).toBe('hit');

    // With its number, the same query keeps its results.
    gateway.queries.write('orders@1.sql', version(1, 'default: true\n'));
    gateway.queries.remove('orders.sql');
    await eventually(async () =>
      expect((await gateway.graphql('{ endpoints { name } }')).data).toEqual({
        endpoints: [{ name: 'orders@1' }, { name: 'orders@2' }],
      }),
    );
    expect(await statusOf('orders')).toBe('hit');
  });

  test('a broken version stops no other one, and one that does not fit is not served', async () => {
    gateway = await openFolderApp({ 'orders.sql': version(1), 'orders@2.sql': version(2) });
    gateway.queries.write('orders@2.sql', 'no header');
    gateway.queries.write('orders.v1.sql', version(4));
    gateway.queries.write('orders@3.sql', version(3));
    await eventually(async () => expect(await rows('orders@3')).toBe(3));
    expect(await rows('orders@2')).toBe(2);
    expect(await rows('orders.v1')).toBe(404);
    const problems = gateway.logged.flatMap((line) => line.problems ?? []).join('\n');
    expect(problems).toMatch(/orders\.v1\.sql:1 has the same GraphQL field as .*orders\.sql: ordersV1/);
    gateway.queries.remove('orders@3.sql');
    await eventually(async () => expect(await rows('orders@3')).toBe(404));
  });
});
