import { expect, test } from 'vitest';
import { compile } from '../src/compile.ts';
import { ProblemError } from '../src/problem.ts';
import { openSandbox } from '../src/sandbox/open-sandbox.ts';
import { judgeByOutline } from '../src/sandbox/outline.ts';
import type { TableSchema } from '../src/table-schema.ts';

const source = { file: 'q.sql', line: 1 };
const tables: readonly TableSchema[] = [
  {
    name: 'events',
    fields: [
      { name: 'id', type: 'INT64', mode: 'NULLABLE' },
      {
        name: 'place',
        type: 'RECORD',
        mode: 'NULLABLE',
        fields: [{ name: 'city', type: 'STRING', mode: 'NULLABLE' }],
        absent: [{ name: 'point', type: 'GEOGRAPHY' }],
      },
      {
        name: 'stops',
        type: 'RECORD',
        mode: 'REPEATED',
        fields: [{ name: 'n', type: 'INT64', mode: 'NULLABLE' }],
        absent: [{ name: 'span', type: 'RANGE' }],
      },
    ],
    absent: [
      { name: 'g', type: 'GEOGRAPHY' },
      { name: 'took', type: 'INTERVAL' },
    ],
  },
];

const problemOf = (judge: () => unknown): string | undefined => {
  try {
    judge();
    return undefined;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return error.problems.map(({ message }) => message).join('; ');
  }
};
const compileOver = (sql: string) => compile({ sql, source }, tables);

const ofEvents = 'g is a GEOGRAPHY column of events, which local data does not have; ';

test.each([
  ['SELECT g FROM events', ofEvents],
  ['SELECT e.G FROM events AS e', 'G is a GEOGRAPHY column of events'],
  ['SELECT id FROM events WHERE g IS NULL', ofEvents],
  ['SELECT id FROM events ORDER BY g', ofEvents],
  ['SELECT id FROM `event*` WHERE g IS NULL', ofEvents],
  ['SELECT a.id FROM events AS a JOIN events AS b USING (took)', 'took is an INTERVAL column of events'],
  ['SELECT (SELECT g) FROM events', ofEvents],
  ['SELECT g FROM (SELECT * FROM events)', ofEvents],
  ['WITH e AS (SELECT events.* FROM events) SELECT e.g FROM e', ofEvents],
  ['SELECT g FROM (SELECT * FROM events UNION ALL SELECT * FROM events)', ofEvents],
  ['SELECT * REPLACE (1 AS g) FROM events', ofEvents],
  ['FROM events |> EXTEND id + 1 AS n |> WHERE g IS NULL', ofEvents],
  ['FROM events |> SELECT * |> RENAME g AS h', ofEvents],
  ['SELECT place.point FROM events', 'point is a GEOGRAPHY field, which local data does not have'],
  ['SELECT e.place.point FROM (SELECT * FROM events) AS e', 'point is a GEOGRAPHY field'],
  ['SELECT s.span FROM events, UNNEST(stops) AS s', 'span is a RANGE field'],
  ['SELECT span FROM events, UNNEST(stops)', 'span is a RANGE field'],
  ['SELECT g FROM (SELECT id FROM events)', 'no column is named g'],
])('the problem of a column that local data does not have says so: %s', (sql, message) => {
  expect(problemOf(() => compileOver(sql))).toContain(message);
});

test.each([
  ['SELECT * FROM events', ['id', 'place', 'stops']],
  ['SELECT * EXCEPT (g, id) FROM events', ['place', 'stops']],
  ['SELECT e.* EXCEPT (g) FROM events AS e', ['id', 'place', 'stops']],
  ['SELECT place.* EXCEPT (point) FROM events', ['city']],
  ['FROM events |> DROP g, stops', ['id', 'place']],
])('it may be left out: %s', (sql, names) => {
  expect(compileOver(sql).columns.map(({ name }) => name)).toEqual(names);
});

test("the problem in a caller's SQL names the common table", () => {
  const saved = 'WITH e AS (SELECT * FROM events), ids AS (SELECT id FROM events) SELECT id FROM e';
  const sandbox = openSandbox({ sql: saved, source, parameters: [] }, tables);
  const byOutline = judgeByOutline(sandbox.outline(sandbox.exportTables()));
  for (const judge of [sandbox.judge, byOutline]) {
    expect(problemOf(() => judge('SELECT g FROM e'))).toContain('g is a GEOGRAPHY column of e, which');
    expect(problemOf(() => judge('SELECT x.g FROM (SELECT * FROM e) AS x'))).toContain('column of e, which');
    expect(problemOf(() => judge('SELECT e.place.point FROM e'))).toContain('point is a GEOGRAPHY field');
    expect(problemOf(() => judge('SELECT g FROM ids'))).toContain('no column is named g');
  }
});
