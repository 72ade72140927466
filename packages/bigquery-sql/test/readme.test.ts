import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';

const home = join(import.meta.dirname, '..');
const readme = readFileSync(join(home, 'README.md'), 'utf8');
/** Below the package, whose name its modules can import. */
const folder = mkdtempSync(join(home, 'test', 'example-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (args: readonly string[], input = '') =>
  spawnSync(process.execPath, [join(home, 'src/bigquery-sql.ts'), ...args], { encoding: 'utf8', input });

test('the example of the API prints what the README says', () => {
  const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const [, printed = ''] = /It prints:\n\n```\n([\s\S]*?)```/.exec(readme) ?? [];
  const file = join(folder, 'example.ts');
  writeFileSync(file, code);
  const { stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
  expect({ stdout, stderr }).toEqual({ stdout: printed, stderr: '' });
});

describe('the command', () => {
  test('runs the line at the top of the README', () => {
    const [, sql = ''] = /npx @querygate\/bigquery-sql "([^"]+)"/.exec(readme) ?? [];
    const { status, stdout } = run([sql]);
    expect(stdout.replace(/\d+ ms/, '5 ms')).toBe('f0_\nSTRING\n----------\n2026-01-01\n(1 row; 5 ms)\n');
    expect(status).toBe(0);
  });

  test.each([
    [
      'a problem has its line and column',
      ['select 1,\n  nope'],
      '',
      1,
      '',
      '2:3 refused: no column is named nope\n',
    ],
    [
      'a typed parameter keeps the places of the text',
      ['-p', 'n:INT64=1000', 'select @n, nope'],
      '',
      1,
      '',
      '1:12 refused: no column is named nope\n',
    ],
    [
      'standard input is read',
      ['--json', '-p', 'x=a'],
      'select @x as x',
      0,
      '{"statement":1,"columns":[{"name":"x","type":"STRING"}],"rows":[["a"]]}\n',
      '',
    ],
    [
      'the SQL for DuckDB is printed',
      ['--compile', 'select 1 as a'],
      '',
      0,
      'SELECT CAST(1 AS BIGINT) AS "a";\n',
      '',
    ],
    [
      'a database that does not exist',
      ['-d', 'no.duckdb', 'select 1'],
      '',
      2,
      '',
      '--database: no.duckdb does not exist\n',
    ],
    [
      'a wrong type of a parameter',
      ['-p', 'n:INT64=x', 'select @n'],
      '',
      2,
      '',
      /is not a value of type INT64/,
    ],
  ] as const)('%s', (_, args, input, status, stdout, stderr) => {
    const ended = run(args, input);
    expect(ended).toMatchObject({ status, stdout });
    if (typeof stderr === 'string') expect(ended.stderr).toBe(stderr);
    else expect(ended.stderr).toMatch(stderr);
  });
});
