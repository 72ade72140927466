import { expect, test } from 'vitest';
import { testFileSchema } from '../../src/test/test-schema.ts';

test.each([
  ['FORBIDEN', '; did you mean FORBIDDEN?'],
  ['invalid_parameter', '; did you mean INVALID_PARAMETER?'],
  ['xyz', ''],
])('a code of an error that there is not is refused with the nearest: %s', (error, hint) => {
  const { error: refused } = testFileSchema.safeParse({ tests: [{ name: 'a', expect: { error } }] });
  expect(refused?.issues[0]?.message).toBe(
    `must be the code of an error, such as INVALID_PARAMETER, or an object with code and message${hint}`,
  );
});

test.each([
  { rows: [] },
  { asserts: 'ASSERT TRUE' },
  { count: 7 },
  { truncated: true },
  { match: 'subset' },
  { order: 'any' },
])('an error excludes what is expected of rows: %j', (others) => {
  const refused = (expect: object) => testFileSchema.safeParse({ tests: [{ name: 'a', expect }] }).error;
  expect(refused({ error: 'FORBIDDEN', ...others })?.issues[0]?.message).toContain('an error excludes');
  expect(refused({ error: 'FORBIDDEN' })).toBeUndefined();
});
