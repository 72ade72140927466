import { expect, test } from 'vitest';
import { withMeantParts } from '../../src/problems/meant-parts.ts';

const names = () => ['query.base', 'query.usage.daily', 'my-project.stats.daily', 'stats.weekly'];

test.each([
  ['no table is named base', '; did you mean query.base?'],
  ['no table is named Usage.Daily', '; did you mean query.usage.daily?'],
  ['no table is named stats.wekly', '; did you mean stats.weekly?'],
  ['no table is named orders', ''],
  ['no table is named base; did you mean bases?', ''],
  ['no column is named base', ''],
])('%s%s', (message, meant) => {
  expect(withMeantParts([{ message }], names)).toEqual([{ message: message + meant }]);
});
