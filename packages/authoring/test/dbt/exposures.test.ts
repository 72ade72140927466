import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { openCommandHost } from '../../../../test/support/command-host.ts';
import {
  makeQueryFolder,
  type QueryFolder,
  queryText,
  uuidOf,
} from '../../../../test/support/query-folder.ts';

const compiled = join(import.meta.dirname, 'manifest.json');

const querygate = openCommandHost();
let queries: QueryFolder;
beforeEach(async () => {
  queries = makeQueryFolder({});
  await querygate(['tables', 'import', 'dbt', compiled], { QUERIES_DIR: queries.folder });
});
afterEach(() => queries.close());

let count = 0;
const write = (name: string, sql: string, header = '') => {
  count += 1;
  queries.write(`${name}.sql`, queryText({ id: uuidOf(count), sql, header }));
};

const exposures = (args: readonly string[] = [], manifest = compiled) =>
  querygate(['exposures', manifest, ...args], { QUERIES_DIR: queries.folder });

const references = async (manifest?: string): Promise<Record<string, readonly string[]>> => {
  const { output } = await exposures([], manifest);
  const document: { exposures: { name: string; depends_on: string[] }[] } = parse(output);
  return Object.fromEntries(document.exposures.map((one) => [one.name, one.depends_on]));
};

const count1 = (from: string) => `SELECT COUNT(*) AS n FROM ${from}`;

describe('querygate exposures', () => {
  test('prints an endpoint as dbt reads it', async () => {
    write('sales.by-day', count1('analytics.daily_sales'), 'tags: [on, shop]\n');
    const { exitCode, output, errors } = await exposures([
      '--owner',
      'Sales',
      '--url',
      'https://a.example/b/',
    ]);
    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
    expect(output).toBe(`version: 2
exposures:
  - name: "sales_by_day"
    label: "sales.by-day"
    type: "application"
    url: "https://a.example/b/api/endpoints/query/sales.by-day"
    description: "a query of the tests"
    depends_on:
      - "ref('daily_sales')"
    owner:
      name: "Sales"
    config:
      tags:
        - "on"
        - "shop"
      meta:
        querygate_id: "${uuidOf(count)}"
`);
  });

  test.each([
    ['<<', '<<'],
    ['{{ x }} {% y %} {# {{{', "{{ '{' }}{ x }} {{ '{' }}% y %} {{ '{' }}# {{ '{' }}{{ '{' }}{"],
    ['a\u2028b\u0007', 'a\\u{2028}b\\u{7}'],
    ['\ud83d', '\ufffd'],
  ])('has the description %j as dbt reads texts', async (text, description) => {
    const query = queryText({ sql: count1('raw_orders') });
    queries.write('a.sql', query.replace('a query of the tests', JSON.stringify(text)));
    const { output } = await exposures();
    expect(output).toContain('    description: "');
    expect(parse(output).exposures[0].description).toBe(description);
  });

  test('names the nodes that are read, also through parts of the folder', async () => {
    queries.write('base.sql', '/*---\nserve: off\n---*/\nSELECT id FROM analytics.orders');
    queries.write('views/own.sql', 'CREATE VIEW own.names AS SELECT name FROM countries');
    write('a', count1('query.base'));
    write('b', count1('own.names JOIN `shop-project.analytics.customers_v2` ON TRUE'));
    write('c', count1('query.recent_orders'));
    write('d', count1('raw_orders, raw.raw_orders, EVENTS'));
    write('e', 'WITH orders AS (SELECT 1) SELECT COUNT(*) AS n FROM orders, `raw_*`');
    expect(await references()).toEqual({
      a: ["ref('orders')"],
      b: ["ref('countries')", "ref('customers', v=2)"],
      c: ["ref('recent_orders')"],
      d: ["ref('events')", "source('web', 'orders')"],
      e: ["source('web', 'orders')"],
    });
  });

  test('names packages, and quotes what is in a name', async () => {
    const manifest = JSON.parse(readFileSync(compiled, 'utf8'));
    manifest.metadata.project_name = 'other';
    manifest.sources['source.shop.web.orders'].source_name = "it's";
    const file = queries.path('manifest.json');
    writeFileSync(file, JSON.stringify(manifest));
    write('a', count1('analytics.orders, raw_orders'));
    expect(await references(file)).toEqual({ a: ["ref('shop', 'orders')", "source('it\\'s', 'orders')"] });
  });

  test('finds sources that are wildcards', async () => {
    const manifest = JSON.parse(readFileSync(compiled, 'utf8'));
    Object.assign(manifest.sources['source.shop.web.orders'], { name: 'shards', identifier: 'shards_*' });
    const file = queries.path('manifest.json');
    writeFileSync(file, JSON.stringify(manifest));
    write('a', count1('`shards_2026*`'));
    write('b', count1('raw.shards_20260101'));
    write('c', count1('`shards_*`'));
    write('d', count1('orders, other.shards_20260101'));
    queries.write('views/shards.sql', 'CREATE VIEW raw.shards_own AS SELECT id FROM orders');
    write('e', count1('raw.shards_own'));
    const source = ["source('web', 'shards')"];
    const orders = ["ref('orders')"];
    expect(await references(file)).toEqual({ a: source, b: source, c: source, d: orders, e: orders });
  });

  test('finds the longest of several wildcards', async () => {
    const manifest = JSON.parse(readFileSync(compiled, 'utf8'));
    const shards = manifest.sources['source.shop.web.orders'];
    Object.assign(shards, { name: 'shards', identifier: 'shards_*' });
    const intraday = { ...shards, name: 'intraday', identifier: 'shards_intraday_*' };
    manifest.sources['source.shop.web.intraday'] = { ...intraday, unique_id: 'source.shop.web.intraday' };
    const file = queries.path('manifest.json');
    writeFileSync(file, JSON.stringify(manifest));
    write('a', count1('raw.shards_20260101'));
    write('b', count1('raw.shards_intraday_20260101'));
    write('c', count1('`raw.shards_intraday_2026*`'));
    write('d', count1('`raw.shards_*`'));
    const [first, second] = ["source('web', 'shards')", "source('web', 'intraday')"];
    const { d = [], ...others } = await references(file);
    expect({ ...others, d: d.toSorted() }).toEqual({
      a: [first],
      b: [second],
      c: [second],
      d: [second, first],
    });
  });

  test('names exposures with letters, digits and _', async () => {
    for (const name of ['a.b-c', 'a@2', 'a']) write(name, count1('raw_orders'));
    expect(Object.keys(await references())).toEqual(['a_b_c', 'a', 'a_v2']);
  });

  test('says which endpoints are none, and what they may not name', async () => {
    queries.write('tables/logs.json', '[{ "name": "x", "type": "STRING" }]');
    write('all', count1('logs'));
    write('some', count1('analytics.margins, logs, analytics.orders'));
    const { errors } = await exposures();
    expect(errors.trim().split('\n')).toEqual([
      'all reads logs: not known in the project',
      'all is no exposure: it reads nothing of the project',
      'some reads model.shop.margins, which no exposure may name: it is private to the group finance',
      'some reads logs: not known in the project',
    ]);
    expect(await references()).toEqual({ some: ["ref('orders')"] });
  });

  test('refuses a wrong address, and files with problems', async () => {
    write('a', count1('raw_orders'));
    for (const url of ['x', 'ftp://a', 'https://a?b=c'])
      expect(await exposures(['--url', url])).toMatchObject({
        exitCode: 1,
        errors: expect.stringContaining('must be the address of the gateway'),
      });
    write('b', 'SELECT');
    expect(await exposures()).toMatchObject({ exitCode: 1, output: '' });
    const { errors } = await querygate(['exposures'], { QUERIES_DIR: queries.folder });
    expect(errors).toContain('target/manifest.json cannot be read (ENOENT)');
  });
});
