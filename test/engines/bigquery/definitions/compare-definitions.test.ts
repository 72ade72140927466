import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configuredEngine } from '../../../../src/author/configured-engine.ts';
import { buildAnalyze } from '../../../../src/catalog-analysis/analyze-catalog.ts';
import { parseCatalog } from '../../../../src/catalog/folder/load-catalog.ts';
import { readConfig } from '../../../../src/config.ts';
import { describeProblem } from '../../../../src/errors.ts';
import {
  completeBody,
  errorReply,
  type FakeBigquery,
  type Responder,
  reply,
  startFakeBigquery,
} from '../../../support/fake-bigquery.ts';
import { limitsOf } from '../../../../src/engines/checked-engine.ts';
import { queryText } from '../../../support/queries.ts';

let fake: FakeBigquery;
beforeAll(async () => {
  fake = await startFakeBigquery();
});
afterAll(() => fake.close());

const texts = {
  'views/all.sql': `CREATE VIEW d.v AS SELECT x, "a" AS y FROM d.raw -- rows
;
CREATE VIEW \`other-project.d.w\` AS SELECT 1 AS x;`,
  'functions/all.sql': `CREATE FUNCTION d.plus(a INTEGER, b ANY TYPE, c ARRAY<STRUCT<k STRING, v ARRAY<BOOL>>>) AS (a + b);
CREATE FUNCTION d.loud(text STRING) RETURNS STRING LANGUAGE js AS r"""return text + '!'""";
CREATE TEMP FUNCTION own() AS (1);`,
};

const sql =
  "SELECT v.x + d.plus(1, w.x, []) + own() AS x FROM d.v AS v, `other-project.d.w` AS w WHERE d.loud(v.y) > ''";

/** What a check finds if BigQuery has these views and functions, by their ids. */
async function check(stored: Readonly<Record<string, Responder>>, definitions = 'stored') {
  fake.respondWith((response, received, at) => {
    const id = received.path.split('/').at(-1) ?? '';
    const responder = received.method === 'GET' ? stored[id] : reply(completeBody());
    (responder ?? errorReply(404, 'notFound'))(response, received, at);
  });
  const config = readConfig({
    ENGINE: 'bigquery',
    BIGQUERY_PROJECT: 'our-project',
    BIGQUERY_DATASET: 'logs',
    BIGQUERY_API_ENDPOINT: fake.endpoint,
    BIGQUERY_DEFINITIONS: definitions,
  });
  const files = { 'reader.sql': queryText({ name: 'reader', columns: { x: 'integer' }, sql }), ...texts };
  const engine = await configuredEngine(config);
  const catalog = buildAnalyze(engine)(
    parseCatalog('', new Map(Object.entries(files).map(([path, text]) => [path, { text }]))),
  );
  const notes: string[] = [];
  const problems = await engine.check(catalog, {
    limits: limitsOf(config),
    onChecked() {},
    onNote: (note) => void notes.push(note),
  });
  const requests = fake.received.filter(({ method }) => method === 'GET').map(({ path }) => path);
  return { problems: problems.map(describeProblem).sort(), notes, requests };
}

const view = (query: string) => reply({ type: 'VIEW', view: { query } });

const same = {
  v: view('select X, "a" as `y`\nfrom `d.raw`'),
  w: reply({ type: 'MATERIALIZED_VIEW', materializedView: { query: 'SELECT 1 AS x;' } }),
  plus: reply({
    definitionBody: 'a + b',
    arguments: [
      { name: 'a', dataType: { typeKind: 'INT64' } },
      { name: 'b', argumentKind: 'ANY_TYPE' },
      {
        name: 'c',
        dataType: {
          typeKind: 'ARRAY',
          arrayElementType: {
            typeKind: 'STRUCT',
            structType: {
              fields: [
                { name: 'k', type: { typeKind: 'STRING' } },
                { name: 'v', type: { typeKind: 'ARRAY', arrayElementType: { typeKind: 'BOOL' } } },
              ],
            },
          },
        },
      },
    ],
  }),
  loud: reply({
    definitionBody: "return text + '!'",
    arguments: [{ name: 'text', dataType: { typeKind: 'STRING' } }],
  }),
};

describe('views and functions that BigQuery has', () => {
  test('are the same apart from blanks, comments, quotes and the case of words', async () => {
    const { problems, notes, requests } = await check(same);
    expect({ problems, notes }).toEqual({ problems: [], notes: [] });
    expect(requests.sort()).toEqual([
      '/datasets/d/routines/loud',
      '/datasets/d/routines/plus',
      '/datasets/d/tables/v',
      '/datasets/d/tables/w',
    ]);
  });

  test('are named where they differ, each at its first other word', async () => {
    const { problems } = await check({
      v: view("SELECT x, 'b' AS y FROM d.raw"),
      w: view('SELECT 1 AS x, 2 AS y'),
      plus: reply({ definitionBody: 'a + b', arguments: [{ name: 'a', dataType: { typeKind: 'STRING' } }] }),
      loud: reply({
        definitionBody: "return text + '?'",
        arguments: [{ name: 'text', dataType: { typeKind: 'STRING' } }],
      }),
    });
    expect(problems).toEqual([
      'functions/all.sql:1:26 the function d.plus is another one in BigQuery, from here on',
      'functions/all.sql:2:17 the function d.loud is another one in BigQuery, from here on',
      'views/all.sql:1:30 the view d.v is another one in BigQuery, from here on',
      'views/all.sql:3:49 the view other-project.d.w is another one in BigQuery, from here on',
    ]);
  });

  test('are named if they are missing there', async () => {
    const { problems } = await check({ w: same.w, plus: same.plus });
    expect(problems).toEqual([
      'functions/all.sql:2:17 BigQuery does not have the function d.loud',
      'views/all.sql:1:13 BigQuery does not have the view d.v',
    ]);
  });

  test('that may not be read, or whose answer cannot be, are notes', async () => {
    const { problems, notes } = await check({
      ...same,
      v: errorReply(403, 'accessDenied'),
      plus: errorReply(500, 'backendError'),
      loud: reply({}),
    });
    expect(problems).toEqual([]);
    expect(notes.sort()).toEqual([
      expect.stringMatching(/^the function d\.loud is not compared with BigQuery's: /),
      "the function d.plus is not compared with BigQuery's: status 500",
      "the view d.v is not compared with BigQuery's: no right to read it",
    ]);
  });

  test('may be tables that were built from views', async () => {
    expect((await check({ ...same, v: reply({ type: 'TABLE' }) })).problems).toEqual([]);
  });

  test('are not read if queries send their own', async () => {
    expect(await check({}, 'sent')).toEqual({ problems: [], notes: [], requests: [] });
  });
});
