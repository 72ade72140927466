import { expect, test } from 'vitest';
import { withMeantParts } from '../../src/problems/meant-parts.ts';

const names = () => ({
  tableNames: () => ['query.base', 'query.usage.daily', 'my-project.stats.daily', 'stats.weekly'],
  functionNames: () => ['udf.plus'],
});

test.each([
  ['no table is named base', '; did you mean query.base?'],
  ['no table is named Usage.Daily', '; did you mean query.usage.daily?'],
  ['no table is named stats.wekly', '; did you mean stats.weekly?'],
  ['no table is named weekly', '; did you mean stats.weekly?'],
  ['no table is named other.stats.daily', '; did you mean my-project.stats.daily?'],
  ['the function PLUS is not supported', '; did you mean udf.plus?'],
  ['the function PLUS is not supported; did you mean LPAD?', ''],
  [
    'the function other.fn is not available locally: define it with CREATE TEMP FUNCTION before the query',
    '',
  ],
  ['no table is named orders', ''],
  ['no table is named base; did you mean bases?', ''],
  ['no column is named base', ''],
])('%s%s', (message, meant) => {
  expect(withMeantParts([{ message }], names)).toEqual([{ message: message + meant }]);
});

const local = 'is not available locally';
const advice = `${local}: define it with CREATE TEMP FUNCTION before the query`;

test.each([
  ['q/a.sql', 'udf.pluss', `${local}; did you mean udf.plus?`],
  ['q/views/a.sql', 'udf.pluss', `${local}; did you mean udf.plus?`],
  ['q/views/a.sql', 'other.fn', local],
  ['q/a.sql', 'other.fn', advice],
])('%s: a function that is not there has advice that can be followed: %s %s', (file, name, expected) => {
  const message = `the function ${name} ${advice}`;
  expect(withMeantParts([{ file, message }], names)).toEqual([
    { file, message: `the function ${name} ${expected}` },
  ]);
});
