import { describe, expect, test } from 'vitest';
import { buildAnalyze } from '../../src/catalog-analysis/analyze-catalog.ts';
import { parseCatalog } from '../../src/catalog/folder/load-catalog.ts';
import { describeProblem } from '../../src/errors.ts';
import { partText, queryText } from '../support/queries.ts';

type Texts = Readonly<Record<string, string>>;

const table = JSON.stringify(
  ['project', 'other'].map((name) => ({ name, type: 'STRING' })).concat([{ name: 'x', type: 'INTEGER' }]),
);

const tenant = '{ type: string, required: true, tenant: true, description: Whose rows. }';

/** What is not proved of the saved query `reader`. */
function problemsIn(sql: string, texts: Texts, more: readonly string[] = []): readonly string[] {
  const files = {
    'reader.sql': queryText({
      name: 'reader',
      columns: { x: 'integer' },
      parameters: { project: tenant, other: 'string' },
      caching: ['caching: disabled', ...more],
      sql: `${sql} /* @project, @other */`,
    }).replace('other: { type: string,', "other: { type: string, default: 'x',"),
    'tables/logs.json': table,
    ...texts,
  };
  const contents = new Map(Object.entries(files).map(([path, text]) => [path, { text }]));
  const catalog = buildAnalyze({ sql: 'bigquery' })(parseCatalog('', contents));
  return catalog.queries.flatMap((query) => {
    const { compiled, tenantProblems, sandboxProblems } = catalog.analysisOf(query);
    compiled();
    return [...tenantProblems(), ...sandboxProblems()].map(describeProblem);
  });
}

const open = partText('SELECT project, other, x FROM logs');
const filtered = partText('SELECT project, other, x FROM logs WHERE project = @project', {
  project: 'string',
});
const texts = {
  'open.sql': open,
  'filtered.sql': filtered,
  'counted.sql': partText('SELECT project, other, COUNT(*) AS x FROM logs GROUP BY project, other'),
  'latest.sql': partText(
    'SELECT * FROM query.open QUALIFY ROW_NUMBER() OVER (PARTITION BY project, other ORDER BY x) = 1',
  ),
  'cut.sql': partText('SELECT project, COUNT(*) AS x FROM query.open GROUP BY project ORDER BY x LIMIT 5'),
  'views/c.sql':
    'CREATE VIEW d.c (tenant, x) AS SELECT project, SUM(x) FROM query.counted GROUP BY project; CREATE VIEW d.low AS SELECT LOWER(project) AS project, COUNT(*) AS x FROM d.v GROUP BY 1',
  'views/v.sql': 'CREATE VIEW d.v AS SELECT project, other, x FROM logs',
};

const uses = (sql: string) => `${sql} AND @other = @other`;

describe('it is proved that a query of parts returns rows of its tenant only', () => {
  test.each([
    'SELECT x FROM query.open WHERE project = @project',
    'SELECT o.x FROM query.open AS o WHERE o.project = @project',
    'SELECT x FROM query.filtered WHERE TRUE',
    'SELECT x FROM query.filtered(project => @project) WHERE @project = @project',
    'SELECT x FROM d.v WHERE project = @project',
    'SELECT x FROM query.counted WHERE project = @project',
    'SELECT x FROM query.latest WHERE project = @project',
    'SELECT x FROM d.c WHERE tenant = @project',
    'SELECT c.x FROM query.counted AS c JOIN query.latest AS l USING (project) WHERE c.project = @project',
    'SELECT f.x FROM query.filtered AS f LEFT JOIN query.open AS o ON o.project = @project AND o.x = f.x WHERE TRUE',
    'WITH a AS (SELECT * FROM query.open) SELECT x FROM a WHERE project = @project',
    'SELECT a.x FROM query.open AS a JOIN query.open AS b ON a.project = b.project WHERE b.project = @project AND a.project = @project',
  ])('%s', (sql) => {
    expect(problemsIn(uses(sql), texts)).toEqual([]);
  });
});

describe('it is not proved, and so refused', () => {
  test.each([
    ['a part without the filter', 'SELECT x FROM query.open WHERE @project = @project'],
    ['a filter under OR', 'SELECT x FROM query.open WHERE (project = @project OR x = 1)'],
    [
      'a filter of one of two uses',
      'SELECT a.x FROM query.open AS a JOIN query.open AS b ON a.x = b.x WHERE a.project = @project',
    ],
    [
      'a filter on the wrong side of LEFT JOIN',
      'SELECT o.x FROM query.open AS o LEFT JOIN query.filtered AS f ON o.project = @project WHERE TRUE',
    ],
    [
      'another tenant that is bound',
      'SELECT x FROM query.filtered(project => @other) WHERE @project = @project',
    ],
    ['a literal that is bound', "SELECT x FROM query.filtered(project => 'b') WHERE @project = @project"],
    [
      'two tenants',
      'SELECT x FROM query.filtered UNION ALL SELECT x FROM query.filtered(project => @other) WHERE TRUE',
    ],
    ['the name of the tenant, swapped on the way', 'SELECT x FROM query.swapped WHERE @project = @project'],
    ['a filter around LIMIT', 'SELECT x FROM query.cut WHERE project = @project'],
    ['a filter of what is computed from the tenant', 'SELECT x FROM d.low WHERE project = @project'],
    ['a view', 'SELECT x FROM d.v WHERE x > 1 AND @project = @project'],
    ['a condition in SELECT', 'SELECT IF(project = @project, x, 0) AS x FROM query.open WHERE TRUE'],
  ])('%s', (_, sql) => {
    const swapped = partText('SELECT x FROM query.filtered(project => @other)', {
      project: 'string',
      other: 'string',
    }).replace('@other)', '@other) WHERE @project = @project');
    const [problem, ...more] = problemsIn(uses(sql), { ...texts, 'swapped.sql': swapped });
    expect(problem).toMatch(
      /^(?:open|filtered|views\/v)\.sql:\d+:\d+ logs is read without "column = @project" for reader\.sql/,
    );
    expect(more.length).toBeLessThan(2);
  });

  test("a caller's SQL over a table whose part has no filter", () => {
    const sql =
      'WITH safe AS (SELECT x FROM query.filtered), unsafe AS (SELECT x FROM query.open) SELECT x FROM safe WHERE @other = @other';
    expect(problemsIn(sql, texts, ['query_sandboxing: enabled'])).toEqual([
      expect.stringMatching(
        /^open\.sql:4:\d+ the common table unsafe of reader\.sql reads logs without "column = @project"/,
      ),
    ]);
  });
});
