import { expect, test } from 'vitest';
import { openArgumentTypes } from '../../../../src/http/graphql/schema/arguments.ts';
import { medianOf } from '../../../support/median.ts';
import { processorMs } from '../../../support/processor-time.ts';
import { draftQuery } from '../../../support/queries.ts';

test('an enum refuses a text of 250 KB without comparing it with its values', async () => {
  const query = draftQuery({
    columns: { a: 'string' },
    parameters: {
      choice:
        '{ type: enum, enum: Choice, required: true, description: A choice., values: { first: { name: FIRST, description: The first one. } } }',
    },
    sql: 'select @choice as a',
  });
  const [type] = query.parameters.map(openArgumentTypes());
  const text = 'Did you mean '.repeat(19_000);
  expect(() => type?.coerceInputValue('FIRS')).toThrow(/^Value "FIRS" does not exist in "Choice" enum\.$/);
  const coerced = () => {
    for (let run = 0; run < 50; run += 1) expect(() => type?.coerceInputValue(text)).toThrow();
  };
  expect(await medianOf(() => processorMs(coerced))).toBeLessThan(100);
});
