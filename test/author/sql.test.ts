import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openRunner } from '../../src/author/sql/runner.ts';
import { sqlUsage } from '../../src/author/sql/usage.ts';
import { openCommandHost } from '../support/command-host.ts';
import { runQuerygate, startGateway } from '../support/gateway-process.ts';
import { nightly } from '../support/nightly.ts';
import { partText, queryText } from '../support/queries.ts';

const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** No tables: nothing is loaded. */
const noTables = { QUERIES_DIR: folder };

const querygate = openCommandHost();

async function runJson(args: readonly string[], env: Record<string, string> = noTables) {
  const { exitCode, output, errors } = await querygate(['sql', '--json', ...args], env);
  const lines = output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
  return { exitCode, errors, lines };
}

describe('parts of the queries folder', () => {
  const parts = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  afterAll(() => rmSync(parts, { recursive: true }));
  const env = { QUERIES_DIR: parts };
  mkdirSync(join(parts, 'functions'));
  writeFileSync(
    join(parts, 'base.sql'),
    partText('SELECT n, @word AS word\nFROM UNNEST([1, 2, 3]) AS n WHERE n >= @least', {
      word: 'string',
      least: '{ type: integer, bind: INT64, description: Least. }',
    }),
  );
  writeFileSync(join(parts, 'functions/f.sql'), 'CREATE FUNCTION d.plus(n INT64) AS (n + 1)');
  writeFileSync(
    join(parts, 'reader.sql'),
    queryText({
      columns: { n: 'integer' },
      parameters: { word: 'string' },
      sql: 'SELECT d.plus(n) AS n FROM query.base(least => 3) WHERE word = @word',
    }),
  );

  test('are read by a statement, with the parameters of the command line', async () => {
    const { lines } = await runJson(
      ['-p', 'word=a', '-p', 'least:INT64=3', 'select d.plus(n) as n, word from query.base'],
      env,
    );
    expect(lines).toMatchObject([{ rows: [['4', 'a']] }]);
    const saved = await runJson(['-p', 'word=b', '--file', join(parts, 'reader.sql')], env);
    expect(saved.lines).toMatchObject([{ rows: [['4']] }]);
  });

  test('have their own places in messages', async () => {
    const { lines } = await runJson(
      ['-p', 'word=a', 'select 1 as n,\n nme from query.base(least => 2)'],
      env,
    );
    expect(lines).toMatchObject([{ error: { message: 'no column is named nme', line: 2, column: 2 } }]);
    writeFileSync(join(parts, 'wrong.sql'), partText('SELECT\n  missing AS n'));
    const wrong = await runJson(['select n from query.wrong'], env);
    const message = expect.stringMatching(/wrong\.sql: no column is named missing/);
    expect(wrong.lines).toMatchObject([{ error: { message, line: 5, column: 3 } }]);
  });

  nightly('are refused where they are not read right', async () => {
    writeFileSync(join(parts, 'broken.sql'), partText('SELECT\n  1 +'));
    const statements = ['select 1 as a', 'select n from query.bse', 'select 2 as a'];
    const several = 'select 1 as n from query.bse,\n query.broken';
    const { exitCode, lines } = await runJson([...statements, several], env);
    expect(exitCode).toBe(1);
    const message = 'no saved query is named bse; did you mean query.base?';
    expect(lines).toMatchObject([
      { statement: 1, rows: [['1']] },
      { statement: 2, error: { stage: 'refused', message, line: 1, column: 15 } },
      { statement: 3, rows: [['2']] },
      {
        statement: 4,
        error: {
          ...{ stage: 'refused', message, line: 1, column: 20 },
          more: [{ message: expect.stringMatching(/^\S+broken\.sql: /), line: 5, column: 6 }],
        },
      },
    ]);
    const { output } = await querygate(['sql', ...statements], env);
    expect(output).toContain(`\n1:15 refused: ${message}\n`);
    expect(output).toMatch(/\n +2\n\(1 row; /);
  });
});

describe('a queries folder without a saved query', () => {
  const parts = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  afterAll(() => rmSync(parts, { recursive: true }));
  for (const inner of ['views', 'functions']) mkdirSync(join(parts, inner));
  writeFileSync(join(parts, 'views/v.sql'), 'CREATE VIEW stats.w (a, b) AS SELECT 1 AS x, udf.plus(1)');
  writeFileSync(join(parts, 'functions/f.sql'), 'CREATE FUNCTION udf.plus(n INT64) AS (n + 1)');

  test('has its views and functions', async () => {
    const listed =
      'select table_name, column_name from stats.INFORMATION_SCHEMA.COLUMNS order by ordinal_position';
    const { lines } = await runJson(['select udf.plus(b) as n from stats.w', listed], {
      QUERIES_DIR: parts,
    });
    expect(lines).toMatchObject([
      { rows: [['3']] },
      {
        rows: [
          ['w', 'a'],
          ['w', 'b'],
        ],
      },
    ]);
  });

  test('names them in problems as they are written', async () => {
    const { output } = await querygate(['sql', 'select udf.plus(1, 2)'], { QUERIES_DIR: parts });
    expect(output).toContain('1:8 refused: udf.plus takes 1 argument');
  });

  test('need not exist, but must be a folder', async () => {
    const missing = await runJson(['select 1 as n'], { QUERIES_DIR: join(parts, 'missing') });
    expect(missing.lines).toMatchObject([{ rows: [['1']] }]);
    const file = await runJson(['select 1 as n'], { QUERIES_DIR: join(parts, 'views/v.sql') });
    expect(file).toMatchObject({
      exitCode: 2,
      errors: expect.stringContaining('v.sql is not a readable folder of saved queries'),
    });
  });
});

describe('querygate sql', () => {
  test('takes statements that begin with a comment', async () => {
    const args = [
      '-- first\nSELECT 1 AS a',
      '--second\nSELECT @x AS b',
      '--c=d\nSELECT @y AS c',
      '--parameter=x=p q',
      '--parameter=y=r\ns',
      '--max-rows',
      '3',
    ];
    expect(await runJson(args)).toMatchObject({
      exitCode: 0,
      lines: [{ rows: [['1']] }, { rows: [['p q']] }, { rows: [['r\ns']] }],
    });
  });

  test('prints a table for people', async () => {
    const sql =
      "select 1 as n, 'a\\nb' as text, null as nothing union all select -22, 'c', null order by n desc";
    const { exitCode, output } = await querygate(['sql', sql], noTables);
    expect(exitCode).toBe(0);
    expect(output.replace(/\d+ ms/, '5 ms')).toBe(`n     | text   | nothing
INT64 | STRING | INT64
------+--------+--------
    1 | a\\nb   |    NULL
  -22 | c      |    NULL
(2 rows; 5 ms)
`);
  });

  const values: readonly (readonly [sql: string, type: string, cell: unknown])[] = [
    ['9223372036854775807', 'INT64', '9223372036854775807'],
    ["NUMERIC '-1.500'", 'NUMERIC', '-1.5'],
    ["NUMERIC '100'", 'NUMERIC', '100'],
    ['0.1', 'FLOAT64', 0.1],
    ['1e300', 'FLOAT64', 1e300],
    ["CAST('nan' AS FLOAT64)", 'FLOAT64', 'NaN'],
    ["CAST('-inf' AS FLOAT64)", 'FLOAT64', '-Infinity'],
    ['CAST(-1 AS FLOAT64) * 0', 'FLOAT64', -0],
    ['true', 'BOOL', true],
    ["'x'", 'STRING', 'x'],
    ["b'\\xff\\x00'", 'BYTES', '/wA='],
    ["DATE '0001-01-01'", 'DATE', '0001-01-01'],
    ["TIME '12:34:56.7'", 'TIME', '12:34:56.700000'],
    ["DATETIME '2024-01-31 12:34:56'", 'DATETIME', '2024-01-31T12:34:56.000000'],
    ["TIMESTAMP '1969-12-31 23:59:59.999999+01'", 'TIMESTAMP', '1969-12-31T22:59:59.999999Z'],
    ['INTERVAL -14 MONTH', 'INTERVAL', '-1-2 0 0:0:0'],
    ["JSON 'null'", 'JSON', 'null'],
    ['[1, NULL]', 'ARRAY<INT64>', ['1', null]],
    ["STRUCT(1 AS `1`, 'x' AS b, [2.5])", 'STRUCT<`1` INT64, b STRING, ARRAY<FLOAT64>>', ['1', 'x', [2.5]]],
    ['CAST(NULL AS DATE)', 'DATE', null],
    // DuckDB computes these before the query, and their type is lost to it.
    ["CONCAT('x', NULL)", 'STRING', null],
    ["CONCAT('x', NULLIF('a', 'a'))", 'STRING', null],
    ["MOD(NUMERIC '2', CAST(NULL AS NUMERIC))", 'NUMERIC', null],
    [
      "STRUCT(CONCAT('x', NULL) AS a, [UPPER(CONCAT('x', NULL))] AS b)",
      'STRUCT<a STRING, b ARRAY<STRING>>',
      [null, [null]],
    ],
  ];

  test('prints one line of JSON for each statement, whose values lose nothing', async () => {
    const file = join(folder, 'values.json');
    writeFileSync(file, `\uFEFF${JSON.stringify(values.map(([sql]) => `SELECT ${sql} AS x`))}`);
    const { exitCode, lines } = await runJson(['--file', file]);
    expect(exitCode).toBe(0);
    expect(lines).toEqual(
      values.map(([, type, cell], at) => ({
        statement: at + 1,
        columns: [{ name: 'x', type }],
        rows: [[cell]],
      })),
    );
  });

  test('keeps columns with equal names', async () => {
    const { lines } = await runJson(['select 1 as a, 2 as a']);
    expect(lines).toEqual([
      {
        statement: 1,
        columns: [
          { name: 'a', type: 'INT64' },
          { name: 'a', type: 'INT64' },
        ],
        rows: [['1', '2']],
      },
    ]);
  });

  test('reports a failure with its stage and place, runs the other statements, and exits with 1', async () => {
    const file = join(folder, 'failing.sql');
    writeFileSync(
      file,
      "select 1 as a;\nselect 2,\n  frobnicate(1); select error('broken') ;;\nselect 2 as a -- end;\n",
    );
    const { exitCode, lines } = await runJson(['--file', file]);
    expect(exitCode).toBe(1);
    expect(lines).toMatchObject([
      { statement: 1, rows: [['1']] },
      {
        error: { stage: 'refused', line: 3, column: 3, message: 'the function FROBNICATE is not supported' },
      },
      { error: { stage: 'run time', line: 3, column: 18, message: 'broken' } },
      { statement: 4, rows: [['2']] },
    ]);
  });

  test('takes parameters: texts as saved queries do, or values of another type', async () => {
    const sql = "select @who as who, @n as n, @day as day, '@n' as text, @n + frob(@n)";
    const parameters = ['-p', "who=O'Neil", '-p', 'n:INT64=-5', '-p', 'day:DATE=2024-01-31'];
    const refused = await runJson([sql, ...parameters]);
    expect(refused.lines).toMatchObject([
      { error: { stage: 'refused', line: 1, column: sql.indexOf('frob') + 1 } },
    ]);
    const { lines } = await runJson([sql.replace(', @n + frob(@n)', ''), ...parameters]);
    expect(lines).toMatchObject([{ rows: [["O'Neil", '-5', '2024-01-31', '@n']] }]);

    expect((await runJson(['select @who'])).lines).toMatchObject([
      { error: { stage: 'refused', column: 8, message: '@who has no value; give it by -p who=value' } },
    ]);
    const untyped = 'select @n from unnest([1]) as x where x = @n and x < @N and x > @m';
    expect((await runJson([untyped])).lines).toMatchObject([
      {
        error: {
          ...{ stage: 'refused', column: 8, message: '@n has no value; give it by -p n=value' },
          more: [{ message: '@m has no value; give it by -p m=value', column: untyped.indexOf('@m') + 1 }],
        },
      },
    ]);
    const wrong = await runJson(['select 1', '-p', 'n:INT64=x']);
    expect(wrong).toMatchObject({ exitCode: 2, lines: [] });
    expect(wrong.errors).toContain('-p: got "n:INT64=x"; "x" is not a value of type INT64');
  });

  test('takes lists: a parameter that is given several times, or one of an ARRAY type', async () => {
    const sql =
      "select array_to_string(@who, '|') as who, array_length(@n) as n, 5 in unnest(@n) as has, @one as one";
    const lists = ['-p', "who=O'Neil", '-p', 'who=', '-p', 'WHO=a\\b', '-p', 'n:INT64=-5', '-p', 'N:int64=5'];
    const { lines } = await runJson([sql, ...lists, '-p', 'one:ARRAY<DATE>=2024-01-31']);
    expect(lines).toMatchObject([{ rows: [["O'Neil||a\\b", '2', true, ['2024-01-31']]] }]);

    const empty = await runJson(['select array_length(@n) as n', '-p', 'n:ARRAY<INT64>=']);
    expect(empty.lines).toMatchObject([{ rows: [['0']] }]);
    const mixed = await runJson(['select 1', '-p', 'n:INT64=1', '-p', 'n=2']);
    expect(mixed).toMatchObject({ exitCode: 2, lines: [] });
    expect(mixed.errors).toContain('-p: n is INT64 and STRING; all values of a list have one type');
    const wrong = await runJson(['select 1', '-p', 'n:INT64=1', '-p', 'n:INT64=x']);
    expect(wrong.errors).toContain('-p: got "n:INT64=x"; "x" is not a value of type INT64');
  });

  test('ends a statement at the time-out, and reads no more rows than the maximum', async () => {
    const slow =
      'select count(*) from unnest(generate_array(1, 300000)) a, unnest(generate_array(1, 300000)) b where a*b = 7';
    const many = 'select n from unnest(generate_array(1, 5)) as n order by n';
    const { lines } = await runJson([slow, many, '--timeout', '3s', '--max-rows', '2']);
    expect(lines).toMatchObject([
      { error: { stage: 'run time', message: 'no result within 3 s' } },
      { rows: [['1'], ['2']], truncated: true },
    ]);
  });

  test('explains a statement without running it', async () => {
    const { lines } = await runJson(["select upper('a') as a, error('not run')", '--explain']);
    expect(lines).toMatchObject([{ statement: 1, explain: { generic: expect.stringMatching(/^SELECT/) } }]);
  });

  nightly('reads the demo of the shipped queries', async () => {
    const { lines } = await runJson(['select count(*) > 0 as has_rows from edge_logs'], {});
    expect(lines).toMatchObject([{ rows: [[true]] }]);
  });

  test('reads BIGNUMERIC of a data folder without loss', async () => {
    const queries = join(folder, 'with-tables');
    const data = join(folder, 'data', 'amounts');
    mkdirSync(join(queries, 'tables'), { recursive: true });
    mkdirSync(data, { recursive: true });
    writeFileSync(
      join(queries, 'tables', 'amounts.json'),
      JSON.stringify([{ name: 'amount', type: 'BIGNUMERIC', mode: 'NULLABLE' }]),
    );
    const exact = '12345678901234567890123456789012345.12345678901234567890123456789012345678';
    writeFileSync(join(data, 'a.ndjson'), `{"amount":"${exact}"}\n{"amount":-1.5}\n{}\n`);
    const env = { QUERIES_DIR: queries, DATA_DIR: join(folder, 'data'), STORE_FILE: ':memory:' };
    const { lines, errors } = await runJson(['select amount from amounts order by amount'], env);
    expect(errors).toBe('');
    expect(lines).toEqual([
      {
        statement: 1,
        columns: [{ name: 'amount', type: 'BIGNUMERIC' }],
        rows: [[null], ['-1.5'], [exact]],
      },
    ]);
  });

  describe('with tables whose rows are missing', () => {
    const queries = join(folder, 'missing');
    const data = join(folder, 'missing-data');
    for (const part of [join(queries, 'tables'), data]) mkdirSync(part, { recursive: true });
    for (const name of ['parts', 'shops']) {
      writeFileSync(join(queries, 'tables', `${name}.json`), '[{ "name": "n", "type": "INTEGER" }]');
    }
    writeFileSync(join(data, 'parts.csv.gz'), 'no gzip');
    writeFileSync(join(data, 'shops.csv'), 'n\n1\n');

    test('fails for a table with a file that cannot be read, as the gateway does', async () => {
      const env = { QUERIES_DIR: queries, DATA_DIR: data, STORE_FILE: ':memory:' };
      const { exitCode, lines } = await runJson(
        ['select count(*) as n from shops', 'select 1 as n from shops, `part*`', 'select 1 as parts'],
        env,
      );
      expect(lines).toMatchObject([
        { rows: [['1']] },
        {
          error: {
            stage: 'run time',
            message:
              'rows of parts are missing: parts.csv.gz: cannot be decompressed: incorrect header check',
          },
        },
        { rows: [['1']] },
      ]);
      expect(exitCode).toBe(1);
    });

    test('names them on standard error if no data folder is set', async () => {
      // The process of the engine says it.
      const env = { QUERIES_DIR: queries };
      const { exitCode, output, errors } = await runQuerygate(['sql', '--json', 'select n from shops'], env);
      expect(JSON.parse(output)).toMatchObject({ rows: [] });
      expect(exitCode).toBe(0);
      expect(errors).toBe(
        'Without a data folder, only tables of the demo have rows. Tables without rows: parts, shops\n',
      );
    });
  });

  test('prints arrays and structs with the values and the names of their types', async () => {
    const sql = `select [1, 2] as a, struct(1 as x, 'a, b' as y, [date '2026-01-01'] as \`z z\`) as b,
[struct(numeric '1.5'), struct(null)] as c, struct(struct(true as t) as s, 'x') as d, cast(null as array<int64>) as e`;
    const { output } = await querygate(['sql', sql], noTables);
    const cells = output
      .split('\n')[3]
      ?.split(' | ')
      .map((cell) => cell.trim());
    expect(cells).toEqual([
      '[1, 2]',
      '{x: 1, y: "a, b", `z z`: [2026-01-01]}',
      '[{1.5}, {NULL}]',
      '{s: {t: true}, "x"}',
      'NULL',
    ]);
  });

  test('a saved query has the defaults of its header; a required parameter must be given', async () => {
    const file = join(folder, 'saved.sql');
    const parameters = {
      n: '{ type: integer, bind: INT64, default: 3, description: N. }',
      text: 'string',
      list: '{ type: string, repeated: true, description: List. }',
      Day: '{ type: date, bind: DATE, default: 2026-01-31, description: Day. }',
      of: '{ type: string, required: true, description: Of. }',
    };
    const sql = 'select @n as n, @text as text, array_length(@list) as size, @Day as day, @of as o';
    const columns = { n: 'integer', text: 'string', size: 'integer', day: 'date', o: 'string' };
    writeFileSync(file, queryText({ columns, parameters, sql }));
    expect((await runJson([file, '-p', 'of=me'])).lines).toMatchObject([
      { rows: [['3', '', '0', '2026-01-31', 'me']] },
    ]);
    const given = ['-p', 'of=me', '-p', 'N:INT64=4', '-p', 'list=a', '-p', 'list=b'];
    expect((await runJson(['--file', file, ...given])).lines).toMatchObject([
      { rows: [['4', '', '2', '2026-01-31', 'me']] },
    ]);
    expect((await runJson([file])).lines).toMatchObject([
      { error: { message: '@of has no value; give it by -p of=value' } },
    ]);
  });

  nightly('runs beside a gateway that has the store open', async () => {
    const data = join(folder, 'shared');
    const queries = join(folder, 'shared-queries');
    mkdirSync(join(queries, 'tables'), { recursive: true });
    mkdirSync(data);
    writeFileSync(join(queries, 'tables', 't.json'), '[{ "name": "n", "type": "INTEGER" }]');
    writeFileSync(join(queries, 'a.sql'), queryText({ columns: { n: 'integer' }, sql: 'select n from t' }));
    writeFileSync(join(data, 't.csv'), 'n\n1\n2\n');
    const env = { QUERIES_DIR: queries, DATA_DIR: data, STORE_FILE: '' };
    const gateway = await startGateway({ ...env, PORT: '0' });
    try {
      // The process of the engine says it.
      const { output, errors } = await runQuerygate(['sql', '--json', 'select sum(n) as n from t'], env);
      expect(JSON.parse(output)).toMatchObject({ rows: [['3']] });
      expect(errors).toBe('A gateway uses the store: the rows are imported once more, into memory\n');
    } finally {
      await gateway.end();
    }
  });

  test('--help explains the output; a wrong command line names it', async () => {
    const help = await querygate(['sql', '--help']);
    expect(help).toMatchObject({ exitCode: 0, errors: '' });
    expect(help.output).toContain(sqlUsage);
    const wrong = await querygate(['sql', '--jsn']);
    expect(wrong).toMatchObject({ exitCode: 2, output: '' });
    expect(wrong.errors).toContain('--help');
    const empty = await querygate(['sql', ' ; -- nothing']);
    expect(empty).toMatchObject({ exitCode: 2, output: '' });
    expect(empty.errors).toContain('there is no statement');
  });
});

describe('querygate sql loads the rows of a wildcard', () => {
  const queries = join(folder, 'daily');
  const data = join(folder, 'daily-data');
  const env = { QUERIES_DIR: queries, DATA_DIR: data };
  mkdirSync(join(queries, 'tables'), { recursive: true });
  mkdirSync(data);
  for (const day of ['1', '2']) {
    writeFileSync(join(queries, 'tables', `ev_${day}.json`), '[{ "name": "n", "type": "INTEGER" }]');
    writeFileSync(join(data, `ev_${day}.ndjson`), '{"n":1}\n{"n":2}\n');
  }
  const rowsOf = async (args: readonly string[]) => (await runJson(args, env)).lines;

  const wildcard = 'select count(*) from `ev_*`';
  nightly('named in a file of SQL, of JSON, and of a saved query', async () => {
    const texts = {
      'plain.sql': `-- days\n${wildcard};`,
      'list.json': JSON.stringify([{ sql: wildcard }]),
      'saved.sql': queryText({ columns: { n: 'integer' }, sql: wildcard.replace('(*)', '(*) as n') }),
    };
    for (const [name, text] of Object.entries(texts)) {
      const file = join(folder, name);
      writeFileSync(file, text);
      const args = name.endsWith('.json') ? ['--file', file] : [file];
      expect(await rowsOf(args)).toMatchObject([{ rows: [['4']] }]);
    }
  });

  test('named on standard input', () => {
    const output = execFileSync(process.execPath, ['src/main.ts', 'sql', '--json'], {
      input: wildcard,
      env: { PATH: process.env.PATH, STORE_FILE: ':memory:', ...env },
    });
    expect(JSON.parse(output.toString())).toMatchObject({ rows: [['4']] });
  });

  test('named in an argument with a parameter, beside a statement that fails', async () => {
    const sql = `select * from nothing; ${wildcard} where _table_suffix = @day`;
    expect(await rowsOf([sql, '-p', 'day=1'])).toMatchObject([{ error: {} }, { rows: [['2']] }]);
  });

  test('but no rows where a common table only has the name of a table', async () => {
    const missing = { ...env, DATA_DIR: join(folder, 'missing') };
    const { lines } = await runJson(['with ev_1 as (select 1 as n) select n from ev_1'], missing);
    expect(lines).toMatchObject([{ rows: [['1']] }]);
  });
});

test('a statement that ends its process, or never ends, stops no other statement', async () => {
  const runner = openRunner({
    settings: {},
    texts: [],
    explain: false,
    timeoutMs: 100,
    maxRows: 1,
    program: new URL('./fixtures/failing-worker.ts', import.meta.url),
  });
  const run = (sql: string) => runner.run({ sql, parameters: {}, original: (problem) => problem });
  expect(await run('a')).toMatchObject({ rows: [['a']] });
  expect(await run('die')).toMatchObject({ error: { stage: 'crash' } });
  expect(await run('b')).toMatchObject({ rows: [['b']] });
  expect(await run('hang')).toMatchObject({
    error: { stage: 'run time', message: 'no result within 0.1 s' },
  });
  expect(await run('c')).toMatchObject({ rows: [['c']] });
  await runner.close();
});
