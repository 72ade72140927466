import { describe, expect, test } from 'vitest';
import { parseSavedQuery } from '../../src/catalog/header/parse-saved-query.ts';
import { loadCatalog } from '../../src/catalog/folder/load-catalog.ts';
import type { Catalog, SavedQuery } from '../../src/catalog/model/saved-query.ts';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { readConfig } from '../../src/config.ts';
import { configuredEngine } from '../../src/author/configured-engine.ts';
import { describeProblem } from '../../src/errors.ts';
import { anyEngine, buildAnalyze } from '../../src/catalog-analysis/analyze-catalog.ts';
import { analyzed, engineHost } from '../support/engine-host.ts';

const nullable = { mode: 'NULLABLE' } as const;
const string = (name: string) => ({ name, type: 'STRING', ...nullable }) as const;

const table = (name: string): TableSchema => ({
  name,
  fields: [
    string('id'),
    string('project'),
    string('event_message'),
    { name: 'metadata', type: 'RECORD', mode: 'REPEATED', fields: [string('project_ref'), string('level')] },
  ],
});
const tables = [table('logs'), table('others')];

const savedQuery = (sql: string, isPattern = false): SavedQuery => ({
  id: '00000000-0000-4000-8000-000000000001',
  name: 'q',
  aliases: [],
  description: 'A query.',
  sql,
  source: { file: 'q.sql', line: 10 },
  maxRows: 10,
  caching: 'disabled',
  warm: [],
  labels: [],
  parameters: [],
  tenant: { parameter: 'project', pattern: isPattern ? '^https://{project}/' : undefined },
  tenantUnchecked: undefined,
  columns: [],
  querySandboxing: 'disabled',
});

const tenantProblems = (catalog: Catalog) => {
  const { queries, analysisOf } = buildAnalyze()(catalog);
  return queries.flatMap((query) => analysisOf(query).tenantProblems());
};

const problemsOf = (sql: string, { isPattern = false, declared = tables } = {}) => {
  const problems = tenantProblems({ queries: [savedQuery(sql, isPattern)], tables: declared });
  return problems.map(({ file, line, message }) => `${file}:${line} ${message.split(' ')[0]}`);
};

test.each([
  'select table_name as id from INFORMATION_SCHEMA.TABLES',
  'select id from logs join `p.d.INFORMATION_SCHEMA.PARTITIONS` on true where project = @project',
  'select table_name as id from INFORMATION_SCHEMA.TABLES where table_name = @project',
  'select table_name as id from INFORMATION_SCHEMA.TABLES where table_schema = @project',
  'with s as (select * from `region-us`.INFORMATION_SCHEMA.COLUMNS) select (select max(column_name) from s) as id',
])('INFORMATION_SCHEMA is of no tenant, on all engines: %s', (sql) => {
  for (const dialect of [anyEngine, { sql: 'bigquery' } as const]) {
    const [problem, other] = buildAnalyze(dialect)({ queries: [savedQuery(sql)], tables })
      .analysisOf(savedQuery(sql))
      .tenantProblems();
    expect(problem?.message).toMatch(
      /^INFORMATION_SCHEMA\.[A-Z]+ is read without regard to the tenant: .*tenant_unchecked: <reason>/,
    );
    expect(other).toBeUndefined();
  }
});

test('the message names the columns that do not count because of their collation', () => {
  const fields = [string('id'), { ...string('project'), collation: 'und:ci' }];
  const [problem] = tenantProblems({
    queries: [savedQuery('select id from logs where project = @project')],
    tables: [{ name: 'logs', fields }],
  });
  expect(problem?.message).toContain(
    'joined by AND; a column with a collation does not count, because BigQuery takes different texts for equal by it: project; if',
  );
});

test.each(['a join b', 'b join a'])(
  'the message names a column that does not count without its table: %s',
  (from) => {
    const sql = `select a.id from ${from} on a.id = b.id and b.project = @project
    join (select id from c) as d on d.id = a.id where ref = @project`;
    const [other, problem, another] = tenantProblems({ queries: [savedQuery(sql)], tables: [] });
    expect(problem?.message).toMatch(
      /^a is read without .*; a bare ref does not count, because it may be .* as in table\.ref; if/,
    );
    expect(other?.message).toMatch(/^c is read without (?!.*bare)/);
    expect(another).toBeUndefined();
  },
);

describe('a query that takes SQL of callers restricts each of its common tables', () => {
  const sandboxed = (sql: string) =>
    buildAnalyze()({ queries: [], tables })
      .analysisOf({ ...savedQuery(sql), querySandboxing: 'enabled' })
      .sandboxProblems()
      .map(({ file, line, message }) => `${file}:${line} ${message}`);

  test('and none of them describes the tables of all tenants', () => {
    const [problem, other] = sandboxed(
      'with t as (select table_name as id from INFORMATION_SCHEMA.TABLES where table_name = @project) select id from t',
    );
    expect(problem).toMatch(/ reads INFORMATION_SCHEMA\.TABLES without regard to the tenant, .*restricts it/);
    expect(other).toBeUndefined();
  });

  test.each([
    [
      'a filter in the last SELECT only',
      'with a as (select * from logs)\nselect id from a where project = @project',
      'q.sql:10 the common table a reads logs without "column = @project"',
    ],
    [
      'a filter of one common table around another one',
      'with a as (\nselect * from logs), b as (select * from a where project = @project)\nselect id from b',
      'q.sql:11 the common table a reads logs without',
    ],
    [
      'a common table that the query does not read',
      'with a as (select * from logs where project = @project), b as (select * from others) select id from a',
      'q.sql:10 the common table b reads others without',
    ],
    [
      'no common table',
      'select id from logs where project = @project',
      'q.sql:10 query_sandboxing: enabled needs a WITH clause',
    ],
    [
      'recursive common tables',
      'with recursive a as (select id from logs where project = @project) select id from a',
      'q.sql:10 query_sandboxing: enabled does not work with WITH RECURSIVE',
    ],
    [
      'a common table whose name is one of a table in a data set',
      'with `a.b` as (select id from logs where project = @project) select 1 as id',
      'q.sql:10 query_sandboxing: enabled does not work with the common table a.b: its name has a dot',
    ],
    [
      'SQL that is not known here',
      "with a as (select keys.new_keyset('AEAD_AES_GCM_256') as id from logs where project = @project) select id from a",
      'q.sql:10 query_sandboxing: enabled needs SQL that Querygate can check: ',
    ],
  ])('%s is refused', (_, sql, expected) => {
    const [first = '', ...more] = sandboxed(sql);
    expect(first).toContain(expected);
    expect(more).toEqual([]);
  });

  test('filters inside of the common tables are enough', () => {
    expect(
      sandboxed(
        'with a as (select * from logs where project = @project), b as (select a.id from a join others o on o.project = @project) select id from b',
      ),
    ).toEqual([]);
  });
});

describe('a refusal says that a comparison under OR does not count, and the name of its column', () => {
  const messageOf = (sql: string, isPattern = false) => {
    const [problem] = tenantProblems({ queries: [savedQuery(sql, isPattern)], tables });
    return problem?.message;
  };
  const underOr = '; the one in line 11 is under OR, which does not count; if every';

  test.each([
    ['select id from logs where\n(project = @project or @PROJECT = "all")', '"project = @project"'],
    [
      'select id from logs l where id = "x" and (id = "y" or\n@project = l.`project`)',
      '"l.`project` = @project"',
    ],
    [
      'select l.id from logs l join others as o on o.project = @project where\nl.project = @project or l.id = "x"',
      '"l.project = @project"',
    ],
  ])('%s', (sql, comparison) => {
    expect(messageOf(sql)).toContain(`logs is read without ${comparison}, so`);
    expect(messageOf(sql)).toContain(`joined by AND${underOr}`);
  });

  test('a comparison with a pattern is named too', () => {
    const message = messageOf(
      'select id from logs where\nregexp_contains(project, @project) or id = "x"',
      true,
    );
    expect(message).toContain('"REGEXP_CONTAINS(project, @project)"');
    expect(message).toContain(underOr);
  });

  test.each([
    'select id from logs where project >= @project',
    'select id from logs where project >= @project or id = "x"',
    'select o.id from logs l join others o on l.project = @project where l.project = @project or l.id = "x"',
    'select id from logs union all select id from others where project = @project or id = "x"',
  ])('not of another table, and of no other comparison: %s', (sql) => {
    const message = messageOf(sql);
    expect(message).toContain('is read without "column = @project"');
    expect(message).not.toContain('under OR');
  });
});

describe('a query that may return rows of other tenants is refused', () => {
  test.each([
    ['a forgotten filter', 'select id from logs where @project is not null', ['q.sql:10 logs']],
    [
      'a regular expression',
      'select id\nfrom logs\nwhere regexp_contains(event_message, @project)',
      ['q.sql:11 logs'],
    ],
    ['a prefix', 'select id from logs t where starts_with(t.project, @project)', ['q.sql:10 logs']],
    ['LIKE', 'select id from logs t where t.project like @project', ['q.sql:10 logs']],
    ['another case', 'select id from logs t where lower(t.project) = lower(@project)', ['q.sql:10 logs']],
    [
      'a branch of a union',
      'select id from logs where project = @project\nunion all\nselect id from others',
      ['q.sql:12 others'],
    ],
    ['OR', "select id from logs where project = @project or event_message = 'x'", ['q.sql:10 logs']],
    ['NOT', 'select id from logs where not (project = @project)', ['q.sql:10 logs']],
    ['another operator', 'select id from logs where project >= @project', ['q.sql:10 logs']],
    ['a cast of the column', "select id from logs where concat(project, '') = @project", ['q.sql:10 logs']],
    [
      'the condition of a CASE',
      'select case when project = @project then id end as id from logs',
      ['q.sql:10 logs'],
    ],
    [
      'a filter after LIMIT',
      'select * from (select project, id from logs order by id limit 9) where project = @project',
      ['q.sql:10 logs'],
    ],
    [
      'HAVING with a count of all rows',
      'select max(project) as p from logs having max(project) = @project',
      ['q.sql:10 logs'],
    ],
    [
      'HAVING of a value that is computed from the tenant',
      'select lower(project) as p from logs group by p having p = @project',
      ['q.sql:10 logs'],
    ],
    [
      'HAVING under OR',
      'select project from logs group by project having project = @project or count(*) > 9',
      ['q.sql:10 logs'],
    ],
    [
      'HAVING of several sets',
      'select project from logs group by rollup(project) having project = @project',
      ['q.sql:10 logs'],
    ],
    [
      'a joined table without a filter',
      'select l.id from logs l join others o on o.id = l.id where l.project = @project',
      ['q.sql:10 others'],
    ],
    [
      'the condition of an outer join, for the side that stays',
      'select l.id from logs l left join others o on l.project = @project and o.project = @project',
      ['q.sql:10 logs'],
    ],
    [
      'a subquery',
      'select id, (select count(*) from others) as n from logs where project = @project',
      ['q.sql:10 others'],
    ],
    [
      'IN with a subquery',
      'select id from logs where project = @project and id in (select id from others)',
      ['q.sql:10 others'],
    ],
    [
      'EXISTS',
      'select id from logs l where project = @project and exists (select 1 from others o where o.id = l.id)',
      ['q.sql:10 others'],
    ],
    [
      'a common table that one reader filters and another one does not',
      `with t as (select id, project from logs)
      select id from t where project = @project union all select id from t`,
      ['q.sql:10 logs'],
    ],
    [
      'a recursive query',
      `with recursive t as (
        select id from logs where project = @project
        union all select o.id from others o join t on t.id = o.id
      ) select id from t`,
      ['q.sql:12 others'],
    ],
    [
      'a recursive query that puts the tenant beside the values of its rows',
      `with recursive t as (
        select id, project, 1 as depth from logs
        union all select id, 'a' as project, depth + 1 from t where depth < 2
      ) select id from t where project = @project`,
      ['q.sql:11 logs'],
    ],
    [
      'EXCEPT',
      'select id from logs where project = @project except distinct select id from others',
      ['q.sql:10 others'],
    ],
    [
      'a pivot',
      "select * from (select project, id from logs) pivot (count(id) for project in ('a', 'b')) where @project = 'a'",
      ['q.sql:10 logs'],
    ],
    [
      'a window',
      'select id from logs qualify row_number() over (order by id) = 1 and project = @project',
      ['q.sql:10 logs'],
    ],
    ['another parameter', 'select id from logs where project = @other', ['q.sql:10 logs']],
    [
      'an IN list with the parameter',
      "select id from logs where project in (@project, 'x')",
      ['q.sql:10 logs'],
    ],
    ['a pipe', 'from logs |> where id is not null |> select id', ['q.sql:10 logs']],
  ])('for %s', (_, sql, expected) => {
    expect(problemsOf(sql)).toEqual(expected);
  });

  describe('a filter around a query that counts does not count', () => {
    const filtered = (inner: string) => `select * from (${inner}) where project = @project`;
    test.each([
      ['of a value that is not a key', 'select max(project) as project, id from logs group by id'],
      [
        'of an array across tenants',
        "select array_agg(project order by project limit 1)[offset(0)] as project, count(*) as n from logs group by 'x' || id",
      ],
      ['of a computed key', 'select coalesce(project, id) as project, count(*) as n from logs group by 1'],
      ['of a part of the tenant', 'select substr(project, 1, 3) as project from logs group by 1'],
      ['of another case', 'select lower(project) as project from logs group by 1'],
      [
        'of another key with that name',
        "select 'a' as project, project as p, count(*) as n from logs group by 1, 2",
      ],
      ['behind LIMIT', 'select project, count(*) as n from logs group by project order by n desc limit 3'],
      ['behind OFFSET', 'select distinct project from logs order by project limit 9 offset 1'],
      [
        'behind LIMIT between two groups',
        'select project, sum(n) as n from (select project, id, count(*) as n from logs group by 1, 2 limit 9) group by project',
      ],
      ['of ROLLUP', 'select project, id, count(*) as n from logs group by rollup(project, id)'],
      ['of CUBE', 'select project, id, count(*) as n from logs group by cube(project, id)'],
      [
        'of grouping sets',
        'select project, id, count(*) as n from logs group by grouping sets (project, id)',
      ],
      ['of a window over all rows', 'select project, row_number() over (order by id) as n from logs'],
      ['of a window of another value', 'select project, count(*) over (partition by id) as n from logs'],
      [
        'of one of two windows',
        'select project, count(*) over (partition by project) as n, count(*) over () as m from logs',
      ],
      [
        'of a named window over all rows',
        'select project, count(*) over w as n from logs window w as (order by id)',
      ],
      [
        'of a window by a computed value',
        'select project, count(*) over (partition by lower(project)) as n from logs',
      ],
      ['of QUALIFY over all rows', 'select project from logs qualify row_number() over (order by id) = 1'],
      ['of a window over groups', 'select project, sum(count(*)) over () as n from logs group by project'],
      [
        'of a window over groups in HAVING of a query around',
        'select project from (select project, rank() over (order by count(*)) as r from logs group by project) where r > 1',
      ],
      [
        'of a scalar subquery over all rows',
        'select (select max(project) from logs) as project, 1 as n from others where project = @project group by 1',
      ],
      [
        'of a recursive table',
        'with recursive r as (select project, 1 as d from logs group by project union all select project, d + 1 from r where d < 3) select project from r',
      ],
    ])('%s', (_, inner) => {
      expect(problemsOf(filtered(inner))).toEqual(['q.sql:10 logs']);
    });

    test.each([
      [
        'one branch of a union',
        "select project, count(*) as n from logs group by project union all select 'a', count(*) from others group by id",
        ['q.sql:10 others'],
      ],
      [
        'the other side of a join',
        'select l.project, count(o.id) as n from logs l join others o on o.id = l.id group by l.project',
        ['q.sql:10 others'],
      ],
      [
        'the side of an outer join that stays',
        'select o.project, count(l.id) as n from logs l left join others o on o.id = l.id group by o.project',
        ['q.sql:10 logs'],
      ],
      [
        'a column of either side',
        'select project, count(*) as n from logs full join others using (project) group by project',
        ['q.sql:10 logs', 'q.sql:10 others'],
      ],
      [
        'a subquery in HAVING',
        'select project from logs group by project having count(*) > (select count(*) from others)',
        ['q.sql:10 others'],
      ],
      [
        'a subquery in the argument of an aggregate',
        'select project, max((select max(o.id) from others o)) as m from logs group by project',
        ['q.sql:10 others'],
      ],
    ])('of %s', (_, inner, expected) => {
      expect(problemsOf(filtered(inner)).sort()).toEqual(expected);
    });

    test('of texts that are equal without case, and match other patterns', () => {
      const sql =
        "select * from (select collate(project, 'und:ci') as project, count(*) as n from logs group by 1) where project = @project";
      expect(problemsOf(sql)).toEqual(['q.sql:10 logs']);
    });
  });

  test('a string comparison does not filter by a pattern, nor does any other function', () => {
    const isPattern = true;
    expect(problemsOf('select id from logs where event_message = @project', { isPattern })).toEqual([
      'q.sql:10 logs',
    ]);
    expect(
      problemsOf('select id from logs where regexp_extract(event_message, @project) is not null', {
        isPattern,
      }),
    ).toEqual(['q.sql:10 logs']);
  });
});

describe('a query that is restricted to the tenant is accepted', () => {
  test.each([
    ['a column', 'select id from logs where project = @project'],
    ['the parameter first', 'select id from logs where @project = project and id is not null'],
    ['a name in another case', 'select id from logs where PROJECT = @Project'],
    ['in parentheses', "select id from logs where (id = 'x' and (project = @project))"],
    ['a field of a record', 'select id from logs t, unnest(t.metadata) m where m.project_ref = @project'],
    [
      'a left join with the array',
      'select id from logs t left join unnest(t.metadata) m where t.project = @project',
    ],
    [
      'through a common table',
      'with t as (select id, project as p from logs) select id from t where p = @project',
    ],
    [
      'through a union',
      `select id from (select id, project from logs union all select id, project from others)
      where project = @project`,
    ],
    ['through DISTINCT', 'select id from (select distinct id, project from logs) where project = @project'],
    ['before a count', 'select count(*) as n from logs where project = @project'],
    ['HAVING', 'select project from logs group by project having project = @project'],
    [
      'HAVING before LIMIT',
      'select project, count(*) as n from logs group by 1 having project = @project order by n limit 3',
    ],
    [
      'HAVING, through the equality of a join',
      'select l.project, count(*) as n from logs l join others o using (project) group by 1 having l.project = @project',
    ],
    [
      'QUALIFY with the windows of the tenant',
      'select id from logs qualify row_number() over (partition by project order by id) = 1 and project = @project',
    ],
    [
      'both sides of a join',
      'select l.id from logs l join others o on o.id = l.id and o.project = @project where l.project = @project',
    ],
    [
      'through the equality of a join',
      'select l.id from logs l join others o using (project) where l.project = @project',
    ],
    [
      'the side of an outer join that may be missing',
      'select l.id from logs l left join others o on o.project = l.project where l.project = @project',
    ],
    [
      'a subquery with its own filter',
      'select id from logs where project = @project and id in (select id from others where project = @project)',
    ],
    [
      'a correlated subquery',
      'select id from logs l where project = @project and exists (select 1 from others o where o.project = l.project)',
    ],
    ['a pipe', 'from logs |> where project = @project |> aggregate count(*) as n group by id'],
    ['no table', 'select @project as p'],
    [
      'a common table that is not read',
      'with t as (select id from others) select id from logs where project = @project',
    ],
  ])('by %s', (_, sql) => {
    expect(problemsOf(sql)).toEqual([]);
  });

  describe('around a query that counts apart for it', () => {
    const forms = [
      ['GROUP BY', 'select project, count(*) as n from logs group by project'],
      ['GROUP BY of a position', 'select count(*) as n, project from logs group by 2'],
      ['GROUP BY ALL', 'select project, count(*) as n from logs group by all'],
      ['another name', 'select id as project, count(*) as n from logs group by project'],
      [
        'several keys, HAVING and the order of an array',
        'select id, project, array_agg(event_message order by id limit 2) as m from logs group by id, project having count(*) > 1',
      ],
      ['a window', 'select project, row_number() over (partition by id, project order by id) as n from logs'],
      ['a named window', 'select project, count(*) over w as n from logs window w as (partition by project)'],
      [
        'a named window that another one extends',
        'select project, count(*) over (w order by id) as n from logs window w as (partition by project)',
      ],
      [
        'the last version of each row',
        'select * from logs qualify row_number() over (partition by project, id order by event_message desc) = 1',
      ],
      [
        'windows over groups',
        'select project, id, rank() over (partition by project order by count(*)) as r from logs group by project, id',
      ],
      [
        'groups of groups',
        'select project, max(n) as n from (select project, id, count(*) as n from logs group by 1, 2) group by 1',
      ],
      ['DISTINCT of groups', 'select distinct project, count(*) as n from logs group by project, id'],
      [
        'a union of groups',
        'select project, count(*) as n from logs group by 1 union all select project, count(*) from others group by 1',
      ],
      [
        'groups of a union',
        'select project, count(*) as n from (select project from logs union all select project from others) group by 1',
      ],
      ['a field', 'select m.project_ref as project, count(*) as n from logs l, l.metadata m group by 1'],
      ['a pipe', 'from logs |> aggregate count(*) as n group by project'],
      [
        'a pivot of other values',
        "select * from (select project, id, event_message from logs) pivot (count(id) for event_message in ('a', 'b'))",
      ],
    ] as const;

    test.each(forms)('%s', (_, inner) => {
      expect(problemsOf(`select * from (${inner}) where project = @project`)).toEqual([]);
      expect(problemsOf(`select * from (${inner}) where @project = @project`)).toContain('q.sql:10 logs');
    });

    test('as the side of a join that may be missing', () => {
      const sql =
        'select o.id, l.n from others o left join (select project, count(*) as n from logs group by 1) l using (project) where o.project = @project';
      expect(problemsOf(sql)).toEqual([]);
    });

    test('a pattern too', () => {
      for (const [, inner] of forms.slice(0, 6))
        expect(
          problemsOf(`select * from (${inner}) where regexp_contains(project, @project)`, {
            isPattern: true,
          }),
        ).toEqual([]);
    });
  });

  test('a pattern that a column is matched with', () => {
    const sql = 'select id from logs where regexp_contains(event_message, @project)';
    expect(problemsOf(sql, { isPattern: true })).toEqual([]);
  });

  test('the shipped queries', () => {
    expect(tenantProblems(loadCatalog('queries'))).toEqual([]);
  });
});

test.each([
  ['unions', (name: string) => `select id, project from ${name} union all select id, project from ${name}`],
  ['joins', (name: string) => `select a.id, b.project from ${name} a join ${name} b on a.id = b.id`],
])('common tables of %s that are each read twice are checked in time', (_, body) => {
  const tables = Array.from({ length: 30 }, (_, at) => `t${at + 1} as (${body(`t${at}`)})`);
  const sql = `with t0 as (select id, project from logs), ${tables.join(', ')} select id from t30`;
  const before = process.cpuUsage();
  expect(problemsOf(sql)).toEqual(['q.sql:10 logs']);
  expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
});

describe('tables without a schema', () => {
  test.each([
    ['select l.id from logs l where l.project = @project', []],
    ['with t as (select * from logs) select t.id from t where t.project = @project', []],
    ['select id from `p.d.logs` where project = @project', []],
    ['select l.id from logs l', ['q.sql:10 logs']],
    ['select l.id from logs l join others o on o.id = l.id where l.project = @project', ['q.sql:10 others']],
    ['with t as (select *, id as p from logs) select t.id from t where t.p = @project', []],
    ["with t as (select *, 'a' as p from logs) select t.id from t where t.p = @project", ['q.sql:10 logs']],
    [
      "select t.id from (select * from logs l left join (select 'a' as p) x on true) t where t.p = @project",
      ['q.sql:10 logs'],
    ],
    [
      'select t.id from (select * from logs l join (select * from others o where o.p = @project) o on o.id = l.id) t where t.p = @project',
      ['q.sql:10 logs'],
    ],
    [
      'select t.id from (select * from logs union all select * from others) t where t.project = @project',
      ['q.sql:10 others'],
    ],
    [
      "select t.id from (select * from logs where id = 'a' union all select * from logs where id = 'b') t where t.project = @project",
      [],
    ],
    ['select * from (select project, count(*) as n from logs group by 1) where project = @project', []],
    [
      'select * from (select project, count(*) as n from logs group by id) where project = @project',
      ['q.sql:10 logs'],
    ],
    ['select * from (select distinct * from logs) t where t.project = @project', []],
    [
      'select * from (select *, count(*) over (partition by id) as n from logs) t where t.project = @project',
      ['q.sql:10 logs'],
    ],
    [
      'select array_agg(id order by (select max(id) from others)) as ids from logs where project = @project',
      ['q.sql:10 others'],
    ],
    [
      'select any_value(id having max (select max(o.id) from others o where o.id = l.id)) as id from logs l where project = @project',
      ['q.sql:10 others'],
    ],
    [
      'select cast(m as struct<project string>).project as id from logs where cast(m as struct<project string>).project = @project',
      ['q.sql:10 logs'],
    ],
  ])('are checked too: %s has the problems %j', (sql, expected) => {
    expect(problemsOf(sql, { declared: [] })).toEqual(expected);
  });

  test('SQL that cannot be compiled cannot be checked', () => {
    expect(
      tenantProblems({ queries: [savedQuery('select st_area(x) from logs')], tables })[0]?.message,
    ).toMatch(/can't be checked .*tenant_unchecked/);
  });
});

test('an author may say why nothing has to be checked', () => {
  const query = { ...savedQuery('select id from logs'), tenantUnchecked: 'public data' };
  expect(tenantProblems({ queries: [query], tables })).toEqual([]);
  const header = (lines: string) =>
    `/*---\nid: 8d5a1f0e-6c3b-4f7e-9a52-1b7c0e4d2f63\ndescription: D.\nmax_rows: 1\ncaching: disabled\nquery_sandboxing: disabled\n${lines}\ncolumns:\n  id: { type: string, description: Id. }\n---*/\nselect @p as id\n`;
  const parameter = 'parameters:\n  p: { type: string, required: true, tenant: true, description: P. }';
  const parse = (lines: string) => parseSavedQuery('q', 'q.sql', header(lines));
  expect(parse(`tenant_unchecked: public data\n${parameter}`)).toMatchObject({
    query: { tenantUnchecked: 'public data' },
  });
  expect(parse('tenant_unchecked: public data').problems).not.toEqual([]);
});

describe.each(['duckdb', 'bigquery'] as const)('on %s', (engine) => {
  const refusal = /q\.sql:10:\d+ logs is read without "column = @project"/;
  const catalog = analyzed({ queries: [savedQuery('select id from logs')], tables });
  const config = readConfig({
    ENGINE: engine,
    BIGQUERY_PROJECT: 'my-project',
    BIGQUERY_DATASET: 'logs',
    BIGQUERY_API_ENDPOINT: 'http://127.0.0.1:1',
  });

  test('is not opened with a query that may return rows of other tenants', async () => {
    const host = engineHost({ catalog, config });
    const opened = (await configuredEngine(config)).open(host);
    await expect(opened).rejects.toThrow(refusal);
  });

  test('names it among the problems of the queries', async () => {
    const { limits } = engineHost({ catalog, config });
    const problems = await (await configuredEngine(config)).check(catalog, { limits, onChecked: () => {} });
    expect(problems.map(describeProblem).join('\n')).toMatch(refusal);
  });
});
