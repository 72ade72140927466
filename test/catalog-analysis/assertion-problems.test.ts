import { expect, test } from 'vitest';
import { unlinked } from '../../src/catalog/header/link.ts';
import { parseAssertions } from '../../src/catalog/parts/assertions.ts';
import { anyEngine, type Dialect } from '../../src/catalog-analysis/analyze-catalog.ts';
import { assertionProblems } from '../../src/catalog-analysis/assertion-problems.ts';

const text = `ASSERT 1;
ASSERT EXISTS(SELECT 1 FROM elsewhere) AND NULL;
ASSERT (SELECT COUNT(*) FROM elsewhere);
ASSERT NULL; ASSERT (SELECT any_column FROM elsewhere);
`;

const problemsOn = (dialect: Dialect) => {
  const source = { file: 'a.sql', line: 5 };
  const { assertions } = parseAssertions({ name: 'checks/a', source, text, parameters: [], link: unlinked });
  return assertionProblems(assertions, [], dialect).map(
    ({ line, column, message }) => `${line}:${column} ${message}`,
  );
};

test('a condition that is not a BOOL is a problem on all engines whose SQL is known', () => {
  expect(problemsOn(anyEngine)).toEqual([
    '5:1 ASSERT takes a condition, which is a BOOL; this is of type INT64',
    '7:1 ASSERT takes a condition, which is a BOOL; this is of type INT64',
  ]);
  expect(problemsOn({ sql: 'native' })).toEqual([]);
});

test('a table that is not there is one where the files have all tables', () => {
  expect(problemsOn({ sql: 'bigquery' })).toEqual([
    '5:1 ASSERT takes a condition, which is a BOOL; this is of type INT64',
    '6:29 no table is named elsewhere',
    '7:30 no table is named elsewhere',
    '8:45 no table is named elsewhere',
  ]);
});
