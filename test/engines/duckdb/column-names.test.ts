import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FolderApp, openFolderApp } from '../../support/folder-app.ts';
import { queryText } from '../../support/queries.ts';

const queries: Readonly<Record<string, string>> = {
  selected: 'select Total from (select 1 as Total) as x',
  qualified: 'select x.Total from (select 1 as Total) as x',
  common: 'with x as (select 1 as Total) select * from x',
  united: 'select 1 as Total union all select Total from (select 1 as Total) where false',
  piped: 'from (select 1 as Total) |> select Total |> where total = 1',
  typed: "select Total from unnest([json '1']) as Total",
};

let gateway: FolderApp;
beforeAll(async () => {
  const files = Object.entries(queries).map(
    ([name, sql]) =>
      [
        `${name}.sql`,
        queryText({ name, columns: { total: name === 'typed' ? 'json' : 'integer' }, sql }),
      ] as const,
  );
  gateway = await openFolderApp(Object.fromEntries(files));
});
afterAll(() => gateway.close());

test.each(Object.keys(queries))(
  'a header spells a column of the %s query with other capital letters',
  async (name) => {
    const response = await gateway.get(name);
    expect(await response.json()).toEqual({ result: [{ total: 1 }] });
  },
);
