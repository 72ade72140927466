import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openCommand, runProcess, writeVisits } from './support/command.ts';

const folder = mkdtempSync(join(tmpdir(), 'bigquery-sql-'));
const runCommand = openCommand();
const visits = join(folder, 'visits.duckdb');
beforeAll(() => writeVisits(visits));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string) => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};

describe('SQL that is wrong', () => {
  test.each([
    ['has its line and column', ['select 1,\n  nope'], '2:3 refused: no column is named nope\n'],
    [
      'has the place in the text that was given, not in that with values',
      ['-p', 'n:INT64=1000000', 'select @n, nope'],
      '1:12 refused: no column is named nope\n',
    ],
    [
      'has it with --compile too',
      ['--compile', '-p', 'n:INT64=1000000', 'select @n, nope, none'],
      '1:12 refused: no column is named nope\n1:18 refused: no column is named none\n',
    ],
    ['may be no query', ['selec 1'], /^1:1 refused: expected a query: .* did you mean SELECT\?\n$/],
    [
      'may ask for a user',
      ['select\n session_user()'],
      '2:2 refused: SESSION_USER() needs a user: the key of a request, or an option of the session\n',
    ],
    ['may write', ['drop table visits'], '1:1 refused: expected a query, which only reads, found "drop"\n'],
    ['may fail when it runs', ["select error('no such day')"], '1:1 run time: no such day\n'],
    ['sends a terminal no commands', [String.raw`select error('\x1b[2J')`], '1:1 run time: \\u{1b}[2J\n'],
  ] as const)('%s', async (_, args, stderr) => {
    const ended = await runCommand(args);
    expect(ended).toMatchObject({ status: 1, stdout: '' });
    expect(ended.stderr).toEqual(typeof stderr === 'string' ? stderr : expect.stringMatching(stderr));
  });

  test('shows what is hidden in texts of rows, which a terminal would take as commands', async () => {
    const { stdout } = await runCommand([String.raw`select '\x1b]0;title\x07' as t, ['\u202e'] as list`]);
    expect(stdout.split('\n')[3]).toMatch(String.raw`\u{1b}]0;title\u{7} | ["\u{202e}"]`);
  });

  test('does not keep later statements from running', async () => {
    const { status, stdout, stderr } = await runCommand(['--json', 'select nope; select 2 as x']);
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { statement: 1, error: { stage: 'refused', message: 'no column is named nope', line: 1, column: 8 } },
      { statement: 2, columns: [{ name: 'x', type: 'INT64' }], rows: [['2']] },
    ]);
  });
});

describe('a command line that is wrong', () => {
  test.each([
    [['--nope'], "Unknown option '--nope'"],
    [['-d'], "Option '-d, --database <value>' argument missing (--help lists the options)"],
    [['--compile=yes', 'select 1'], "Option '-c, --compile' does not take an argument"],
    [['-d', 'no.duckdb', 'select 1'], '--database: no.duckdb does not exist'],
    [['-f', 'no.sql'], '--file: no.sql cannot be read'],
    [['./no.sql'], './no.sql cannot be read: there is no such file'],
    [['-p', 'n', 'select @n'], '-p: got "n"; must be name=value'],
    [['-p', 'n:INT64=x', 'select @n'], '"x" is not a value of type INT64'],
    [['-p', 'n:FLOAT64=-1e400', 'select @n'], '"-1e400" is not a value of type FLOAT64'],
    [
      ['-p', 'n:INT64=99999999999999999999', 'select 1'],
      '"99999999999999999999" is not a value of type INT64',
    ],
    [
      ['-p', 'd:DATE=2024-13-01', 'select @d'],
      '-p: got "d:DATE=2024-13-01"; "2024-13-01" is not a value of type',
    ],
    [['-p', 'd:ARRAY<DATE>=x', 'select @d'], '"x" is not a value of type DATE'],
    [['-p', 'n:INT=1', 'select @n'], 'INT is not one of STRING, INT64, FLOAT64'],
    [['-p', 'n:INT64=1', '-p', 'n=a', 'select @n'], '-p: n is INT64 and STRING'],
    [['--timeout', '0', 'select 1'], '--timeout: got "0"; must be a whole number from 1 to 999999'],
    [['--max-rows', 'all', 'select 1'], '--max-rows: got "all"; must be a whole number'],
    [['  ; -- nothing'], 'there is no statement'],
  ])('%j', async (args, message) => {
    const { status, stdout, stderr } = await runCommand(args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('    at ');
  });

  test.each([
    'FLOAT64',
    'NUMERIC',
    'BIGNUMERIC',
    'BYTES',
    'TIME',
    'DATETIME',
    'TIMESTAMP',
    'INTERVAL',
    'JSON',
  ])('a parameter that is no %s', async (type) => {
    const { status, stderr } = await runCommand(['-p', `n:${type}=a-b`, 'select 1']);
    expect(status).toBe(2);
    expect(stderr).toContain(`-p: got "n:${type}=a-b"; "a-b" is not a value of type ${type}`);
  });

  test('values of all types', async () => {
    const values = ['FLOAT64=-1.5e3', 'FLOAT64=nan', 'BIGNUMERIC=1e-3', 'BYTES=AP8', 'INTERVAL=1-2 3 4:5:6'];
    const given = values.flatMap((value, at) => ['-p', `v${at}:${value}`]);
    const { status } = await runCommand(['select @v0, @v1, @v2, @v3, @v4', ...given]);
    expect(status).toBe(0);
  });

  test('a hexadecimal FLOAT64', async () => {
    const { stdout } = await runCommand(['--json', '-p', 'n:FLOAT64=-0x1F', 'select @n as n']);
    expect(JSON.parse(stdout)).toMatchObject({ rows: [[-31]] });
  });

  test('no statement, and a standard input that is empty', () => {
    const { status, stdout, stderr } = runProcess([]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('expected a statement, a file, or SQL on standard input, which is empty');
  });

  test('a file that is not a list of statements, and one that is not a database', async () => {
    for (const text of ['{', '{}', '[1]']) {
      const file = write('statements.json', text);
      const { status, stderr } = await runCommand(['-f', file]);
      const message = `--file: ${file} must be a JSON array of texts, or of objects with a text sql\n`;
      expect([status, stderr]).toEqual([2, message]);
    }
    const file = write('text.duckdb', 'no database');
    const { status, stderr } = await runCommand(['-d', file, 'select 1']);
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /^--database: .*text\.duckdb cannot be opened: .*not a valid DuckDB database file/,
    );
  });
});

test('--help lists every option', async () => {
  const { status, stdout } = await runCommand(['--help']);
  expect(status).toBe(0);
  const names = ['file', 'parameter', 'database', 'compile', 'explain', 'csv', 'json', 'timeout', 'max-rows'];
  for (const name of names) expect(stdout).toContain(`--${name}`);
});

test('statements are those of files, of arguments, or of standard input', () => {
  const rows = (args: readonly string[], input = '') =>
    runProcess(['--json', ...args], input)
      .stdout.trim()
      .split('\n')
      .map((line) => JSON.parse(line).rows[0][0]);
  expect(rows(['select 1; select 2', 'select 3'])).toEqual(['1', '2', '3']);
  expect(rows(['-f', write('two.sql', 'select 1; -- the first\nselect 2')])).toEqual(['1', '2']);
  expect(rows(['-f', write('two.json', '["select 1", "select \';\'"]')])).toEqual(['1', ';']);
  expect(rows([], 'select 4')).toEqual(['4']);
});

test('parameters are texts, values of a type, or lists', async () => {
  const options = ['-p', 'a=x', '-p', 'b:DATE=2026-01-31', '-p', 'c:INT64=1', '-p', 'c:INT64=2'];
  const { stdout } = await runCommand(['--json', ...options, 'select @a, @b, @c']);
  expect(JSON.parse(stdout).rows).toEqual([['x', '2026-01-31', ['1', '2']]]);
});

test('a value of a parameter is not a position of ORDER BY, and keeps its type', async () => {
  const given = ['-p', 'n:INT64=1', '-p', 'rate:FLOAT64=3.0', '-p', 's:DATE=2026-01-31'];
  const sql = `select x, numeric '1' / @rate as share
    from unnest([2, 1]) as x with offset as i group by x, i, @s order by @n, i limit @n`;
  const { stdout } = await runCommand(['--json', ...given, sql]);
  expect(JSON.parse(stdout)).toMatchObject({ columns: [{}, { type: 'FLOAT64' }], rows: [['2', 1 / 3]] });
  const percentile = 'select percentile_cont(x, @half) over () as m from unnest([1, 2]) as x limit 1';
  const medianWith = async (half: string) =>
    JSON.parse((await runCommand(['--json', '-p', `half:FLOAT64=${half}`, percentile])).stdout);
  expect(await medianWith('0.5')).toMatchObject({ rows: [[1.5]] });
  expect(await medianWith('1')).toMatchObject({ rows: [[2]] });
  expect(await medianWith('5e-1')).toMatchObject({ rows: [[1.5]] });
});

describe('-d', () => {
  test('gives the tables and views of a DuckDB file, and changes nothing of it', async () => {
    const { status, stdout } = await runCommand([
      '-d',
      visits,
      '--json',
      'select p.page, n from pages as p join visits using (page) order by n',
    ]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout).rows).toEqual([
      ['home', '3'],
      ['about', '4'],
    ]);
  });

  test('gives them to --compile and --explain too', async () => {
    const sql = 'select page from visits where n > 3';
    expect((await runCommand(['-d', visits, '--compile', sql])).stdout).toMatch(
      /^SELECT .* FROM "visits" .*;\n$/,
    );
    expect((await runCommand(['-d', visits, '--compile', '--json', sql])).stdout).toMatch(
      /^\{"statement":1,"sql":"SELECT /,
    );
    expect(await runCommand(['--compile', sql])).toMatchObject({
      status: 1,
      stderr: '1:18 refused: no table is named visits: give the file of its rows, as in visits.csv\n',
    });
    expect((await runCommand(['-d', visits, '--explain', sql])).stdout).toContain('FROM "visits"');
  });
});

test('--explain prints the SQL without and with passes, and what each pass does', async () => {
  const { status, stdout } = await runCommand([
    '--explain',
    "select x from unnest([1, 2]) as x where x > length('a')",
  ]);
  expect(status).toBe(0);
  expect(stdout).toMatch(
    /^Without passes:\nSELECT [\s\S]*\n\nWith passes:\nSELECT [\s\S]*\n\nPasses:\n {2}\w/,
  );
  for (const name of ['inline queries', 'hoist constants']) expect(stdout).toContain(`  ${name}: `);
  const json = JSON.parse((await runCommand(['--explain', '--json', 'select 1 as x'])).stdout);
  expect(json).toMatchObject({ statement: 1, explain: { generic: 'SELECT CAST(1 AS BIGINT) AS "x"' } });
});

test('--timeout ends a statement, and --max-rows its rows', async () => {
  const slow =
    'select count(*) from unnest(generate_array(1, 100000)) as a, unnest(generate_array(1, 100000)) as b where mod(a * b, 7) = 3';
  const { status, stderr } = await runCommand(['--timeout', '1', slow]);
  expect([status, stderr]).toEqual([1, '1:1 run time: no result within 1 s\n']);
  const { stdout } = await runCommand(['--max-rows', '1', 'select x from unnest([1, 2]) as x order by x']);
  expect(stdout).toMatch(/\n {4}1\n\(1 row, and more: --max-rows; \d+ ms\)\n$/);
});
