import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { skipsEmulator, startEmulator } from '../support/bigquery-emulator.ts';
import { collectOutput } from '../support/child-output.ts';
import { openCommandHost } from '../support/command-host.ts';
import { runQuerygate } from '../support/gateway-process.ts';
import { isNightly, nightly } from '../support/nightly.ts';

const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'tests', 'hits.yaml');

const query = (condition = 'status >= 400') => `/*---
id: 8d5a1f0e-6c3b-4f7e-9a52-1b7c0e4d2f60
description: Failed requests.
max_rows: 10
caching: disabled
parameters:
  project: { type: string, required: true, tenant: true, description: Whose. }
columns:
  ts: { type: timestamp, description: When. }
  status: { type: integer, description: Status code. }
---*/
select ts, status from web where project = @project and ${condition} and ts > timestamp_sub(current_timestamp(), interval 1 day)
order by ts
`;

const tests = `# A comment that stays.
now: 2026-03-10T12:00:00Z
tables:
  web:
    - { ts: 2026-03-10T11:00:00Z, project: abc, status: 399 }
    - { ts: 2026-03-10T11:00:01.5Z, project: abc, status: 400 }
    - { ts: 2026-03-10T11:00:02Z, project: other, status: 500 }
    - { ts: 2026-03-09T12:00:00Z, project: abc, status: 500 }
    - { ts: 2026-03-09T12:00:00.000001Z, project: abc, status: 503 }
parameters: { project: abc }
tests:
  - name: the last day
    expect:
      rows:
        - { ts: 2026-03-09T12:00:00.000001Z, status: 503 }
        - { ts: 2026-03-10T11:00:01.5Z, status: 400 }
  - name: another tenant
    tenant: other
    expect: { error: FORBIDDEN }
  # And this one.
  - name: no rows
    tables: { web: [] }
    expect:
      rows: []
`;

beforeEach(() => {
  rmSync(folder, { recursive: true });
  mkdirSync(join(folder, 'tests'), { recursive: true });
  mkdirSync(join(folder, 'tables'));
  const fields = [
    { name: 'ts', type: 'TIMESTAMP' },
    { name: 'project', type: 'STRING' },
    { name: 'status', type: 'INT64' },
  ];
  writeFileSync(join(folder, 'tables', 'web.json'), JSON.stringify(fields));
  writeFileSync(join(folder, 'hits.sql'), query());
  writeFileSync(file, tests);
});

const querygate = openCommandHost();
const run = (...args: readonly string[]) => querygate(['test', ...args], { QUERIES_DIR: folder });
const withTests = (from: string, to: string) => writeFileSync(file, tests.replace(from, to));

describe('querygate test', () => {
  test('passes, and says so', async () => {
    const { exitCode, output } = await run();
    expect(output.replace(/\d+ ms/g, '5 ms').replace(/[\d.]+ s/, '1 s')).toBe(
      '✓ hits › the last day 5 ms\n✓ hits › another tenant 5 ms\n✓ hits › no rows 5 ms\n\n3 passed (1 s)\n',
    );
    expect(exitCode).toBe(0);
  });

  test('shows what differs, with the place of the test', async () => {
    writeFileSync(join(folder, 'hits.sql'), query('status > 400'));
    withTests('status: 503 }\n        -', 'status: 502 }\n        -');
    const { exitCode, output } = await run();
    expect(exitCode).toBe(1);
    expect(output).toContain('✗ hits › the last day');
    expect(output).toContain(
      `hits.yaml:12
    rows differ: 2 expected, 1 returned
    ~ row 1 { ts: 2026-03-09T12:00:00.000001Z }
        - status: 502
        + status: 503
    - row 2 { ts: 2026-03-10T11:00:01.500000Z, status: 400 }`.replace('.500000', '.5'),
    );
    expect(output).toContain('1 failed, 2 passed');
  });

  test('numbers of decimals and of JSON keep all digits', async () => {
    const fields = { k: 'INT64', n: 'NUMERIC', j: 'JSON' };
    writeFileSync(
      join(folder, 'tables', 'web.json'),
      JSON.stringify(Object.entries(fields).map(([name, type]) => ({ name, type }))),
    );
    const columns = `  n: { type: numeric, description: A decimal. }\n  j: { type: json, description: Any. }`;
    const header = query().replace(/parameters:.*columns:\n.*?---/s, `columns:\n${columns}\n---`);
    writeFileSync(join(folder, 'hits.sql'), header.replace(/select.*/s, 'select n, j from web order by k\n'));
    const rows = (digit: string) => `
        - { n: 12345678901.12345678${digit}, j: { a: [900719925474099${digit}] } }
        - { n: 1.10, j: 1234567890123456789${digit} }
        - { n: 0x1F, j: true }`;
    writeFileSync(
      file,
      `tables:
  web:
    - { k: 1, n: 12345678901.123456789, j: { a: [9007199254740999] } }
    - { k: 2, n: 1.10, j: 12345678901234567899 }
    - { k: 3, n: 0o37, j: true }
tests:
  - name: the digits
    expect:
      rows:${rows('9')}
  - name: other digits
    expect:
      rows:${rows('8')}
`,
    );
    expect((await run()).output).toContain('1 failed, 1 passed');
    await run('--update');
    const written = readFileSync(file, 'utf8').split('other digits')[1];
    expect(written).toContain('n: "12345678901.123456789", j: {"a":[9007199254740999]}');
    expect(written).toContain('j: 12345678901234567899');
    expect((await run()).output).toContain('2 passed');
  });

  test('an unexpected error, a missing one, a wrong one', async () => {
    withTests('error: FORBIDDEN', 'error: INVALID_PARAMETER');
    expect((await run()).output).toContain(
      'expected the error INVALID_PARAMETER; got FORBIDDEN: project: this key has no access',
    );
    withTests('tenant: other\n    expect: { error: FORBIDDEN }', 'expect: { error: FORBIDDEN }');
    expect((await run()).output).toContain('expected the error FORBIDDEN, got 2 rows');
    withTests('tables: { web: [] }', 'parameters: { project: "" }');
    expect((await run()).output).toContain('failed with MISSING_PARAMETER: project: is required');
  });

  test.each([
    [
      'project: abc, status: 399',
      'projct: abc, status: 399',
      ':5 tables.web.0.projct: no field is named projct; did you mean project?',
    ],
    ['  web:\n', '  webs:\n', ':4 tables.webs: no table is named webs; did you mean web?'],
    [
      'parameters: { project',
      'parameters: { projekt',
      ':10 parameters.projekt: no parameter is named projekt; did you mean project?',
    ],
    ['status: 400 }\n  -', 'statuz: 400 }\n  -', 'no column is named statuz; did you mean status?'],
    ['expect: { error', 'expct: { error', ':19 tests.1: unknown: expct'],
    [
      'status: 399',
      'status: 9007199254740993',
      ':5 tables.web.0.status: numbers beyond 2^53 must be in quotes',
    ],
    ['status: 399', 'status: .inf', ':5 tables.web.0.status: Infinity is null in JSON: write null'],
    ['status: 400 }\n  -', 'status: .nan }\n  -', '.status: NaN is null in JSON: write null'],
    ['now: 2026-03-10T12:00:00Z', 'now: yesterday', ':2 now: must be an ISO 8601 timestamp'],
  ])('a mistake in the file: %s → %s', async (from, to, message) => {
    withTests(from, to);
    const { exitCode, errors } = await run();
    expect(errors).toContain(message);
    expect(exitCode).toBe(1);
  });

  test.each([
    ['', ':1 must be an object, as in { tests: [{ name: first, expect: { rows: [] } }] }'],
    ['- name: a\n', ':1 must be an object, as in { tests: [{ name: first, expect: { rows: [] } }] }'],
    ['tests: { name: a }\n', ':1 tests: must be a list, as in [{ name: first, expect: { rows: [] } }]'],
    [
      'tests:\n  - name: a\n    expect: [{ status: 200 }]\n',
      ':3 tests.0.expect: must be an object, as in { rows: [{ status: 200 }] }',
    ],
  ])('a file of another form: %j', async (text, message) => {
    writeFileSync(file, text);
    const { exitCode, errors } = await run();
    expect(errors).toContain(`${file}${message}`);
    expect(exitCode).toBe(1);
  });

  test('a column that was renamed is one mistake of the file, however many rows have it', async () => {
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replaceAll('status: ', 'statuz: '));
    const { errors } = await run();
    expect(errors.match(/no field is named statuz/g)).toHaveLength(1);
    expect(
      errors.match(/no column is named statuz; did you mean status\? \(\d+ times in this file\)/g),
    ).toHaveLength(1);
  });

  test('a file of tests that would never run, or is not UTF-8, is a problem', async () => {
    const other = join(folder, 'tests', 'Hits.YAML');
    writeFileSync(other, tests);
    expect((await run()).errors).toContain(
      'Hits.YAML is not read: its name must end with .yaml, in lower case',
    );
    rmSync(other);
    writeFileSync(file, Buffer.from(tests.replace('A comment that stays', 'Für alle'), 'latin1'));
    expect((await run()).errors).toContain('hits.yaml:1 must be UTF-8: iconv -f latin1 -t utf-8');
  });

  test('a folder of the name of a test is a problem', async () => {
    rmSync(file);
    mkdirSync(file);
    expect((await run()).errors).toContain('hits.yaml cannot be read (EISDIR)');
  });

  test('hidden files are no tests, and links to folders are not entered', async () => {
    writeFileSync(join(folder, 'tests', '.#hits.yaml'), '');
    symlinkSync('.', join(folder, 'tests', 'again'));
    expect(await run()).toMatchObject({ exitCode: 0, errors: '' });
  });

  test('a parameter is sent as it is written', async () => {
    writeFileSync(
      file,
      tests.replaceAll('abc', '"1.10"').replace('{ project: "1.10" }', '{ project: 1.10 }'),
    );
    expect((await run()).output).toContain('3 passed');
  });

  test('an order alone expects nothing, and --update writes the rows beside it', async () => {
    withTests('expect:\n      rows: []', 'expect: { order: any }');
    expect((await run()).output).toContain('expects neither rows nor an error; --update writes the rows');
    await run('--update');
    expect(readFileSync(file, 'utf8')).toContain('expect:\n      order: any\n      rows: []\n');
  });

  test('a row that cannot be imported fails its tests', async () => {
    withTests('status: 399', 'status: many');
    const { output } = await run();
    expect(output).toContain('The rows of a test cannot be imported:\n      row 1 of web: ');
    expect(output).toContain('2 failed, 1 passed');
  });

  test('rows of a data file', async () => {
    writeFileSync(join(folder, 'tests', 'rows.csv'), 'ts,project,status\n2026-03-10T11:00:01.5Z,abc,400\n');
    withTests(
      'tables: { web: [] }\n    expect:\n      rows: []',
      'tables: { web: { file: rows.csv } }\n    expect: { count: 1 }',
    );
    expect((await run()).output).toContain('3 passed');
    withTests('tables: { web: [] }', 'tables: { web: { file: other.csv } }');
    expect((await run()).output).toContain('other.csv does not exist');
  });

  test('--update writes the rows, and leaves all else as it is', async () => {
    const edited = tests
      .replace('01Z, status: 503', '01Z, status: 502')
      .replace('    expect:\n      rows: []\n', '');
    writeFileSync(file, edited);
    expect((await run('--update')).output).toMatch(/\n2 updated, 1 passed \(.* s\): review the changes\n$/);
    expect(readFileSync(file, 'utf8')).toBe(tests);
    expect(await run()).toMatchObject({ exitCode: 0 });
  });

  test('--update writes each digit of the rows, and a test compares each', async () => {
    const json = query()
      .replace('type: integer', 'type: json')
      .replace('select ts, status', 'select ts, json \'{"n":9007199254740993}\' as status');
    writeFileSync(join(folder, 'hits.sql'), json);
    withTests('ts: 2026-03-10T11:00:01.5Z', 'ts: 9999-12-31T23:59:59.999999Z');
    expect((await run('--update')).output).toContain('1 updated, 2 passed');
    const written = readFileSync(file, 'utf8');
    expect(written).toContain('- { ts: 9999-12-31T23:59:59.999999Z, status: {"n":9007199254740993} }\n');
    expect(await run()).toMatchObject({ exitCode: 0 });
    writeFileSync(file, written.replaceAll('740993}', '740992}'));
    expect((await run()).output).toContain('2 expected, 2 returned');
  });

  const rows =
    '[ { ts: 2026-03-09T12:00:00.000001Z, status: 503 }, { ts: 2026-03-10T11:00:01.5Z, status: 400 } ]';
  const shared = tests.slice(0, tests.indexOf('tests:\n'));

  test('--update writes the rows of tests in braces into the same braces', async () => {
    const asserts = 'asserts: "ASSERT (SELECT COUNT(*) FROM query.hits) >= 0"';
    writeFileSync(
      file,
      `${shared}tests:
- { name: first, parameters: { project: abc }, expect: { order: any, rows: [{ status: 1 }] } } # kept
- { name: second, tenant: other, expect: { error: FORBIDDEN } }
- { name: third, }
- name: fourth
- { "name": "fifth",
    "expect": { ${asserts}, "rows": [ { status: 1 } ] },
    "tables": { "web": [] } }
`,
    );
    const first = await run('--update');
    expect(first.errors).toBe('');
    expect(first.output).toContain('\n4 updated, 1 passed');
    expect(readFileSync(file, 'utf8')).toBe(`${shared}tests:
- { name: first, parameters: { project: abc }, expect: { order: any, rows: ${rows} } } # kept
- { name: second, tenant: other, expect: { error: FORBIDDEN } }
- { name: third, expect: { rows: ${rows} }, }
- name: fourth
  expect:
    rows:
      - { ts: 2026-03-09T12:00:00.000001Z, status: 503 }
      - { ts: 2026-03-10T11:00:01.5Z, status: 400 }
- { "name": "fifth",
    "expect": { ${asserts}, "rows": [] },
    "tables": { "web": [] } }
`);
  });

  test('--update writes rows and counts alone: comments and line ends stay', async () => {
    const edited = `${shared}tests:
  - name: first # a day
    expect: # sorted
      # Both of them.
      order: exact # as ORDER BY
      count: 3 # for now
      rows: # two
        - { status: 1 }
      truncated: true
      # The end.
  - name: second
    expect:
      order: exact # kept
  - name: third # last
`.replaceAll('\n', '\r\n');
    writeFileSync(file, edited);
    const { output, errors } = await run('--update');
    expect(errors).toBe('');
    expect(output).toContain('\n3 updated (');
    const [first, second] = [
      '- { ts: 2026-03-09T12:00:00.000001Z, status: 503 }',
      '- { ts: 2026-03-10T11:00:01.5Z, status: 400 }',
    ];
    expect(readFileSync(file, 'utf8')).toBe(
      edited
        .replace('count: 3', 'count: 2')
        .replace('- { status: 1 }', `${first}\r\n        ${second}`)
        .replace('truncated: true', 'truncated: false')
        .replace('# kept', `# kept\r\n      rows:\r\n        ${first}\r\n        ${second}`)
        .replace('# last', `# last\r\n    expect:\r\n      rows:\r\n        ${first}\r\n        ${second}`),
    );
  });

  test('--update writes the rows of a test whose ASSERT does not hold, which fails still', async () => {
    withTests(
      '      rows: []\n',
      '      asserts: ASSERT EXISTS(SELECT 1 FROM query.hits) AS "some"\n      rows: [{ status: 1 }]\n',
    );
    expect((await run()).output).toContain('rows differ: 1 expected, 0 returned\n    ');
    const { output, exitCode } = await run('--update');
    expect(output).toMatch(/ some: the condition is FALSE\n\n1 failed, 2 passed/);
    expect(output).not.toContain('rows differ');
    expect(exitCode).toBe(1);
    expect(readFileSync(file, 'utf8')).toContain('AS "some"\n      rows: []\n');
  });

  test('--update leaves a test as it is where new rows would change others, and says so', async () => {
    const edited = `${shared}tests:
  - name: an anchor
    expect: &rows { rows: [] }
  - name: an alias
    tables: { web: [] }
    expect: *rows
  - { name: braces, expect: { rows: [] } }
`;
    writeFileSync(file, edited);
    const { output, errors, exitCode } = await run('--update');
    expect(output).toContain('\n1 failed, 1 updated, 1 passed');
    expect(errors).toContain(`${file}:12 is not updated`);
    expect(exitCode).toBe(1);
    expect(readFileSync(file, 'utf8')).toBe(edited.replace(/rows: \[\] } }\n$/, `rows: ${rows} } }\n`));
  });

  test('--update writes a first test over the data folder', async () => {
    rmSync(file);
    writeFileSync(join(folder, 'hits.sql'), query().replace('Whose. }', 'Whose., example: abc }'));
    expect((await run('hits')).errors).toContain('the query has no tests; --update writes a first one');
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir);
    writeFileSync(
      join(dataDir, 'web.csv'),
      'ts,project,status\n2026-03-10T11:00:00Z,abc,400\n2026-03-10T12:00:00Z,abc,200\n2026-03-09T11:00:00Z,abc,500\n',
    );
    const { output, exitCode } = await run('hits', '--update', '--data-dir', dataDir);
    expect(output).toContain(`wrote ${file}: a first test, of the rows of the data folder\n+ hits › abc`);
    expect(output).toContain(`${file}:6 expects 1 row now\n\n1 updated (`);
    expect(exitCode).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(`now: 2026-03-10T12:00:00.000Z
tables:
  web:
    file: ../data/web.csv
tests:
  - name: abc
    parameters:
      project: abc
    expect:
      rows:
        - { ts: 2026-03-10T11:00:00Z, status: 400 }
`);
    expect(await run()).toMatchObject({ exitCode: 0 });
  });

  test('a first test has the day of the newest date as now, and no order if the query has none', async () => {
    rmSync(file);
    writeFileSync(
      join(folder, 'tables', 'web.json'),
      '[{"name":"day","type":"DATE"},{"name":"project","type":"STRING"}]',
    );
    const sql = query()
      .replace(/ts: .*\n {2}status: .*\n/, 'day: { type: date, description: Day. }\n')
      .replace(/select ts.*/s, 'select day from web where project = @project and day = current_date()')
      .replace('Whose. }', 'Whose., example: abc }');
    writeFileSync(join(folder, 'hits.sql'), sql);
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'data', 'web.csv'), 'day,project\n2026-03-10,abc\n2026-03-09,abc\n');
    await run('hits', '--update', '--data-dir', join(folder, 'data'));
    const written = readFileSync(file, 'utf8');
    expect(written).toContain('now: 2026-03-10T12:00:00.000Z\n');
    expect(written).toContain('expect:\n      order: any\n      rows:\n        - { day: 2026-03-10 }\n');
  });

  test('--update without names writes first tests of the queries with rows, of wildcard tables on the last day', async () => {
    rmSync(file);
    const events = '[{"name":"name","type":"STRING"}]';
    for (const day of ['20260130', '20260131'])
      writeFileSync(join(folder, 'tables', `events_${day}.json`), events);
    const select = `select name, array_agg(name) as names, string_agg(name) as text from \`p.d.events_*\`
where _table_suffix = format_date('%Y%m%d', current_date()) group by name order by name`;
    const columns = `name: { type: string, description: Name. }
  names: { type: string, repeated: true, description: Names. }
  text: { type: string, description: Text. }
`;
    const sql = query()
      .replace('f60', 'f62')
      .replace(/parameters:\n.*\n/, '')
      .replace(/ts: .*\n {2}status: .*\n/, columns)
      .replace(/select ts[\s\S]*/, select);
    writeFileSync(join(folder, 'events.sql'), sql);
    mkdirSync(join(folder, 'data'));
    for (const day of ['20260130', '20260131'])
      writeFileSync(join(folder, 'data', `events_${day}.csv`), 'name\nview\n');
    const { output } = await run('--update', '--data-dir', join(folder, 'data'));
    const written = join(folder, 'tests', 'events.yaml');
    expect(output).toContain(`wrote ${written}: a first test, of the rows of the data folder
    names: ARRAY_AGG or ARRAY without ORDER BY: arrays are compared in any order
    text: STRING_AGG without ORDER BY: BigQuery may return another text; add ORDER BY
`);
    expect(output).toContain('without tests: hits (');
    expect(readFileSync(written, 'utf8')).toContain('now: 2026-01-31T12:00:00.000Z\n');
    expect(readFileSync(written, 'utf8')).toContain('- { name: "view", names: ["view"], text: "view" }\n');
  });

  test('a first test has the newest of the times that counts and texts have', async () => {
    rmSync(file);
    const fields =
      '[{"name":"event_ts","type":"INTEGER"},{"name":"day","type":"STRING"},{"name":"project","type":"STRING"}]';
    writeFileSync(join(folder, 'tables', 'web.json'), fields);
    const sql = query()
      .replace(/ts: .*\n {2}status: .*\n/, 'event_ts: { type: integer, description: Time. }\n')
      .replace(
        /select ts.*/s,
        'select event_ts from web where project = @project and timestamp_micros(event_ts) > timestamp_sub(current_timestamp(), interval 1 day)',
      )
      .replace('Whose. }', 'Whose., example: abc }');
    writeFileSync(join(folder, 'hits.sql'), sql);
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'data', 'web.csv'), 'event_ts,day,project\n1773140400000000,20260309,abc\n');
    await run('hits', '--update', '--data-dir', join(folder, 'data'));
    expect(readFileSync(file, 'utf8')).toContain('now: 2026-03-10T11:00:00.000Z\n');
  });

  test('a first test without data has no rows', async () => {
    rmSync(file);
    const { output } = await run('hits', '--update');
    expect(output).toContain(
      'a first test; web has no rows yet: add some, or run it with --data-dir <folder>',
    );
    expect(output).toContain(
      `expects 0 rows now\n    without rows it notices little: in ${file}:4, give it a now at which its rows are new, not 2026-01-31T12:00:00Z, or values of project that give rows, or rows that the query returns\n`,
    );
    expect(readFileSync(file, 'utf8')).toContain('  web: []\n');
  });

  test('a first test says why a data folder that is given has no rows for it', async () => {
    rmSync(file);
    mkdirSync(join(folder, 'data'));
    const { output } = await run('hits', '--update', '--data-dir', join(folder, 'data'));
    expect(output).toContain(
      `web has no rows yet: add some; in ${join(folder, 'data')}, rows of a table are taken from a single file of at most 10 MB\n`,
    );
    rmSync(file);
    expect((await run('hits', '--update', '--data-dir', 'nope')).errors).toContain(
      `DATA_DIR: got "nope": there is no folder ${resolve('nope')}`,
    );
    expect(existsSync(file)).toBe(false);
    const ofDemo = await run('hits', '--update', '--data-dir', ':demo:');
    expect(ofDemo.output).toContain('web has no rows yet: add some, or run it with --data-dir <folder>\n');
  });

  test('--junit writes XML for CI', async () => {
    withTests('status: 503 }', 'status: 502 }');
    const xml = join(folder, 'reports', 'junit.xml');
    const notes = join(folder, 'notes.txt');
    writeFileSync(notes, 'mine');
    for (const other of [notes, folder])
      expect((await run('--junit', other)).errors).toMatch(
        /is not a report of tests|cannot be written \(EISDIR\)/,
      );
    expect(readFileSync(notes, 'utf8')).toBe('mine');
    expect((await run('--junit', join(file, 'junit.xml'))).errors).toContain('cannot be written (E');
    await run('--junit', xml);
    const text = readFileSync(xml, 'utf8');
    expect(text).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites name="querygate" tests="3" failures="1" errors="0" time="/,
    );
    expect(text).toContain('<testsuite name="hits" tests="3" failures="1"');
    expect(text).toMatch(
      /<testcase name="the last day" classname="hits" file=".*hits.yaml" line="12" time="[\d.]+">\n {6}<failure message="rows differ: 2 expected, 2 returned">/,
    );
  });

  nightly('--watch runs again at a change', async () => {
    const child = spawn(process.execPath, ['src/main.ts', 'test', '--watch'], {
      env: { PATH: process.env.PATH, QUERIES_DIR: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const { until } = collectOutput(child);
    const waiting = 'waiting for changes[^]*';
    await until(new RegExp(waiting));
    withTests('status: 503 }', 'status: 502 }');
    await until(new RegExp(`${waiting}1 failed, 2 passed[^]*${waiting}`));
    writeFileSync(join(folder, 'hits.sql'), query('stats > 1'));
    await until(/no column is named stats/);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    expect(await ended).toBe(1);
  });

  nightly('--watch ends with the reader of its output', async () => {
    const child = spawn(process.execPath, ['src/main.ts', 'test', '--watch'], {
      env: { PATH: process.env.PATH, QUERIES_DIR: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await collectOutput(child).until(/waiting for changes/);
    child.stdout.destroy();
    withTests('status: 503 }', 'status: 502 }');
    expect(await ended).toBe(1);
  });

  test('a name that no query has, and a query without tests', async () => {
    expect((await run('hts')).errors).toContain('no saved query is named hts; did you mean hits?');
    cpSync(join(folder, 'hits.sql'), join(folder, 'other.sql'));
    writeFileSync(join(folder, 'other.sql'), query().replace('f60', 'f61'));
    expect((await run()).output).toContain(
      'without tests: other (--update --data-dir <folder> writes first ones)\n3 passed',
    );
    expect((await run('other')).errors).toContain('other.yaml does not exist: the query has no tests');
  });
});

/** The emulator takes a second for a query, and half a minute on a busy machine. */
const onBusyMachine = '240000';

describe('the tests of the shipped queries', () => {
  test('pass', async () => {
    const { exitCode, output } = await runQuerygate(['test']);
    expect(output).not.toContain('✗');
    expect(exitCode).toBe(0);
  });

  test.skipIf(skipsEmulator || !isNightly)(
    'on BigQuery, large integers of a file are exact, and a wildcard fails its own test',
    async () => {
      const other = (id: string, sql: string) =>
        query()
          .replace('f60', id)
          .replace(/ts: .*\n {2}status: .*\n/, 'n: { type: integer, description: Number. }\n')
          .replace(/select ts.*/s, sql);
      const sql = 'select count(*) as n from web where project = @project and status = 9007199254740993';
      writeFileSync(join(folder, 'hits.sql'), other('f60', sql));
      cpSync(join(folder, 'tables', 'web.json'), join(folder, 'tables', 'web_old.json'));
      writeFileSync(join(folder, 'all.sql'), other('f61', sql.replace('from web', 'from `we*`')));
      writeFileSync(join(folder, 'tests', 'rows.ndjson'), '{"project":"abc","status":9007199254740993}\n');
      for (const name of ['all', 'hits']) {
        const text =
          'tables: { web: { file: rows.ndjson } }\nparameters: { project: abc }\ntests:\n  - name: one\n    expect: { rows: [{ n: 1 }] }\n';
        writeFileSync(join(folder, 'tests', `${name}.yaml`), text);
      }
      const emulator = await startEmulator();
      const { output } = await runQuerygate(['test', '--engine', 'bigquery'], {
        QUERIES_DIR: folder,
        BIGQUERY_PROJECT: emulator.project,
        BIGQUERY_DATASET: 'none',
        BIGQUERY_API_ENDPOINT: emulator.endpoint,
        ENGINE_TIMEOUT_MS: onBusyMachine,
      });
      await emulator.close();
      expect(output).toContain("can't replace a wildcard table: run it on DuckDB");
      expect(output).toContain('1 failed, 1 passed');
    },
  );

  test.skipIf(skipsEmulator || !isNightly)(
    'pass on the emulator of BigQuery, without any table',
    async () => {
      const emulator = await startEmulator();
      const { exitCode, output } = await runQuerygate(['test', '--engine', 'bigquery'], {
        BIGQUERY_PROJECT: emulator.project,
        BIGQUERY_DATASET: 'none',
        BIGQUERY_API_ENDPOINT: emulator.endpoint,
        ENGINE_TIMEOUT_MS: onBusyMachine,
      });
      await emulator.close();
      expect(output).not.toContain('✗');
      expect(exitCode).toBe(0);
    },
    600_000,
  );
});
