import { parse } from 'graphql';
import { expect, test } from 'vitest';
import { openFolderApp } from '../../support/folder-app.ts';
import { measureLongestTurn } from '../../support/longest-turn.ts';
import { medianOf } from '../../support/median.ts';
import { queryText } from '../../support/queries.ts';

test('the schema of hundreds of queries is printed in turns', async () => {
  const names = Array.from({ length: 300 }, (_, at) => `rows.number-${at}`);
  const columns = { id: 'integer', name: 'string', share: 'float', made: 'timestamp' };
  const files = Object.fromEntries(
    names.map((name, at) => [
      `${name}.sql`,
      queryText({
        name: String(at).padStart(6, '0'),
        caching: ['caching: 60s', 'row_arguments: all'],
        columns,
        sql: "select 1 as id, 'a' as name, 0.5 as share, timestamp '2026-01-01' as made",
      }),
    ]),
  );
  // It is printed once for each version of the catalog.
  const longestMs = await medianOf(async () => {
    const app = await openFolderApp(files, { env: { FEDERATION: 'on' } });
    try {
      await app.graphql('{ _service { __typename } }');
      const end = measureLongestTurn();
      const { data = {} } = await app.graphql('{ _service { sdl } }');
      const ms = end();
      const { sdl } = data._service as { sdl: string };
      expect(parse(sdl).definitions.length).toBeGreaterThan(1_500);
      return ms;
    } finally {
      await app.close();
    }
  }, 3);
  expect(longestMs).toBeLessThan(50);
});
