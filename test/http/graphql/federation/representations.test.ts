import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FolderApp, openFolderApp } from '../../../support/folder-app.ts';
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
    new Set([`__typename: "${'x'.repeat(300)}…" is no entity that this subgraph resolves`]),
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
