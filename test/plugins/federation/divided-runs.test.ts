import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FolderApp, openFolderApp } from '../../support/folder-app.ts';
import { queryText } from '../../support/queries.ts';

const query = (field: string, sql: string) =>
  queryText({
    name: field,
    caching: [
      'caching: 3600s',
      'tenant_unchecked: the rows are made of the parameter',
      `federation: { extends: Project, key: { ref: { parameter: projects, column: project_ref } }, field: ${field} }`,
    ],
    parameters: {
      projects: '{ type: string, repeated: true, required: true, tenant: true, description: Projects. }',
    },
    columns: {
      project_ref: '{ type: string, required: true, description: A project. }',
      n: '{ type: integer, required: true, description: A number. }',
    },
    sql: `select p as project_ref, n from unnest(@projects) as p, unnest([3, 2, 1]) as n ${sql}`,
  });

let folder: FolderApp;

beforeAll(async () => {
  const files = {
    'logs.each.sql': query('each', 'order by n desc'),
    'logs.latest.sql': query('latest', 'order by p, n desc limit 3'),
  };
  folder = await openFolderApp(files, { env: { FEDERATION: 'on' } });
});

afterAll(() => folder.close());

test.each([
  ['each', 1],
  ['latest', 3],
])('each value of a list has the rows that it has alone: %s, by %i runs', async (field, count) => {
  const text = `query ($all: [_Any!]!) { _entities(representations: $all) { ... on Project { ${field} { rows { projectRef n } } } } }`;
  const all = ['a', 'b', 'c'].map((ref) => ({ __typename: 'Project', ref }));
  const before = folder.app.counters.runs;
  const { data } = await folder.graphql(text, undefined, { all });
  const rowsOf = (projectRef: string) => ({ [field]: { rows: [3, 2, 1].map((n) => ({ projectRef, n })) } });
  expect(data).toEqual({ _entities: ['a', 'b', 'c'].map(rowsOf) });
  expect(folder.app.counters.runs - before).toBe(count);
});
