import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseSavedQuery } from '../../../src/catalog/header/parse-saved-query.ts';
import { eventually } from '../../support/eventually.ts';
import { type FolderApp, openFolderApp } from '../../support/folder-app.ts';
import { subgraphFiles } from './subgraph.ts';

let folder: FolderApp;

beforeAll(async () => {
  folder = await openFolderApp(subgraphFiles, { env: { FEDERATION: 'on' } });
});
afterAll(() => folder.close());

const hundred = (representation: string) => `{ _entities(representations: [${representation.repeat(100)}])`;

test('a variable in many representations does not make the response many times as long', async () => {
  const query = `query ($p: _Any!) ${hundred('$p ')} { ... on Project { a: ref b: ref c: ref } } }`;
  const long = 'x'.repeat(50_000);
  const messagesOf = async (p: object) =>
    new Set((await folder.graphql(query, undefined, { p })).errors?.map(({ message }) => message));
  expect(await messagesOf({ __typename: 'Project', ref: long })).toEqual(
    new Set(['ref: has 50000 characters; the limit is 4096']),
  );
  expect(await messagesOf({ __typename: long })).toEqual(
    new Set([`__typename: "${'x'.repeat(300)}…" is not an entity that this subgraph resolves`]),
  );
});

test('a variable in a representation is not copied', async () => {
  // As syntax trees, so many copies would need more memory than a process has.
  const query = `query ($p: _Any!) ${hundred('{ __typename: "Project", ref: "a", more: $p }')} { ... on Project { ref } } }`;
  const p = Array.from({ length: 120_000 }, () => 0);
  expect((await folder.graphql(query, undefined, { p })).data?._entities).toEqual(
    Array.from({ length: 100 }, () => ({ ref: 'a' })),
  );
});

test('a hundred entities that are not in the cache do not fill the queue of the engine', async () => {
  const representations = Array.from({ length: 100 }, (_, at) => ({
    __typename: 'Project',
    ref: `cold${at}`,
  }));
  const query =
    'query ($all: [_Any!]!) { _entities(representations: $all) { ... on Project { usage { rowCount } } } }';
  const { data, errors } = await folder.graphql(query, undefined, { all: representations });
  expect(errors).toBeUndefined();
  expect(data?._entities).toEqual(representations.map(() => ({ usage: { rowCount: 3 } })));
});

test('what rows refer to follows the header, also where their result is in the cache', async () => {
  const owners = async (id = 'id') => {
    const query = `{ usageDaily(project: "p") { rows { owner { ${id} } } } }`;
    const { data = {} } = await folder.graphql(query);
    const { rows } = data.usageDaily as { rows: { owner: object }[] };
    return rows.map(({ owner }) => owner);
  };
  // Cells are kept from their second time on, and responses before them.
  for (const _ of [1, 2, 3]) expect(await owners()).toEqual([{ id: '1' }, null, { id: '3' }]);
  const { runs } = folder.app.counters;
  const file = 'usage.daily.sql';
  folder.queries.write(file, (subgraphFiles[file] ?? '').replace('{ id: user_id }', '{ id: day }'));
  folder.app.reload();
  let asked = 0;
  await eventually(async () => {
    asked += 1;
    // Other selections, of which no cells are kept.
    expect((await owners(`o${asked}: id`))[1]).toEqual({ [`o${asked}`]: '2' });
  });
  expect(await owners()).toEqual([{ id: '1' }, { id: '2' }, { id: '3' }]);
  expect(folder.app.counters.runs).toBe(runs);
});

test('a fragment on another entity does not apply to what a row refers to', async () => {
  const query =
    '{ usageDaily(project: "p", days: 1) { rows { project { ref ... on _Entity { ... on Member { __typename } } } } } }';
  expect((await folder.graphql(query)).data).toEqual({
    usageDaily: { rows: [{ project: { ref: 'p' } }] },
  });
});

test('a key needs a parameter of its query', () => {
  const text = (subgraphFiles['hits.matching.sql'] ?? '').replace('{ ref: project }', '{ ref: constructor }');
  const { problems } = parseSavedQuery('hits.matching', 'hits.matching.sql', text);
  expect(problems.map(({ message }) => message)).toEqual([
    'federation.key.ref: no parameter is named constructor',
  ]);
});
