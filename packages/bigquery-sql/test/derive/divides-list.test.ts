import { expect, test } from 'vitest';
import { dividesList } from '../../src/derive.ts';
import { compileTree, schemaTables } from '../../src/tree.ts';

const tables = schemaTables([
  {
    name: 'logs',
    fields: [
      { name: 'project', type: 'STRING', mode: 'NULLABLE' },
      { name: 'other', type: 'STRING', mode: 'NULLABLE' },
      { name: 'n', type: 'INT64', mode: 'NULLABLE' },
      { name: 'tags', type: 'STRING', mode: 'REPEATED' },
    ],
  },
]);

const isDivided = (sql: string) => {
  const parameters = [{ name: 'projects', bind: 'STRING', repeated: true } as const];
  const { query } = compileTree({ sql, source: { file: 'case', line: 1 }, parameters }, tables, {});
  return dividesList(query, 'projects', 'project');
};

test.each([
  'SELECT project, n FROM logs WHERE project IN UNNEST(@projects) ORDER BY n DESC',
  'SELECT project, COUNT(*) AS n FROM logs WHERE project IN UNNEST(@projects) GROUP BY project',
  'SELECT project, n FROM logs WHERE project IN UNNEST(@Projects) AND n > 1 QUALIFY ROW_NUMBER() OVER (PARTITION BY project ORDER BY n) <= 3',
  'WITH own AS (SELECT * FROM logs WHERE project IN UNNEST(@projects)) SELECT project, MAX(n) AS n FROM own GROUP BY 1',
  'SELECT p AS project, LENGTH(p) AS n FROM UNNEST(@projects) AS p',
  'SELECT project, n FROM logs JOIN UNNEST(@projects) AS p ON p = project',
])('rows can be divided: %s', (sql) => {
  expect(isDivided(sql)).toBe(true);
});

test.each([
  'SELECT project, n FROM logs WHERE project IN UNNEST(@projects) ORDER BY n DESC LIMIT 100',
  'SELECT project, n FROM logs WHERE project IN UNNEST(@projects) LIMIT 100 OFFSET 5',
  'SELECT project, n FROM (SELECT * FROM logs WHERE project IN UNNEST(@projects) ORDER BY n LIMIT 9)',
  'SELECT project, n FROM logs WHERE project IN UNNEST(@projects) QUALIFY ROW_NUMBER() OVER (ORDER BY n) <= 3',
  'SELECT project, COUNT(*) / SUM(COUNT(*)) OVER () AS n FROM logs WHERE project IN UNNEST(@projects) GROUP BY 1',
  'SELECT MAX(project) AS project, COUNT(*) AS n FROM logs WHERE project IN UNNEST(@projects)',
  'SELECT a.project, b.n FROM logs AS a JOIN logs AS b USING (n) WHERE a.project IN UNNEST(@projects) AND b.project IN UNNEST(@projects)',
  'SELECT CAST(n AS STRING) AS project, 1 AS n FROM logs WHERE project IN UNNEST(@projects)',
  'SELECT other AS project, n FROM logs WHERE project IN UNNEST(@projects)',
  'SELECT project, n / ARRAY_LENGTH(@projects) AS n FROM logs WHERE project IN UNNEST(@projects)',
  'SELECT project, n FROM logs WHERE project NOT IN UNNEST(@projects)',
  'SELECT project, n FROM logs WHERE project IN UNNEST(@projects) OR n = 1',
  'SELECT project, n FROM logs WHERE project = @projects[SAFE_OFFSET(0)]',
  'SELECT p AS project, place AS n FROM UNNEST(@projects) AS p WITH OFFSET AS place',
  'SELECT p AS project, 1 AS n FROM UNNEST(@projects) AS p LIMIT 1',
  'SELECT project, n FROM logs, UNNEST(@projects) AS p WHERE project IN UNNEST(@projects)',
  'SELECT project, (SELECT COUNT(*) FROM logs) AS n FROM logs WHERE project IN UNNEST(@projects)',
  'SELECT project, n FROM logs WHERE project IN UNNEST(@projects) AND EXISTS (SELECT 1 FROM UNNEST(tags) AS a WHERE a IN UNNEST(@projects))',
  'SELECT project, ARRAY(SELECT a FROM UNNEST(tags) AS a WHERE a IN UNNEST(@projects)) AS n FROM logs WHERE project IN UNNEST(@projects)',
  "SELECT project, a FROM logs CROSS JOIN (SELECT a FROM UNNEST(['x', 'y']) AS a WHERE a IN UNNEST(@projects)) WHERE project IN UNNEST(@projects)",
  "WITH own AS (SELECT 'x' AS a UNION ALL SELECT a FROM UNNEST(['y']) AS a WHERE a IN UNNEST(@projects)) SELECT project, a FROM logs, own WHERE project IN UNNEST(@projects)",
])('rows of different values meet: %s', (sql) => {
  expect(isDivided(sql)).toBe(false);
});
