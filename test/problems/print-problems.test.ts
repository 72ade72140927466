import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { problemsText, withSources } from '../../src/problems/print-problems.ts';
import { githubAnnotation } from '../../src/problems/report-problems.ts';
import { type Problem, StartError } from '../../src/errors.ts';

const text = `line 1
\tselect a from edge_log as t
columns: { requests: { type: strng } }
${'x'.repeat(200)} from here ${'y'.repeat(200)}
`;
const shown = (problem: Omit<Problem, 'file'>) =>
  withSources([{ file: 'a.sql', ...problem }], { textOf: (file) => (file === 'a.sql' ? text : undefined) });

describe('a problem', () => {
  test('with a column: carets below the word, also after a tab', () => {
    expect(shown({ line: 2, column: 16, message: 'no table' })).toBe(
      'a.sql:2:16 no table\n2 | \tselect a from edge_log as t\n  | \t              ^^^^^^^^\n',
    );
  });

  test('of a key: carets below the innermost key of the line', () => {
    const line = '3 | columns: { requests: { type: strng } }\n';
    expect(shown({ line: 3, message: 'columns.requests.type: must be' })).toContain(
      `${line}  |                        ^^^^\n`,
    );
    expect(shown({ line: 3, message: 'unknown: columns' })).toContain(`${line}  | ^^^^^^^\n`);
    expect(shown({ line: 3, message: 'caching: is missing' })).toMatch(/strng \} \}\n$/);
  });

  test('of a long line: what is around it', () => {
    const [, line = '', caret = ''] = shown({ line: 4, column: 207, message: 'here' }).split('\n');
    expect(line.length).toBeLessThan(130);
    expect(line.slice(caret.indexOf('^'), caret.lastIndexOf('^') + 1)).toBe('here');
  });

  test('of tables and functions that no file has: how they are declared', () => {
    const hintsOf = (...messages: readonly string[]) =>
      problemsText({ message: 'Problems', problems: messages.map((message) => ({ message })) })
        .split('\n')
        .slice(1 + messages.length);
    const table = 'no table is named d.t';
    const call = 'the function mozfun.d.f is not available locally: define it with CREATE TEMP FUNCTION';
    const ofFunctions = 'A function of a data set is a file of the folder functions: its CREATE FUNCTION.';
    expect(hintsOf(call, call)).toEqual([ofFunctions, '']);
    const ofTables = hintsOf(table);
    expect(ofTables.length).toBeGreaterThan(2);
    expect(hintsOf(`${table}; did you mean d.ts?`)).toEqual(['']);
    expect(hintsOf(table, 'no table is named edge_log; did you mean edge_logs?')).toEqual(ofTables);
    expect(hintsOf(table, call)).toEqual([...ofTables.slice(0, -1), ofFunctions, '']);
  });

  test('of a table: the command that declares it, under a name that a table may have', () => {
    const hintOf = (name: string) =>
      problemsText({ message: 'Problems', problems: [{ message: `no table is named ${name}` }] }).split(
        '\n',
      )[3];
    const command = (table: string) => `  querygate tables add ${table} <data file, or output of bq show>`;
    expect(hintOf('p.d.orders')).toBe(command('orders'));
    expect(hintOf('my-table')).toBe(command('my-table'));
    expect(hintOf('d.events_*')).toContain("querygate tables add 'events_*' <data files");
    expect(hintOf('my table')).toBe(
      `  "my table" cannot be the name of a table, which has letters, digits, _ and -: ${command('my_table').trim()}`,
    );
    for (const name of ['orders.ndjson', 'data/orders.csv.gz', 'orders.parquet'])
      expect(hintOf(name)).toBe(`${command('orders')}, and SQL reads it FROM orders`);
  });

  test('without a file, or in a file or line that is not there: only its place', () => {
    expect(withSources([{ message: 'PORT: wrong' }])).toBe('PORT: wrong\n');
    expect(withSources([{ file: 'none.sql', line: 3, message: 'wrong' }])).toBe('none.sql:3 wrong\n');
    expect(shown({ line: 99, message: 'wrong' })).toBe('a.sql:99 wrong\n');
  });

  test('in a file of settings or keys: only its place', () => {
    const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
    mkdirSync(join(folder, 'tests'));
    for (const [name, isShown] of [
      ['keys.yaml', false],
      ['querygate.yaml', false],
      ['a.ndjson', false],
      ['a.sql', true],
      ['tests/a.yaml', true],
    ] as const) {
      const file = join(folder, name);
      writeFileSync(file, 'secret: 1\n');
      expect(withSources([{ file, line: 1, column: 1, message: 'x' }]).includes('secret'), name).toBe(
        isShown,
      );
    }
    rmSync(folder, { recursive: true });
  });

  test('characters that control a terminal are blanks', () => {
    const control = String.fromCodePoint(27);
    const source = withSources([{ file: 'a', line: 1, column: 1, message: `x${control}[2J` }], {
      textOf: () => `${control}[31m`,
    });
    expect(source).not.toContain(control);
  });
});

test('all problems stand below the summary, indented', () => {
  const error = new StartError('There are problems', [{ message: 'a' }, { file: 'none', message: 'b' }]);
  expect(problemsText(error)).toBe('There are problems:\n  a\n  none b\n');
});

test('annotations of GitHub are escaped', () => {
  expect(githubAnnotation({ file: 'a,b:c.sql', line: 3, column: 5, message: '90 %\nand more' })).toBe(
    '::error file=a%2Cb%3Ac.sql,line=3,col=5,title=querygate check::90 %25%0Aand more\n',
  );
  expect(githubAnnotation({ message: 'x' })).toBe('::error title=querygate check::x\n');
});

test.each([
  ['queries/a.sql', dirname(process.cwd()), `${basename(process.cwd())}/queries/a.sql`],
  ['queries/a.sql', process.cwd(), 'queries/a.sql'],
  ['queries/a.sql', join(process.cwd(), 'elsewhere'), 'queries/a.sql'],
  [join(process.cwd(), 'queries/a.sql'), process.cwd(), 'queries/a.sql'],
])('the file %s of an annotation is named as in the repository %s', (file, repository, expected) => {
  vi.stubEnv('GITHUB_WORKSPACE', repository);
  expect(githubAnnotation({ file, message: 'x' })).toBe(
    `::error file=${expected},title=querygate check::x\n`,
  );
  vi.unstubAllEnvs();
});
