import { expect, test } from 'vitest';
import { buildCheckDocument } from '../../../../src/http/graphql/check-document.ts';
import { buildSchema } from '../../../../src/http/graphql/schema/schema.ts';
import { processorMs } from '../../../support/processor-time.ts';

test('a document that is rejected again costs neither parsing nor validation', () => {
  const check = buildCheckDocument(buildSchema({ queries: [], tables: [] }), true);
  const fields = Array.from({ length: 1_500 }, (_, at) => `f${at}`).join(' ');
  const measured = (text: string) => processorMs(() => expect(check(text).errors).toHaveLength(11));
  let [first, again] = [0, 0];
  for (let at = 0; at < 20; at += 1) {
    const text = `{ endpoints { ${fields} } } # ${at}`;
    first += measured(text);
    again += measured(text);
  }
  expect(again).toBeLessThan(first / 2);
});
