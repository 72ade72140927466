import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { loadCatalog } from '../../src/catalog/folder/load-catalog.ts';
import { listFolder } from '../../src/catalog/folder/read-folder.ts';
import { skipsEmulator, startEmulator } from '../support/bigquery-emulator.ts';
import { openCommandHost } from '../support/command-host.ts';
import { runQuerygate, startGateway } from '../support/gateway-process.ts';
import { isNightly, nightly } from '../support/nightly.ts';

const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
const queries = join(folder, 'queries');
const data = join(folder, 'data');
afterAll(() => rmSync(folder, { recursive: true }));

const write = (path: string, text: string) => writeFileSync(join(queries, path), text);

beforeEach(() => {
  rmSync(folder, { recursive: true });
  for (const inner of ['checks', 'functions', 'tables', 'tests', 'views'])
    mkdirSync(join(queries, inner), { recursive: true });
  mkdirSync(data);
  writeFileSync(join(data, 'orders.ndjson'), '{"id":1,"shop":"a"}\n{"id":2,"shop":"b"}\n{"shop":"b"}\n');
  const fields = [
    { name: 'id', type: 'INT64' },
    { name: 'shop', type: 'STRING' },
  ];
  write('tables/orders.json', JSON.stringify(fields));
  write('functions/own.sql', 'CREATE FUNCTION udf.plus(a INT64, b INT64) AS (a + b);');
  write('views/own.sql', 'CREATE VIEW shop.ids AS SELECT id FROM orders WHERE id IS NOT NULL;');
  write(
    'of.sql',
    `/*---
id: 8d5a1f0e-6c3b-4f7e-9a52-1b7c0e4d2f60
description: Orders of a shop.
max_rows: 10
caching: disabled
parameters:
  shop: { type: string, required: true, tenant: true, description: Whose. }
columns:
  id: { type: integer, description: Id. }
---*/
SELECT id FROM orders WHERE shop = @shop
`,
  );
});

const querygate = openCommandHost();
const settings = { QUERIES_DIR: queries, DATA_DIR: data };
const run = (...args: readonly string[]) => querygate(['test', ...args], settings);
const check = async () => (await querygate(['check'], settings)).errors.replaceAll(`${queries}/`, '');
const shown = (output: string) =>
  output
    .replace(/ \d+ ms/g, '')
    .replace(/ \([\d.]+ s\)/, '')
    .replaceAll(`${queries}/`, '');

describe('files of checks', () => {
  test('run over the rows of all tenants, with parts, views, functions and INFORMATION_SCHEMA', async () => {
    write(
      'checks/orders.sql',
      `\uFEFF-- Of all shops.\r
ASSERT (SELECT COUNT(DISTINCT shop) FROM orders) = 2 AS 'two shops';\r
  ASSERT EXISTS(\r
    SELECT id FROM query.of(shop => 'b')) AS "rows of b"; assert udf.plus(1, 2) = 3;\r
ASSERT (SELECT COUNT(*) FROM shop.ids) = 2 AS 'ids';\r
ASSERT 3 = (SELECT total_rows FROM INFORMATION_SCHEMA.PARTITIONS) AS 'rows'\r
`,
    );
    const { output, exitCode, errors } = await run();
    expect(errors).toBe('');
    expect(shown(output)).toContain(
      '✓ checks/orders › two shops\n✓ checks/orders › rows of b\n✓ checks/orders › udf.plus(1, 2) = 3\n✓ checks/orders › ids\n✓ checks/orders › rows\n',
    );
    expect(exitCode).toBe(0);
  });

  test('see the views of the folder in INFORMATION_SCHEMA, but none that is wrong in COLUMNS', async () => {
    write(
      'views/other.sql',
      'CREATE VIEW `my-project.shop.two` AS SELECT udf.plus(id, 1) AS n, [id] AS a FROM shop.ids',
    );
    write('views/wrong.sql', 'CREATE VIEW shop.wrong AS SELECT nothing FROM orders');
    write(
      'checks/views.sql',
      `ASSERT (SELECT STRING_AGG(CONCAT(table_catalog, '/', table_schema, '/', table_name), ' ' ORDER BY table_name) FROM INFORMATION_SCHEMA.TABLES WHERE table_type = 'VIEW') = '/shop/ids my-project/shop/two /shop/wrong' AS 'tables';
ASSERT (SELECT STRING_AGG(CONCAT(column_name, ' ', data_type, ' ', is_nullable), ', ' ORDER BY ordinal_position) FROM shop.INFORMATION_SCHEMA.COLUMNS WHERE table_name = 'two') = 'n INT64 YES, a ARRAY<INT64> NO' AS 'columns';
ASSERT NOT EXISTS(SELECT 1 FROM INFORMATION_SCHEMA.COLUMNS WHERE table_name = 'wrong') AS 'wrong';
ASSERT (SELECT COUNT(*) FROM INFORMATION_SCHEMA.PARTITIONS) = 1 AS 'rows are of tables';
ASSERT (SELECT STRING_AGG(table_name, ',' ORDER BY table_name) FROM \`my-project\`.SHOP.INFORMATION_SCHEMA.TABLES) = 'ids,orders,two,wrong' AS 'a project';
ASSERT (SELECT STRING_AGG(table_name, ',') FROM other.INFORMATION_SCHEMA.TABLES) = 'orders' AS 'a data set';
`,
    );
    const { output } = await run('checks/views');
    expect(shown(output)).toContain('6 passed');
    const sql = "SELECT table_name FROM INFORMATION_SCHEMA.TABLES WHERE table_type = 'VIEW' ORDER BY 1";
    const { output: rows } = await querygate(['sql', '--json', sql], settings);
    expect(rows).toMatch(/ids.*two.*wrong/);
  });

  test('are in folders there too, each with its own name', async () => {
    for (const inner of ['money', 'people', '.hidden']) mkdirSync(join(queries, 'checks', inner));
    write('checks/money/orders.sql', "ASSERT (SELECT COUNT(*) FROM orders) = 3 AS 'three'");
    write('checks/people/orders.sql', "ASSERT FALSE AS 'wrong'");
    write('checks/.hidden/orders.sql', 'not SQL');
    const { output } = await run();
    expect(shown(output)).toContain('✓ checks/money/orders › three\n');
    expect(shown(output)).toContain('✗ checks/people/orders › wrong\n    checks/people/orders.sql:1\n');
    expect((await run('checks/money/orders')).exitCode).toBe(0);
  });

  test('fail for FALSE, NULL and errors, with the line and the text', async () => {
    write(
      'checks/wrong.sql',
      `ASSERT (SELECT COUNT(*) FROM orders) > 5 AS 'more than 5';
ASSERT (SELECT MAX(id) FROM orders WHERE shop = 'c') > 1
  AS 'of c';
ASSERT NULL;
ASSERT (SELECT id > 0 FROM orders) AS 'one row';
ASSERT 1 / (SELECT COUNT(*) - 3 FROM orders) > 0;
`,
    );
    const report = join(folder, 'report.xml');
    const { output, exitCode } = await run('checks/wrong', '--junit', report);
    expect(shown(output)).toMatch(
      new RegExp(
        [
          '^✗ checks/wrong › more than 5\n {4}checks/wrong.sql:1\n {4}the condition is FALSE\n',
          '✗ checks/wrong › of c\n {4}checks/wrong.sql:2\n {4}the condition is NULL\n',
          '✗ checks/wrong › NULL\n {4}checks/wrong.sql:4\n {4}the condition is NULL\n',
          '✗ checks/wrong › one row\n {4}checks/wrong.sql:5\n {4}failed with ENGINE_FAILED: .*\n',
          '✗ checks/wrong › 1 / .*\n {4}checks/wrong.sql:6\n {4}failed with ENGINE_FAILED: .*\n\n5 failed',
        ].join(''),
      ),
    );
    expect(exitCode).toBe(1);
    expect(readFileSync(report, 'utf8')).toMatch(
      /<testsuite name="checks\/wrong" tests="5" failures="5".*<testcase name="more than 5" classname="checks\/wrong" file="[^"]*wrong.sql" line="1" .*message="the condition is FALSE"/s,
    );
  });

  test('print what is hidden in a text as its code', async () => {
    write('checks/wrong.sql', String.raw`ASSERT FALSE AS '\u001b[31m \x00';`);
    expect(shown((await run('checks/wrong')).output)).toMatch(/^✗ checks\/wrong › \\u\{1b\}\[31m \\u\{0\}\n/);
  });

  test('are checked, each problem at its place', async () => {
    write(
      'checks/a.sql',
      `ASSERT (SELECT COUNT(*) FROM orders); ASSERT @shop = 'a';
ASSERT (SELECT idd FROM orders) = 1 AND shop.idz = 1;
ASSERT EXISTS(SELECT 1 FROM ordres) AS 'x';
  ASSERT EXISTS(SELECT 1 FROM query.of);
`,
    );
    write('checks/b.sql', "ASSERT TRUE;\nASSERT TRUE AS 'a' || 'b'");
    write('checks/c.sql', '-- Nothing yet.\n');
    write('checks/d.sql', 'ASSERT TRUE; SELECT 1');
    const problems = (await check())
      .split('\n')
      .filter((line) => /^ {2}checks/.test(line))
      .toSorted();
    expect(problems).toEqual([
      expect.stringMatching(
        /^ {2}checks\/a.sql:1:1 ASSERT takes a condition, which is a BOOL; this is of type INT64$/,
      ),
      expect.stringMatching(/^ {2}checks\/a.sql:1:46 ASSERT has no parameter @shop here: write a value$/),
      expect.stringMatching(/^ {2}checks\/a.sql:2:16 no column is named idd; did you mean id\?$/),
      expect.stringMatching(/^ {2}checks\/a.sql:2:41 no column is named shop/),
      expect.stringMatching(/^ {2}checks\/a.sql:3:29 no table is named ordres; did you mean orders\?$/),
      expect.stringMatching(
        /^ {2}checks\/a.sql:4:31 @shop is a parameter of .*, and an ASSERT has none: bind it: query.of\(shop => …\)$/,
      ),
      expect.stringMatching(/^ {2}checks\/b.sql:2:20 expected .*";" after the condition, found/),
      expect.stringMatching(/^ {2}checks\/c.sql:1:1 contains no ASSERT/),
      expect.stringMatching(/^ {2}checks\/d.sql:1:14 expected "ASSERT", found "SELECT"$/),
    ]);
    expect((await run()).errors).toContain('The checks have problems');
    expect((await run('of')).errors).not.toContain('checks');
  });

  test('whose name has another case are a problem, as a check that never runs would pass', async () => {
    write('checks/A.SQL', 'ASSERT FALSE;');
    for (const errors of [(await run()).errors, await check()])
      expect(errors).toContain('A.SQL its name must end with .sql, in lower case');
  });

  test.each([
    ['checks/orders.sql', 'no saved query is named checks/orders.sql; did you mean checks/orders?'],
    ['orders', 'no saved query is named orders; did you mean checks/orders?'],
    ['checks', 'no saved query is named checks; the files of checks there are checks/orders, checks/sub/a'],
    ['checks/sub/', 'no saved query is named checks/sub/; the files of checks there are checks/sub/a'],
    ['tests/of.yaml', 'no saved query is named tests/of.yaml; did you mean of?'],
  ])('are named by their paths without an ending: %s', async (name, message) => {
    write('checks/orders.sql', 'ASSERT TRUE;');
    mkdirSync(join(queries, 'checks', 'sub'));
    write('checks/sub/a.sql', 'ASSERT TRUE;');
    expect((await run(name)).errors).toContain(message);
  });

  test('say the error of SQL, and not the text that DuckDB has for it', async () => {
    write('checks/orders.sql', 'ASSERT 1/0 = 1;');
    expect((await run()).output).toContain(
      'failed with ENGINE_FAILED: The query failed (division by zero: 1 / 0)',
    );
  });

  nightly('run beside a gateway that has the store open', async () => {
    write('checks/orders.sql', 'ASSERT (SELECT COUNT(*) FROM orders) = 3');
    const env = { ...settings, STORE_FILE: '' };
    const gateway = await startGateway({ ...env, PORT: '0' });
    try {
      const { output, errors } = await runQuerygate(['test', 'checks/orders'], env);
      expect(shown(output)).toContain('1 passed');
      expect(errors).toBe('A gateway uses the store: the rows are imported once more, into memory\n');
    } finally {
      await gateway.end();
    }
  });

  test('are no endpoints: the gateway does not read them', () => {
    write('checks/of.sql', 'not even SQL');
    expect(listFolder(queries).filter((path) => path.startsWith('checks'))).toEqual([]);
    expect(loadCatalog(queries).queries.map(({ name }) => name)).toEqual(['of']);
  });

  test('that cannot be read are a problem of their folder', async () => {
    rmSync(join(queries, 'checks'), { recursive: true });
    expect((await run()).errors).toBe('');
    write('checks', 'a file');
    expect((await run()).errors).toContain('is not a readable folder of checks');
  });

  test('of functions alone need no data', async () => {
    write('checks/f.sql', 'ASSERT udf.plus(1, 1) = 2;');
    const { output } = await querygate(['test', 'checks/f'], { ...settings, DATA_DIR: join(folder, 'none') });
    expect(shown(output)).toBe('✓ checks/f › udf.plus(1, 1) = 2\n\n1 passed\n');
  });

  test.skipIf(skipsEmulator || !isNightly)('run on the emulator of BigQuery', async () => {
    write(
      'checks/f.sql',
      "ASSERT udf.plus(1, 1) = 2 AS 'two'; ASSERT NULL AS 'null'; ASSERT 1 > 2 AS 'false';",
    );
    const emulator = await startEmulator();
    const { output } = await runQuerygate(['test', 'checks/f', '--engine', 'bigquery'], {
      QUERIES_DIR: queries,
      BIGQUERY_PROJECT: emulator.project,
      BIGQUERY_DATASET: 'none',
      BIGQUERY_API_ENDPOINT: emulator.endpoint,
      ENGINE_TIMEOUT_MS: '240000',
    });
    await emulator.close();
    expect(shown(output)).toMatch(/✓ checks\/f › two\n.*null\n.*is NULL\n.*false\n.*is FALSE\n/s);
  });
});

const tests = (asserts: string, more = '') => `tables:
  orders:
    - { id: 1, shop: a }
    - { id: 2, shop: b }
tests:
  - name: of a shop
    parameters: { shop: b }
    expect:
${more}      asserts: |
${asserts.replace(/^/gm, '        ')}
`;

describe('asserts of a test', () => {
  test('read the rows of the test, its parameters, and the result of the query', async () => {
    write(
      'tests/of.yaml',
      tests(
        "ASSERT (SELECT MAX(id) FROM query.of) = 2 AS 'its order';\nASSERT @shop = 'b' AND (SELECT COUNT(*) FROM orders) = 2",
      ),
    );
    const { output, exitCode } = await run();
    expect(shown(output)).toBe('✓ of › of a shop\n\n1 passed\n');
    expect(exitCode).toBe(0);
  });

  test('fail with the line of each, and no update hides it', async () => {
    const text = tests(
      "ASSERT TRUE;\nASSERT (SELECT COUNT(*) FROM query.of) = 2\n  AS 'two';\nASSERT NULL",
      '      rows: [{ id: 2 }]\n',
    );
    write('tests/of.yaml', text);
    for (const args of [[], ['--update']]) {
      const { output, exitCode } = await run(...args);
      expect(shown(output)).toContain(
        '✗ of › of a shop\n    tests/of.yaml:6\n    tests/of.yaml:12 two: the condition is FALSE\n    tests/of.yaml:14 NULL: the condition is NULL\n',
      );
      expect(exitCode).toBe(1);
    }
    expect(readFileSync(join(queries, 'tests/of.yaml'), 'utf8')).toBe(text);
    write('tests/of.yaml', text.replace('rows: [{ id: 2 }]', 'rows: []'));
    await run('--update');
    const updated = readFileSync(join(queries, 'tests/of.yaml'), 'utf8');
    expect(updated).toContain('- { id: 2 }');
    expect(updated).toContain("AS 'two';");
  });

  test('that are wrong have the line in the file', async () => {
    write(
      'tests/of.yaml',
      tests('ASSERT TRUE;\nASSERT (SELECT idd FROM query.of) = 1;\nASSERT 1;\nASSERT @who = 1'),
    );
    const { errors } = await run();
    expect(errors.replaceAll(`${queries}/`, '')).toMatch(
      /tests\/of.yaml:13 ASSERT has no parameter @who here: those of the query are @shop/,
    );
    write('tests/of.yaml', tests('ASSERT TRUE;\nASSERT (SELECT idd FROM query.of) = 1;\nASSERT 1'));
    expect((await run()).errors).toMatch(
      /of.yaml:11 no column is named idd.*of.yaml:12 ASSERT takes a condition/s,
    );
    write('tests/of.yaml', tests('ASSERT TRUE', '      error: FORBIDDEN\n'));
    expect((await run()).errors).toContain('an error excludes rows and asserts');
  });
});
