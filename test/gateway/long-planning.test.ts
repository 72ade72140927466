import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FolderApp, openFolderApp } from '../support/folder-app.ts';
import { queryText, uuidOf } from '../support/query-folder.ts';

/** An expression around another one, and so on: DuckDB's optimizer takes four times as long for each level. */
const nested = (levels: number): string =>
  levels === 0
    ? "IF(flag, 'a', 'b')"
    : `ARRAY(SELECT x FROM UNNEST([${nested(levels - 1)}, 'c']) AS x, UNNEST(['d']) AS y ORDER BY x, y LIMIT 1)[SAFE_OFFSET(0)]`;

let gateway: FolderApp;
beforeAll(async () => {
  gateway = await openFolderApp(
    {
      'planning.slow.sql': queryText({
        id: uuidOf(1),
        sql: `SELECT LENGTH(${nested(11)}) AS n FROM UNNEST([TRUE, FALSE]) AS flag`,
      }),
      'planning.quick.sql': queryText({ id: uuidOf(2), caching: 'disabled' }),
    },
    { env: { ENGINE_TIMEOUT_MS: '2000' } },
  );
}, 120_000);
/** A statement that is planned ends when its planning does. */
afterAll(() => gateway.close(), 120_000);

test('a query that DuckDB plans for long ends at its deadline, and others are answered meanwhile', async () => {
  const ended: string[] = [];
  const answer = async (name: string) => {
    const { status } = await gateway.get(`planning.${name}`);
    ended.push(`${name} ${status}`);
  };
  const slow = answer('slow');
  await answer('quick');
  await slow;
  await answer('quick');
  expect(ended).toEqual(['quick 200', 'slow 504', 'quick 200']);
}, 120_000);
