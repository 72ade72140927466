import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openCommandHost } from '../support/command-host.ts';
import { runQuerygate } from '../support/gateway-process.ts';

const querygate = openCommandHost();

test('check reports that the shipped queries are valid', async () => {
  expect(await runQuerygate(['check'])).toEqual({
    exitCode: 0,
    output: '3 saved queries are valid\n',
    errors: '',
  });
});

test('check reports every problem with file and line, and exits with 1', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  cpSync('queries', folder, { recursive: true });
  const file = join(folder, 'usage.api-counts.sql');
  const text = readFileSync(file, 'utf8').replace(
    "countif(regexp_contains(path, '/auth'))",
    'frobnicate(path)',
  );
  writeFileSync(file, text);
  const line = text.split('\n').findIndex((one) => one.includes('frobnicate')) + 1;

  const { exitCode, errors } = await querygate(['check'], { QUERIES_DIR: folder });
  expect(exitCode).toBe(1);
  expect(errors).toContain(`usage.api-counts.sql:${line}:3 the function FROBNICATE is not supported`);
  rmSync(folder, { recursive: true });
});

describe('a folder without saved queries is reported by each command, with what would be right', () => {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'empty'));
  cpSync('queries/tables', join(folder, 'tables-only', 'tables'), { recursive: true });

  test.each(['check', 'test', 'test --update', 'schema', 'openapi', 'types', 'compile a', 'diff HEAD'])(
    '%s',
    async (command) => {
      const run = async (name: string) => {
        const { output, errors } = await querygate(command.split(' '), { QUERIES_DIR: join(folder, name) });
        expect(output).toBe('');
        return errors;
      };
      for (const name of ['empty', 'tables-only'])
        expect(await run(name)).toBe(
          `There are no saved queries:\n  ${join(folder, name)} contains no *.sql file; querygate new writes one\n`,
        );
      expect(await run('missing')).toBe(
        `The saved queries cannot be read:\n  ${join(folder, 'missing')} is not a readable folder of saved queries (ENOENT): there is no folder ${join(folder, 'missing')}; querygate new makes it\n`,
      );
    },
  );
});

test('a folder of views and functions is checked without queries', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  mkdirSync(join(folder, 'views'));
  writeFileSync(join(folder, 'views', 'v.sql'), 'CREATE VIEW d.v AS SELECT x FROM missing');
  const { errors, exitCode } = await querygate(['check'], { QUERIES_DIR: folder });
  expect(errors).toContain('v.sql:1:34 no table is named missing');
  expect(exitCode).toBe(1);
  rmSync(folder, { recursive: true });
});

describe('without anything, a command says what it takes', () => {
  test.each([
    ['diff', 'Usage: querygate diff <ref>'],
    ['new', 'Usage: querygate new <name> [file]'],
    ['tables add', 'Usage: querygate tables add <name> [file...]'],
    ['keys roll', 'Usage: querygate keys roll <id>'],
    ['compile', 'Usage: querygate compile '],
    ['sql', 'expected a statement, a file, or SQL on standard input, which is empty'],
    ['new orders', 'expected SQL on standard input, which is empty; a file may be named instead'],
    ['tables add orders', 'standard input, which is empty; a file may be named instead'],
  ])('querygate %s', async (command, message) => {
    const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
    const { exitCode, output, errors } = await runQuerygate(command.split(' '), { QUERIES_DIR: folder });
    rmSync(folder, { recursive: true });
    expect(exitCode).not.toBe(0);
    expect(output + errors).toContain(message);
  });

  test('sql over a table that is not declared names the command that declares it', async () => {
    const { errors } = await runQuerygate(['sql', 'select 1 from orders']);
    expect(errors).toContain('querygate tables add orders <data file, or output of bq show>');
  });
});

test('a wrong command line is reported with what would be right, and exits with 1', async () => {
  const { exitCode, output, errors } = await querygate(['check', '--engin', 'duckdb']);
  expect({ exitCode, output }).toEqual({ exitCode: 1, output: '' });
  expect(errors).toContain("unknown option '--engin'");
  expect(errors).toContain('Did you mean --engine?');
});

test('check finds the usual mistakes of headers and SQL in one run, each at its place with what is probably meant', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  cpSync('queries/tables', join(folder, 'tables'), { recursive: true });
  const text = `/*---
id: 8d5a1f0e-6c3b-4f7e-9a52-1b7c0e4d2f00
description: requests
max_rows: 10
caching: 900s
parameters:
  interval:
    type: enum
    enum: MyInterval
    description: interval
    default: 1day
    values:
      1day: { name: ONE_DAY, description: a day }
columns:
  requests: { type: integer, required: true, description: count }
---*/
select count(*) as requests
from edge_logs as t
where t.project = @interval and t.timestamp > timestamp_sub(current_timestamp(), interval 1 day)
`;
  const mistakes = [
    ['count(*)', 'cuont(*)', '17:8 the function CUONT is not supported; did you mean COUNT?'],
    ['caching: 900s\n', '', '1 caching: is missing'],
    ['max_rows: 10\n', '', '1 max_rows: is missing'],
    ['1day\n', '1dy\n', '11 parameters.interval.default: must be one of 1day; did you mean 1day?'],
    [
      'columns:\n',
      'columns:\n  requets: { type: date, description: x }\n',
      '15 columns.requets: declared, but the SQL returns no such column; did you mean requests?',
    ],
    [
      '{ type: integer',
      '{ type: string',
      '15 columns.requests: declared string, but the SQL returns integer',
    ],
    [
      'caching: 900s',
      'caching: 900s\ncaching: 900s',
      '6:1 not valid YAML: this key is there already; each may be given once',
    ],
    ['---*/', '*/', '1 the header that starts here has no end: a line with ---*/ alone'],
    ['select', 'selct', ' found "selct"; did you mean SELECT?'],
    [
      'where',
      'whre true and\nwhere',
      '19:1 expected the end of the query, found "whre"; did you mean WHERE?',
    ],
    ['caching: 900s', 'caching: 900s\nshadow: m10@2', '6 shadow: no saved query is named m10@2'],
    [
      't.project = @interval',
      "t.project in (['x', @interval])",
      '19:21 an array is searched with IN UNNEST(array), not with IN (array)',
    ],
    ['where', 'gruop by 1\nwhere', '19:1 expected the end of the query, found "gruop"; did you mean GROUP?'],
    [
      'as requests',
      'as requests max(t.project)',
      '17:29 expected a comma, "FROM" or the end of the query, found "max"',
    ],
    ['1 day)', '1 dya)', 'TIMESTAMP_SUB does not support DYA; did you mean DAY?'],
    [
      'count(*) as requests',
      'count(*) as requests, t.project as p',
      '17:30 t.project is neither grouped nor aggregated: GROUP BY it as well, or take ANY_VALUE(t.project)',
    ],
    [
      'count(*) as requests',
      'count(*) as requests, upper(t.project) || t.project as p',
      '17:36 t.project is neither grouped nor aggregated',
    ],
    [
      'select count(*)',
      'select t.project count(*)',
      '17:18 expected a comma, "FROM" or the end of the query, found "count"',
    ],
    ['where', 'where count(*) > 1 and', '19:7 WHERE chooses rows before they are grouped'],
    [
      'where',
      'where rank() over (order by t.id) = 1 and',
      '19:7 WHERE chooses rows before window functions are computed: conditions on them belong in QUALIFY',
    ],
    ['where', "where 'a' + 1 is not null and", '19:7 invalid DATE literal: a'],
    [
      'where',
      'where t.project + t.id is null and',
      '19:7 + does not take (STRING, STRING): texts are joined by ||',
    ],
    ['count(*) as requests', 'count(*)', '17 column 1 of the SQL has no name: write AS requests after it'],
    [
      'count(*) as requests',
      '*',
      '17 the SQL returns columns id, timestamp, event_message, project, metadata that the header does not declare under columns; select the declared ones by name, or declare the others',
    ],
    ['edge_logs', 'my_logs', '18:6 no table is named my_logs\n'],
    [
      'select count(*) as requests',
      'create table x as select count(*) as requests',
      '17:1 CREATE TABLE is not supported: before a query, only CREATE TEMP FUNCTION and CREATE TEMP TABLE are',
    ],
    ['interval 1 day', "interval '1 day'", ' found a string: write INTERVAL 1 DAY'],
    ['count(*)', 'sum(count(*))', '17:12 an aggregate function takes no other one'],
    ['day)\n', 'day)\nqualify count(*) > 1\n', '20:9 QUALIFY needs a window function'],
    [
      'where',
      "where regexp_contains(t.project, r'(a') and",
      '19:34 not a regular expression of RE2: missing ): (a',
    ],
    ['where', "where json_value(t.project, 'a.b') = '' and", '19:29 a.b is not a JSONPath: it begins with $'],
    ['where', "where t.timestamp < 'yesterday' and", '19:7 invalid TIMESTAMP literal: yesterday'],
    ['where', "where date(t.timestamp) < date '2026-02-30' and", '19:27 invalid DATE literal: 2026-02-30'],
  ] as const;
  for (const [at, [from, to]] of mistakes.entries()) {
    expect(text).toContain(from);
    const name = `m${String(at).padStart(2, '0')}`;
    const own = text
      .replace('2f00', `2f${String(at).padStart(2, '0')}`)
      .replace('MyInterval', `Interval${at}`);
    writeFileSync(join(folder, `${name}.sql`), own.replace(from, to));
  }
  const { exitCode, errors } = await querygate(['check'], { QUERIES_DIR: folder });
  expect(exitCode).toBe(1);
  for (const [at, [, , problem]] of mistakes.entries()) {
    const name = `m${String(at).padStart(2, '0')}.sql`;
    const own = errors.split(/^ {2}(?=\S*m\d\d\.sql)/m).filter((one) => one.includes(`${name}:`));
    expect(own.join('')).toContain(problem);
  }
  expect(errors).toMatch(/^ {2}querygate tables add my_logs /m);
  rmSync(folder, { recursive: true });
});

test('check names the nearest tables, columns, fields, functions and keys, as text, JSON and annotations', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  cpSync('queries', folder, { recursive: true });
  const header = `/*---
id: 8d5a1f0e-6c3b-4f7e-9a52-1b7c0e4d2f62
description: x
max_rows: 10
caching: disabled
columns:
  a: { type: string, description: x }
---*/
`;
  const sql = `select countiff(true) as a
from edge_log as t, edge_logs as u, unnest(u.metadata) as m, unnest(m.response) as r
where u.prject = 'x' and r.statuscode = 1
`;
  writeFileSync(join(folder, 'a.sql'), header + sql);
  const env = { QUERIES_DIR: folder };
  const { errors } = await querygate(['check'], env);
  expect(errors).toContain('a.sql:9:8 the function COUNTIFF is not supported; did you mean COUNTIF?');
  expect(errors).toContain(
    'a.sql:10:6 no table is named edge_log; did you mean edge_logs?\n  10 | from edge_log as t,',
  );
  expect(errors).toContain('a.sql:11:9 no column is named prject; did you mean project?');
  expect(errors).toContain('a.sql:11:28 no field is named statuscode; did you mean status_code?');

  const json = await querygate(['check', '--json'], env);
  const document = JSON.parse(json.output) as { valid: boolean; problems: readonly object[] };
  expect(document.valid).toBe(false);
  expect(document.problems).toContainEqual({
    file: join(folder, 'a.sql'),
    line: 10,
    column: 6,
    message: 'no table is named edge_log; did you mean edge_logs?',
  });
  const github = await querygate(['check', '--github'], env);
  expect(github.exitCode).toBe(1);
  const both = await querygate(['check', '--json', '--github'], env);
  expect(JSON.parse(both.output)).toEqual(document);
  expect(both.errors).toBe(github.output.slice(github.output.indexOf('::error')));
  expect(github.output).toContain(',line=10,col=6,title=querygate check::no table is named edge_log;');

  writeFileSync(join(folder, 'a.sql'), header.replace('caching', 'cachng') + sql);
  expect((await querygate(['check'], env)).errors).toContain(
    'a.sql:5 unknown: cachng; did you mean caching?\n  5 | cachng: disabled\n    | ^^^^^^\n',
  );
  rmSync(folder, { recursive: true });
});
