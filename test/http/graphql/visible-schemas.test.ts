import { expect, test } from 'vitest';
import { LoopTurns, runSteps } from '../../../src/concurrency/loop-turns.ts';
import { buildSchemas } from '../../../src/http/graphql/visible-schemas.ts';
import { unrestricted } from '../../../src/keys/principal.ts';
import { draftQuery } from '../../support/queries.ts';

test('a part of the schema that could not be built is built again for the next request', async () => {
  const [one, other] = ['one', 'other'].map((name) =>
    draftQuery({ name, columns: { x: 'string' }, sql: 'select 1 as x' }),
  );
  if (one === undefined || other === undefined) throw new Error('no queries');
  let built = 0;
  const build = function* ({ queries }: { readonly queries: readonly unknown[] }) {
    built += 1;
    yield;
    if (built === 2) throw new Error('out of memory');
    return queries.length;
  };
  const schemas = runSteps(buildSchemas({ queries: [one, other], tables: [] }, build, new LoopTurns()));
  const principal = { ...unrestricted('a'), endpoints: new Set([one.id]) };
  await expect(schemas.shownTo(principal)).rejects.toThrow('out of memory');
  expect(await schemas.shownTo(principal)).toBe(1);
  expect(await schemas.shownTo(principal)).toBe(1);
  expect(built).toBe(3);
});
