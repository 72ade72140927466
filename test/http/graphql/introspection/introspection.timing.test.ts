import { getIntrospectionQuery } from 'graphql';
import { expect, test } from 'vitest';
import { processorMsOf } from '../../../support/processor-time.ts';
import { openTestApp } from '../../../support/test-app.ts';

test('a query of the schema is executed once', async () => {
  const app = await openTestApp({});
  const measured = (query: string) => processorMsOf(() => app.data(query));
  const query = getIntrospectionQuery();
  let [repeated, executed] = [0, 0];
  for (let at = 0; at < 20; at += 1) {
    executed += await measured(`${query} # ${at}`);
    repeated += await measured(query);
  }
  await app.close();
  expect(repeated).toBeLessThan(executed / 2);
});
