import { afterEach, expect } from 'vitest';
import { engineOf } from '../support/child-processes.ts';
import { eventually } from '../support/eventually.ts';
import { type FolderApp, openFolderApp } from '../support/folder-app.ts';
import { nightly } from '../support/nightly.ts';
import { partText, queryText } from '../support/queries.ts';

let opened: FolderApp | undefined;
afterEach(() => opened?.close());

const warmed = ['caching: 60s', 'cache_warming: 3s', 'warm: [{}]'];
const files = {
  'base.sql': partText('SELECT CURRENT_TIMESTAMP() AS t', {}, ['materialize: refresh']),
  ...Object.fromEntries(
    ['a', 'b', 'c'].map((name) => [
      `${name}.sql`,
      queryText({
        name,
        columns: { x: 'integer' },
        caching: warmed,
        sql: `SELECT UNIX_MILLIS(t) AS x FROM query.base WHERE '${name}' <> ''`,
      }),
    ]),
  ),
};

/** The moments of the results that are kept warm. */
const moments = ({ get }: FolderApp) =>
  Promise.all(
    ['a', 'b', 'c'].map(async (name) => {
      const response = await get(name);
      const { result } = (await response.json()) as { result: { x: number }[] };
      return result[0]?.x ?? 0;
    }),
  );

/** Resolves when all results are those of one wave that has begun after a moment. */
const nextWave = async (app: FolderApp, after: number): Promise<number> => {
  let moment = 0;
  await eventually(async () => {
    const [first = 0, ...others] = await moments(app);
    expect(first).toBeGreaterThan(after);
    expect(others).toEqual([first, first]);
    // A tenth of the interval.
    expect(first % 300).toBe(0);
    moment = first;
  });
  return moment;
};

nightly(
  'refreshes of queries over one part have one current time, also after the engine has been killed',
  async () => {
    const app = await openFolderApp(files, { isIsolated: true });
    opened = app;
    const first = await nextWave(app, 0);
    const second = await nextWave(app, first);
    process.kill(engineOf(process.pid) ?? 0, 'SIGKILL');
    await nextWave(app, second);
  },
);
