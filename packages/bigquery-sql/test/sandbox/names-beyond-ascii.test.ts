import { describe, expect, test } from 'vitest';
import { compile } from '../../src/compile.ts';
import { bigqueryText } from '../../src/sandbox/bigquery-text.ts';
import { openSandbox } from '../../src/sandbox/open-sandbox.ts';
import { parseQuery } from '../../src/syntax/parse-query.ts';

const source = { file: 'saved.sql', line: 1 };

const sandbox = openSandbox(
  {
    sql: 'WITH logs AS (SELECT 1 AS id) SELECT id FROM logs',
    source,
    parameters: [],
  },
  [],
);

const problemOf = (run: () => unknown): string => {
  try {
    run();
    return 'none';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

describe('names that only JavaScript takes as one', () => {
  test.each([
    ['\u212aeys', 'keys'],
    ['Ét', 'ét'],
    ['\\u212aeys', 'keys'],
  ])('a common table %s is not the stored table %s', (name, other) => {
    const read = `WITH \`${name}\` AS (SELECT 1 AS id) SELECT * FROM \`${other}\``;
    expect(problemOf(() => sandbox.judge(read))).toContain(`no table is named ${other}`);
  });

  test('two common tables of such names are two', () => {
    const both =
      'WITH `\u212aeys` AS (SELECT 1 AS a), `keys` AS (SELECT 2 AS b) SELECT b FROM KEYS JOIN logs ON true';
    expect(sandbox.judge(both).bigqueryText()).toContain('`keys` AS (SELECT 2 AS b)');
  });

  test.each([
    'SELECT `\u212a` FROM (SELECT 1 AS k)',
    'SELECT s.`É` FROM (SELECT STRUCT(1 AS `é`) AS s)',
    'SELECT `\u212a`.a FROM (SELECT 1 AS a) AS k',
    "SELECT CAST('a' AS `\u017ftring`)",
    'SELECT INTERVAL 1 `m\u0131nute`',
  ])('%s names nothing that there is', (sql) => {
    expect(problemOf(() => compile({ sql, source }, []))).not.toBe('none');
  });

  test('the text for BigQuery has no stored table, whatever was judged', () => {
    const caller =
      'WITH own AS (SELECT 1 AS id) SELECT * FROM own JOIN Logs USING (id) JOIN `keys` USING (id)';
    const textOver = (readable: readonly string[]) => bigqueryText('', readable, caller, parseQuery(caller));
    expect(problemOf(() => textOver(['logs']))).toContain('no table is named keys');
    expect(textOver(['logs', 'keys'])).toContain('JOIN `keys`');
  });
});
