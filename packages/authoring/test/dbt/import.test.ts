import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openCommandHost } from '../../../../test/support/command-host.ts';
import { makeQueryFolder, type QueryFolder, queryText } from '../../../../test/support/query-folder.ts';
import { expectedSales, salesQuery, salesRows } from './sales.ts';

/** Of the project beside it, by `make-manifest.ts`. */
const compiled = join(import.meta.dirname, 'manifest.json');

type Json = Record<string, unknown>;
type Nodes = Record<string, Json>;

const manifest = (): { metadata: Json; nodes: Nodes; sources: Nodes; disabled: Json; functions: Json } =>
  JSON.parse(readFileSync(compiled, 'utf8'));

const querygate = openCommandHost();
let queries: QueryFolder;
let scratch: string;
beforeEach(() => {
  queries = makeQueryFolder({});
  scratch = mkdtempSync(join(tmpdir(), 'querygate-dbt-'));
});
afterEach(() => {
  queries.close();
  rmSync(scratch, { recursive: true });
});

const fileOf = (content: unknown) => {
  const file = join(scratch, 'manifest.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
};

const importOf = (file = compiled, args: readonly string[] = [], env: Record<string, string> = {}) =>
  querygate(['tables', 'import', 'dbt', file, ...args], { QUERIES_DIR: queries.folder, ...env });

/** The lines that an import prints, without the folder. */
const said = async (...args: Parameters<typeof importOf>) =>
  (await importOf(...args)).errors.replaceAll(`${queries.folder}/`, '').trim().split(/\n */);

const read = (path: string) => readFileSync(queries.path(path), 'utf8');

const files = () =>
  ['', 'tables', 'views'].flatMap((folder) =>
    existsSync(queries.path(folder))
      ? readdirSync(queries.path(folder), { withFileTypes: true })
          .filter((entry) => entry.isFile() && entry.name !== 'dbt-import.json')
          .map(({ name }) => join(folder, name))
          .sort()
      : [],
  );

const all = [
  'recent_orders.sql',
  'tables/countries.json',
  'tables/events.json',
  'tables/raw_orders.json',
  'views/analytics.customers_v2.sql',
  'views/analytics.daily_sales.sql',
  'views/analytics.margins.sql',
  'views/analytics.orders.sql',
];

describe('querygate tables import dbt', () => {
  test('writes tables and parts that check, and names what it leaves out', async () => {
    const lines = await said();
    expect(files()).toEqual(all);
    expect(lines.filter((line) => !line.startsWith('Wrote ')).sort()).toEqual([
      'Of 2 sources, 1 seed, 1 snapshot, 9 models: 3 tables, 5 parts.',
      'model.shop.click_pages is left out: no table is named shop-project.analytics.clicks',
      'model.shop.clicks is left out: no table is named shop-project.raw.clicks',
      'model.shop.events is a table: it is incremental: its SQL may be that of new rows only',
      'model.shop.forecast is left out: it is written in Python; none of its columns has a data_type: querygate tables add forecast <data file, or output of bq show> declares it',
      'not imported (disabled): model.shop.off',
      'not imported (test: dbt runs it): test.shop.unique_orders_id.1360ecc70e',
      'snapshot.shop.amounts is left out: none of its columns has a data_type: querygate tables add amounts <data file, or output of bq show> declares it',
      'source.shop.web.clicks is left out: none of its columns has a data_type: querygate tables add clicks <data file, or output of bq show> declares it',
      'source.shop.web.orders: without a data_type, so not in its table: note',
    ]);
    expect(await querygate(['check'], { QUERIES_DIR: queries.folder })).toMatchObject({ exitCode: 0 });
  });

  test('writes files as people write them', async () => {
    await importOf();
    expect(read('views/analytics.orders.sql')).toBe(`-- model.shop.orders of dbt, by querygate tables import.
-- Orders of this year.
-- Returned ones are not in it.
CREATE OR REPLACE VIEW \`shop-project.analytics.orders\` AS
with __dbt__cte__recent_orders as (
select id, customer, ordered_at, amount, address.city
from \`shop-project\`.\`raw\`.\`raw_orders\`
where ordered_at >= timestamp '2026-01-01'
) select id, customer, date(ordered_at) as day, amount, city
from __dbt__cte__recent_orders
`);
    expect(read('recent_orders.sql')).toMatch(
      /^\/\*---\n# model\.shop\.recent_orders of dbt, .*\nserve: off\n---\*\/\nselect id/,
    );
    expect(read('tables/countries.json')).toBe(`[
  { "name": "code", "type": "STRING", "mode": "NULLABLE", "description": "Two letters." },
  { "name": "name", "type": "STRING", "mode": "NULLABLE" }
]
`);
  });

  test('again changes nothing', async () => {
    await importOf();
    const before = files().map(read);
    expect(await said()).not.toContainEqual(expect.stringMatching(/^(?:Wrote|Changed|Removed|Kept)/));
    expect(files().map(read)).toEqual(before);
  });

  test('again changes what dbt has changed, and removes what it has not any more', async () => {
    await importOf();
    const next = manifest();
    Object.assign(next.nodes['model.shop.daily_sales'] ?? {}, { compiled_code: 'select 1 as day' });
    delete next.nodes['model.shop.margins'];
    Object.assign(next.nodes['model.shop.orders'] ?? {}, { alias: 'sold' });
    const lines = await said(fileOf(next));
    expect(lines.filter((line) => /^(?:Wrote|Changed|Removed|Kept)/.test(line)).sort()).toEqual([
      'Changed views/analytics.daily_sales.sql.',
      'Removed views/analytics.customers_v2.sql: model.shop.customers.v2 is not imported any more.',
      'Removed views/analytics.margins.sql: model.shop.margins is not imported any more.',
      'Removed views/analytics.orders.sql: model.shop.orders is not imported any more.',
      'Wrote views/analytics.sold.sql.',
    ]);
    expect(lines).toContain(
      'model.shop.customers.v2 is left out: no table is named shop-project.analytics.orders',
    );
    expect(read('views/analytics.daily_sales.sql')).toContain('select 1 as day');
  });

  test('goes on after one that was interrupted: no file is as an author has written it', async () => {
    await importOf();
    const next = manifest();
    Object.assign(next.nodes['model.shop.margins'] ?? {}, { compiled_code: 'select 1 as day' });
    Object.assign(next.nodes['model.shop.daily_sales'] ?? {}, { alias: 'sold' });
    const inTheWay = queries.path('views/analytics.sold.sql');
    mkdirSync(inTheWay);
    await importOf(fileOf(next)).catch(() => undefined);
    expect(read('views/analytics.margins.sql')).toContain('select 1 as day');
    rmSync(inTheWay, { recursive: true });
    Object.assign(next.nodes['model.shop.margins'] ?? {}, { compiled_code: 'select 2 as day' });
    const lines = await said(fileOf(next));
    expect(lines).toContain('Changed views/analytics.margins.sql.');
    expect(lines).not.toContainEqual(expect.stringMatching(/^Kept/));
  });

  test('keeps files of authors, and those that they have changed, without --force', async () => {
    queries.write('tables/RAW_ORDERS.json', '[{ "name": "id", "type": "INTEGER" }]');
    await importOf();
    queries.write('views/analytics.daily_sales.sql', 'CREATE VIEW analytics.daily_sales AS SELECT 2 AS day');
    const lines = await said();
    const kept = (path: string) => `Kept ${path}: it is not as dbt has it; --force replaces it.`;
    expect(lines).toContain(kept('tables/RAW_ORDERS.json'));
    expect(lines).toContain(kept('views/analytics.daily_sales.sql'));
    // Checked with the tables of the author.
    expect(lines).toContainEqual(
      expect.stringMatching(/^model\.shop\.recent_orders is left out: no column is named ordered_at/),
    );
    expect(read('views/analytics.daily_sales.sql')).toContain('SELECT 2 AS day');
    const forced = await said(compiled, ['--force']);
    expect(forced).toContain('Changed tables/RAW_ORDERS.json.');
    expect(forced).toContain('Changed views/analytics.daily_sales.sql.');
    expect(read('tables/RAW_ORDERS.json')).toContain('lines');
  });

  test('leaves out what an author defines in a file of another name', async () => {
    queries.write('views/own.sql', 'CREATE VIEW analytics.orders AS SELECT 1 AS id, "a" AS customer');
    const lines = await said();
    expect(lines).toContain('model.shop.orders is left out: views/own.sql defines it');
    expect(files()).toContain('views/analytics.customers_v2.sql');
    expect(await querygate(['check'], { QUERIES_DIR: queries.folder })).toMatchObject({ exitCode: 0 });
  });

  test('takes the columns of a source without types from the table of an author', async () => {
    queries.write('tables/clicks.json', '[{ "name": "url", "type": "STRING" }]');
    const lines = await said();
    expect(lines.filter((line) => line.includes('click'))).toEqual([
      'Wrote views/analytics.click_pages.sql.',
      'Wrote views/analytics.clicks.sql.',
    ]);
  });

  test('keeps parts of models that are only parsed, and makes tables of others with types', async () => {
    await importOf();
    const parsed = manifest();
    for (const node of Object.values(parsed.nodes)) delete node.compiled_code;
    const lines = await said(fileOf(parsed));
    expect(files()).toEqual(all);
    expect(lines).toContainEqual(
      expect.stringMatching(
        /^as the last import has it \(not compiled: dbt compile writes its SQL\): model\.shop\.orders, /,
      ),
    );
    expect(lines).toContain(
      'not imported (not compiled: dbt compile writes its SQL): model.shop.click_pages, model.shop.clicks',
    );
  });

  test('removes nothing of another project', async () => {
    await importOf();
    const other = JSON.stringify(manifest()).replaceAll('.shop.', '.other.').replaceAll('"shop"', '"other"');
    await said(fileOf(other.replaceAll('analytics', 'sales').replaceAll('raw_orders', 'other_orders')));
    expect(files()).toEqual(expect.arrayContaining(all.slice(4)));
    expect(files()).toContain('views/sales.orders.sql');
  });

  test('does not take one table for another of its name', async () => {
    const clashing = manifest();
    const orders = clashing.sources['source.shop.web.orders'] ?? {};
    clashing.sources['source.shop.other.orders'] = { ...orders, schema: 'other', source_name: 'other' };
    expect(await said(fileOf(clashing))).toEqual(
      expect.arrayContaining([
        'source.shop.web.orders is left out: source.shop.other.orders has the same name, and tables here are without a dataset',
        'source.shop.other.orders is left out: source.shop.web.orders has the same name, and tables here are without a dataset',
      ]),
    );
  });

  test.each([
    ['with', {}],
    ['without', { columns: {} }],
  ])('does not take the table of a source for a model of its name %s types', async (_, columns) => {
    const next = manifest();
    Object.assign(next.sources['source.shop.web.orders'] ?? {}, { identifier: 'events' });
    Object.assign(next.nodes['model.shop.events'] ?? {}, columns);
    for (const node of Object.values(next.nodes))
      if (typeof node.compiled_code === 'string')
        node.compiled_code = node.compiled_code.replace('`raw_orders`', '`events`');
    const compiled_code = 'select id from `shop-project`.`analytics`.`events`';
    Object.assign(next.nodes['model.shop.clicks'] ?? {}, { compiled_code });
    expect(await said(fileOf(next))).toContain(
      'model.shop.clicks is left out: it reads model.shop.events, and source.shop.web.orders has the same name: tables here are without a dataset',
    );
    expect(files()).toContain('tables/events.json');
    expect(files()).toContain('views/analytics.orders.sql');
  });

  test.each([
    ['is refused', 'select st_geogpoint(1, 2) as p from `shop-project.raw.raw_orders`', /ST_GEOGPOINT/],
    [
      'no query can read',
      "with recursive r as (select 'a' as customer) select customer, 1 as amount, current_date() as day from r",
      /WITH RECURSIVE/,
    ],
  ])('makes a table of a model whose SQL %s, if its columns have types', async (_, compiled_code, reason) => {
    const next = manifest();
    Object.assign(next.nodes['model.shop.orders'] ?? {}, {
      compiled_code,
      columns: {
        customer: { name: 'customer', data_type: 'string' },
        amount: { name: 'amount', data_type: 'numeric' },
        day: { name: 'day', data_type: 'date' },
      },
    });
    const lines = await said(fileOf(next));
    const [line] = lines.filter((one) => one.startsWith('model.shop.orders is a table: '));
    expect(line).toMatch(reason);
    expect(files()).toContain('tables/orders.json');
    expect(files()).toContain('views/analytics.daily_sales.sql');
  });

  test('leaves out a model without types that no query can read', async () => {
    const next = manifest();
    const compiled_code = 'with recursive r as (select 1 as n) select n from r';
    Object.assign(next.nodes['model.shop.margins'] ?? {}, { compiled_code });
    expect(await said(fileOf(next))).toContainEqual(
      expect.stringMatching(/^model\.shop\.margins is left out: .*WITH RECURSIVE/),
    );
    expect(files()).not.toContain('views/analytics.margins.sql');
  });

  test('leaves the SQL to BigQuery where it runs there', async () => {
    const lines = await said(compiled, [], {
      ENGINE: 'bigquery',
      BIGQUERY_PROJECT: 'shop-project',
      BIGQUERY_DATASET: 'd',
    });
    expect(lines).toContain('Of 2 sources, 1 seed, 1 snapshot, 9 models: 3 tables, 7 parts.');
  });

  test('writes the parts of a circle of models nowhere', async () => {
    const next = manifest();
    const read = (name: string) => ({
      compiled_code: `select * from \`shop-project\`.\`analytics\`.\`${name}\``,
    });
    Object.assign(next.nodes['model.shop.orders'] ?? {}, read('daily_sales'));
    Object.assign(next.nodes['model.shop.daily_sales'] ?? {}, read('orders'));
    expect(await said(fileOf(next))).toContainEqual(
      expect.stringMatching(/^model\.shop\.daily_sales is left out: .* reads itself/),
    );
    expect(files()).not.toContain('views/analytics.orders.sql');
  });
});

test('a saved query reads a model, on DuckDB over the rows of its sources', async () => {
  await importOf();
  queries.write('sales.sql', salesQuery);
  expect(await salesRows(queries.folder)).toEqual(expectedSales);
});

describe('a manifest', () => {
  const wrong = async (content: unknown) => {
    const { exitCode, errors } = await importOf(fileOf(content));
    expect(exitCode).toBe(1);
    expect(files()).toEqual([]);
    return errors.replaceAll(`${scratch}/`, '').replace('The manifest cannot be read:\n  manifest.json ', '');
  };

  test.each([
    ['not JSON', 'is not valid JSON, as dbt compile writes it to target/manifest.json\n'],
    ['[]', 'is not a manifest of dbt, which says metadata.dbt_schema_version; dbt compile writes'],
    ['null', 'is not a manifest of dbt'],
    ['['.repeat(100_000), 'is not valid JSON'],
  ])('that is %.20s is refused', async (content, message) => {
    expect(await wrong(content)).toMatch(message);
  });

  test('that is not UTF-8 is refused', async () => {
    const file = fileOf('');
    writeFileSync(file, Buffer.from('{ "metadata": "Zürich" }', 'latin1'));
    expect((await importOf(file)).errors).toContain(
      'manifest.json:1 must be UTF-8: iconv -f latin1 -t utf-8',
    );
  });

  test.each([
    [8, 'is a manifest of version 8; those of versions 9 to 12 can be read'],
    [20, 'is a manifest of version 20;'],
  ])('of version %i is refused', async (version, message) => {
    const dbt_schema_version = `https://schemas.getdbt.com/dbt/manifest/v${version}.json`;
    expect(await wrong({ metadata: { dbt_schema_version } })).toMatch(message);
  });

  test.each([9, 10, 11, 12])('of version %i is read', async (version) => {
    const next = manifest();
    next.metadata.dbt_schema_version = `https://schemas.getdbt.com/dbt/manifest/v${version}.json`;
    delete next.metadata.project_name;
    expect(await importOf(fileOf(next))).toMatchObject({ exitCode: 0 });
    expect(files()).toEqual(all);
  });

  test('is no other document of dbt, and no project for another database', async () => {
    const dbt_schema_version = 'https://schemas.getdbt.com/dbt/catalog/v1.json';
    expect(await wrong({ metadata: { dbt_schema_version } })).toBe(
      'is the catalog of dbt; the manifest is manifest.json beside it\n',
    );
    const next = manifest();
    next.metadata.adapter_type = 'postgres';
    expect(await wrong(next)).toBe(
      'is of a project for "postgres", whose SQL is not that of BigQuery; compile it with dbt-bigquery\n',
    );
  });

  test('that is damaged is refused with the places', async () => {
    const next = manifest();
    Object.assign(next.nodes['model.shop.orders'] ?? {}, { columns: [1], name: undefined });
    expect(await wrong(next)).toMatch(/nodes\.model\.shop\.orders\.(?:name|columns): /);
  });

  test('that is missing or too large is refused', async () => {
    expect((await importOf(join(scratch, 'none.json'))).errors).toContain(
      'cannot be read (ENOENT); dbt compile',
    );
    expect((await importOf(scratch)).errors).toContain('cannot be read (EISDIR)');
    const file = fileOf('');
    truncateSync(file, 600_000_000);
    expect((await importOf(file)).errors).toContain('has 600000000 bytes; at most 500000000 are read');
  });

  test('is of dbt only', async () => {
    const { exitCode, errors } = await querygate(['tables', 'import', 'sqlmesh', compiled]);
    expect(exitCode).toBe(1);
    expect(errors).toContain('got the source "sqlmesh"; must be dbt');
  });

  test.each([
    '../../escaped',
    '..',
    'a/b',
    'a\\b',
    'a b',
    'a`; DROP TABLE x',
    'x'.repeat(300),
    'a\nb',
    'ä',
    '',
    'CON\u0000',
  ])('with a table named %j gives no file of that name', async (name) => {
    const next = manifest();
    Object.assign(next.sources['source.shop.web.orders'] ?? {}, { identifier: name });
    Object.assign(next.nodes['model.shop.orders'] ?? {}, { alias: name });
    Object.assign(next.nodes['model.shop.recent_orders'] ?? {}, { name });
    Object.assign(next.nodes['model.shop.daily_sales'] ?? {}, {
      schema: name,
      compiled_code: 'select 1 as day',
    });
    const before = readdirSync(join(queries.folder, '..')).filter((one) => one.includes('escaped'));
    const lines = await said(fileOf(next));
    expect(files()).toEqual(['tables/countries.json', 'tables/events.json']);
    expect(lines.filter((line) => line.includes('its name must be letters'))).toHaveLength(4);
    expect(readdirSync(join(queries.folder, '..')).filter((one) => one.includes('escaped'))).toEqual(before);
  });

  test.each([
    'select 1 as x; CREATE VIEW analytics.other AS SELECT 2 AS x',
    'select 1 as x; CREATE FUNCTION analytics.f() AS (1)',
    'CREATE TEMP TABLE t AS SELECT 1 AS x; SELECT x FROM t',
    'select 1 as x from',
    'DROP TABLE x',
    ';',
    `select '${'x'.repeat(1_100_000)}' as x`,
  ])('whose SQL is more than a query gives no part: %.60s', async (compiled_code) => {
    const next = manifest();
    Object.assign(next.nodes['model.shop.orders'] ?? {}, { compiled_code });
    Object.assign(next.nodes['model.shop.recent_orders'] ?? {}, { compiled_code });
    await importOf(fileOf(next));
    expect(files()).not.toContain('views/analytics.orders.sql');
    expect(await querygate(['check'], { QUERIES_DIR: queries.folder })).not.toMatchObject({ exitCode: 3 });
  });

  test('with hidden characters and ends of comments in its texts gives files that check', async () => {
    const next = manifest();
    const text = 'a */ ---*/\n---*/\u2028---*/ `x` \r\n -- ; \u202e {{ x }}';
    for (const node of [...Object.values(next.nodes), ...Object.values(next.sources)])
      node.description = text;
    const orders = next.nodes['model.shop.orders'] ?? {};
    delete next.nodes['model.shop.orders'];
    next.nodes['model.shop.orders\nserve: on\u001b[31m'] = orders;
    const lines = await said(fileOf(next));
    expect(files()).toContain('views/analytics.orders.sql');
    expect(lines.join('')).not.toContain('\u001b');
    const [header = ''] = read('recent_orders.sql').split('\nselect');
    // BigQuery ends the comment at the first.
    expect(header.indexOf('*/')).toBe(header.length - 2);
    queries.write('one.sql', queryText());
    expect(await querygate(['check'], { QUERIES_DIR: queries.folder })).toMatchObject({ exitCode: 0 });
  });

  test('is imported with a record that an import has written, or none', async () => {
    queries.write('dbt-import.json', '{ "views/x.sql": 1 }');
    expect((await importOf()).errors).toContain('is not as an import has written it');
    queries.write('dbt-import.json', '{ "../../x": { "node": "model.shop.x", "sha256": "" } }');
    expect(await importOf()).toMatchObject({ exitCode: 0 });
  });
});
