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

const thing = (field: string, parameter: string, type: string, n = 'count(*)') =>
  queryText({
    name: field,
    caching: [
      'caching: 3600s',
      `federation: { extends: Thing, key: { id: { parameter: ids, column: id } }, field: ${field} }`,
    ],
    parameters: { ids: `{ repeated: true, required: true, description: Ids., ${parameter} }` },
    columns: {
      id: `{ type: ${type}, required: true, description: Its id. }`,
      n: '{ type: integer, required: true, description: A number. }',
    },
    sql: `select id, ${n} as n from unnest(@ids) as id group by id`,
  });

const regions =
  'type: enum, enum: Region, values: { eu: { name: EU, also: [europe], description: E. }, us: { name: US, description: U. } }';

let folder: FolderApp;

beforeAll(async () => {
  const files = {
    'logs.each.sql': query('each', 'order by n desc'),
    'logs.latest.sql': query('latest', 'order by p, n desc limit 3'),
    'things.texts.sql': thing('texts', 'type: integer, bind: STRING', 'string'),
    'things.regions.sql': thing('regions', regions, 'string'),
    'things.days.sql': thing('days', 'type: timestamp, bind: STRING', 'string'),
    'things.counts.sql': thing('counts', 'type: integer', 'integer'),
    'things.broken.sql': thing('broken', 'type: integer', 'integer', 'if(id > 0, 9007199254740993, 1)'),
    'things.failing.sql': thing('failing', 'type: integer', 'integer', 'if(id = 8, 9007199254740993, 1)'),
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

const ofThings = async (field: string, ids: readonly string[]) => {
  const text = `query ($all: [_Any!]!) { _entities(representations: $all) { ... on Thing { ${field} { rows { n } } } } }`;
  const all = ids.map((id) => ({ __typename: 'Thing', id }));
  const { data, errors = [] } = await folder.graphql(text, undefined, { all });
  const entities = data?._entities as Record<string, { rows: { n: number }[] } | null>[];
  return { found: entities.map((one) => one[field]?.rows.map(({ n }) => n)), errors };
};

test.each([
  ['texts', ['7', '007', '+7', '8'], [[1], [1], [1], [1]]],
  ['regions', ['eu', 'europe', 'us'], [[1], [1], [1]]],
  ['days', ['2026-01-01T00:00:00Z', '2026-01-01 01:00:00+01', '2026-01-02'], [[1], [1], [1]]],
  ['counts', ['7', '007', '8'], [[1], [1], [1]]],
])('a value has the rows of the value that is bound, however it is spelled: %s', async (field, ids, rows) => {
  const before = folder.app.counters.runs;
  expect(await ofThings(field, ids)).toEqual({ found: rows, errors: [] });
  expect(folder.app.counters.runs - before).toBe(1);
});

test('a value whose rows fail does not take them from the others', async () => {
  const { found, errors } = await ofThings('failing', ['7', '8', '9']);
  expect(found).toEqual([[1], undefined, [1]]);
  expect(errors).toHaveLength(1);
});

test.each([
  ['failing', 1, 15],
  ['broken', 100, 17],
])('values whose rows fail are found in halves, by few runs: %s', async (field, count, runs) => {
  const before = folder.app.counters.runs;
  const { found, errors } = await ofThings(
    field,
    Array.from({ length: 100 }, (_, at) => String(at + 5)),
  );
  expect(errors).toHaveLength(count);
  expect(found.filter((one) => one === undefined)).toHaveLength(count);
  expect(folder.app.counters.runs - before).toBeLessThanOrEqual(runs);
});
