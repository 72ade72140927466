import { queryText } from '../../support/queries.ts';

/** Tables of the tests: each has rows of many tenants. */
export const tables = {
  'tables/events.json': JSON.stringify([
    { name: 'tenant', type: 'STRING' },
    { name: 'id', type: 'INTEGER' },
    { name: 'ts', type: 'TIMESTAMP' },
    { name: 'kind', type: 'STRING' },
    { name: 'n', type: 'INTEGER' },
    { name: 'price', type: 'NUMERIC' },
    { name: 'url', type: 'STRING' },
    { name: 'text', type: 'STRING' },
    { name: 'tags', type: 'STRING', mode: 'REPEATED' },
    {
      name: 'meta',
      type: 'RECORD',
      mode: 'REPEATED',
      fields: [
        { name: 'owner', type: 'STRING' },
        { name: 'size', type: 'INTEGER' },
      ],
    },
  ]),
  'tables/users.json': JSON.stringify([
    { name: 'tenant', type: 'STRING' },
    { name: 'id', type: 'INTEGER' },
    { name: 'name', type: 'STRING' },
  ]),
};

interface Form {
  readonly sql: string;
  readonly columns: Readonly<Record<string, string>>;
  readonly maxRows?: number;
  readonly isPattern?: boolean;
}

const id = { id: 'integer' };
const kindCount = { kind: 'string', c: 'integer' };

/** Queries that are shared, one for each construct. */
export const shared: Readonly<Record<string, Form>> = {
  'rows in order': {
    sql: 'SELECT id, kind, ts FROM events WHERE tenant = @project ORDER BY ts DESC, id',
    columns: { ...id, kind: 'string', ts: 'timestamp' },
  },
  'rows that may be equal in the order': {
    sql: 'SELECT id, n FROM events WHERE @project = tenant ORDER BY n',
    columns: { ...id, n: 'integer' },
    maxRows: 4,
  },
  'equal rows that are cut': {
    sql: 'SELECT kind FROM events WHERE tenant = @project ORDER BY kind',
    columns: { kind: 'string' },
    maxRows: 3,
  },
  'LIMIT and OFFSET': {
    sql: 'SELECT id FROM events WHERE tenant = @project ORDER BY id LIMIT 4 OFFSET 2',
    columns: id,
  },
  'LIMIT by parameters': {
    sql: 'SELECT id FROM events WHERE tenant = @project ORDER BY n, id LIMIT @most OFFSET @skip',
    columns: id,
    maxRows: 3,
  },
  groups: {
    sql: 'SELECT kind, COUNT(*) AS c FROM events WHERE tenant = @project AND n > @least GROUP BY kind ORDER BY 2 DESC, kind',
    columns: kindCount,
  },
  'GROUP BY ALL': {
    sql: 'SELECT kind, COUNT(*) AS c FROM events AS e WHERE e.tenant = @project GROUP BY ALL ORDER BY COUNT(*) DESC, kind',
    columns: kindCount,
  },
  'the tenant as a column of groups': {
    sql: "SELECT @project AS project, kind, IF(@project = 'a', 1, 2) AS c FROM events WHERE tenant = @project GROUP BY kind HAVING COUNT(*) > 1 AND @project <> 'b' ORDER BY kind",
    columns: { project: 'string', ...kindCount },
  },
  DISTINCT: {
    sql: 'SELECT DISTINCT kind FROM events WHERE tenant = @project ORDER BY kind DESC NULLS FIRST',
    columns: { kind: 'string' },
  },
  windows: {
    sql: `SELECT id, ROW_NUMBER() OVER (PARTITION BY kind ORDER BY id) AS r, SUM(n) OVER () AS s, MAX(n) OVER w AS m
      FROM events WHERE tenant = @project QUALIFY COUNT(*) OVER (w) > 1 WINDOW w AS (PARTITION BY n) ORDER BY id`,
    columns: { ...id, r: 'integer', s: 'integer', m: 'integer' },
  },
  'two common tables': {
    sql: `WITH e AS (SELECT id, n FROM events WHERE tenant = @project), u AS (SELECT * FROM users AS u WHERE u.tenant = @project)
      SELECT e.id, u.name FROM e JOIN u ON e.id = u.id ORDER BY 1, 2`,
    columns: { ...id, name: 'string' },
  },
  'a common table twice': {
    sql: `WITH e AS (SELECT id, n FROM events WHERE tenant = @project)
      SELECT a.id, b.id AS other FROM e AS a, e AS b WHERE a.n = b.n AND a.id < b.id ORDER BY id, other`,
    columns: { ...id, other: 'integer' },
  },
  'tables joined where they are': {
    sql: 'SELECT e.id, u.name FROM events AS e INNER JOIN users AS u ON e.id = u.id AND u.tenant = @project WHERE e.tenant = @project ORDER BY e.id, u.name',
    columns: { ...id, name: 'string' },
  },
  'LEFT JOIN of two': {
    sql: `WITH u AS (SELECT id, name FROM users WHERE tenant = @project)
      SELECT e.id, u.name FROM (SELECT id FROM events WHERE tenant = @project) AS e LEFT JOIN u ON e.id = u.id ORDER BY id, name`,
    columns: { ...id, name: 'string' },
  },
  'LEFT JOIN with USING': {
    sql: `WITH e AS (SELECT id, n FROM events WHERE tenant = @project), u AS (SELECT id, name FROM users WHERE tenant = @project)
      SELECT id, name FROM e LEFT JOIN u USING (id) ORDER BY id, name`,
    columns: { ...id, name: 'string' },
  },
  'buckets without rows': {
    sql: `WITH buckets AS (SELECT bucket FROM UNNEST(GENERATE_ARRAY(0, 3)) AS bucket),
      counts AS (SELECT MOD(n, 5) AS bucket, COUNT(*) AS c FROM events WHERE tenant = @project GROUP BY bucket)
      SELECT bucket, IFNULL(c, 0) AS c FROM buckets LEFT JOIN counts USING (bucket) ORDER BY bucket`,
    columns: { bucket: 'integer', c: 'integer' },
  },
  'the tenant in a common table of its own': {
    sql: `WITH p AS (SELECT @project AS project)
      SELECT e.id, p.project FROM events AS e CROSS JOIN p WHERE e.tenant = @project AND e.tenant = p.project ORDER BY id`,
    columns: { ...id, project: 'string' },
  },
  'UNION ALL': {
    sql: `SELECT id, kind AS name FROM events WHERE tenant = @project
      UNION ALL SELECT id, name FROM users WHERE tenant = @project ORDER BY id, name`,
    columns: { ...id, name: 'string' },
  },
  'EXCEPT DISTINCT': {
    sql: `SELECT id FROM events WHERE tenant = @project EXCEPT DISTINCT SELECT id FROM users WHERE tenant = @project ORDER BY id`,
    columns: id,
  },
  'INTERSECT in a table': {
    sql: `SELECT i.id FROM (SELECT id FROM events WHERE tenant = @project INTERSECT DISTINCT SELECT id FROM users WHERE tenant = @project) AS i ORDER BY id`,
    columns: id,
  },
  stars: {
    sql: `SELECT * EXCEPT (n) FROM (SELECT x.*, 1 AS one FROM (SELECT id, n FROM events WHERE tenant = @project) AS x) ORDER BY id LIMIT 5`,
    columns: { ...id, one: 'integer' },
  },
  'elements of arrays': {
    sql: 'SELECT tag, COUNT(*) AS c FROM events AS e CROSS JOIN UNNEST(e.tags) AS tag WHERE e.tenant = @project GROUP BY tag ORDER BY tag',
    columns: { tag: 'string', c: 'integer' },
  },
  'a tenant in an array': {
    sql: `SELECT kind, SUM(m.size) AS s, MIN(price) AS p FROM events AS e, e.meta AS m
      WHERE m.owner = @project AND (@least = 0 OR n >= @least) GROUP BY kind ORDER BY kind`,
    columns: { kind: 'string', s: 'integer', p: 'numeric' },
  },
  'sums of NUMERIC, in lists': {
    sql: "SELECT kind, SUM(price) AS s, AVG(n) AS a, STRING_AGG(text, ',' ORDER BY id) AS t, ARRAY_AGG(id ORDER BY id) AS ids FROM events WHERE tenant = @project GROUP BY kind ORDER BY kind",
    columns: {
      ...{ kind: 'string', s: 'numeric', a: 'float', t: 'string' },
      ids: '{ type: integer, repeated: true, description: Ids. }',
    },
  },
  'another order than that of the columns': {
    sql: 'SELECT e.id FROM events AS e WHERE e.tenant = @project ORDER BY e.n + e.id DESC, e.ts LIMIT 6',
    columns: id,
  },
  'an order that differs from a column by the case of a text': {
    sql: "SELECT id, IF(kind = 'X', 1, 2) AS c FROM events WHERE tenant = @project ORDER BY IF(kind = 'x', 1, 2), id",
    columns: { ...id, c: 'integer' },
  },
  'a column of the result with the name of the tenant': {
    sql: `SELECT g.c, g.kind FROM (SELECT 'k' AS tenant, kind, COUNT(*) AS c FROM events WHERE tenant = @project
      GROUP BY kind HAVING @project <> 'b') AS g UNION ALL
      SELECT COUNT(*) OVER (PARTITION BY kind), 'q' AS tenant FROM events WHERE tenant = @project
      QUALIFY @project <> 'a' ORDER BY c, kind`,
    columns: { c: 'integer', kind: 'string' },
  },
  'a condition of the tenant before those of a join': {
    sql: `WITH e AS (SELECT id, tenant FROM events WHERE tenant = @project), u AS (SELECT id, name FROM users WHERE tenant = @project)
      SELECT e.id, u.name FROM e JOIN u USING (id) WHERE e.tenant = @project ORDER BY 1, 2`,
    columns: { ...id, name: 'string' },
  },
  'values that are not numbers': {
    sql: 'SELECT id, CAST(text AS INT64) AS n FROM events WHERE tenant = @project ORDER BY id',
    columns: { ...id, n: 'integer' },
  },
  'a part of a URL': {
    sql: 'SELECT kind, COUNT(*) AS c FROM events WHERE REGEXP_CONTAINS(url, @project) GROUP BY kind ORDER BY kind',
    columns: kindCount,
    isPattern: true,
  },
};

const parameters = {
  most: '{ type: integer, bind: INT64, default: 3, description: Rows. }',
  skip: '{ type: integer, bind: INT64, default: 0, description: Rows. }',
  least: '{ type: integer, bind: INT64, default: 0, description: Least. }',
};

/** Queries that are not shared, with the reason. */
export const alone: readonly (readonly [string, string])[] = [
  ['SELECT id FROM events WHERE tenant = @project', 'its rows have no order; add ORDER BY'],
  ['SELECT COUNT(*) AS id FROM events WHERE tenant = @project', 'an aggregate without GROUP BY'],
  ['SELECT COUNT(*) AS id FROM events WHERE tenant = @project ORDER BY 1', 'an aggregate without GROUP BY'],
  [
    'SELECT MAX(id) AS id FROM events WHERE tenant = @project HAVING COUNT(*) > 1 ORDER BY id',
    'an aggregate without GROUP BY',
  ],
  [
    'SELECT id FROM (SELECT id FROM events WHERE tenant = @project ORDER BY n LIMIT 3) ORDER BY id',
    'LIMIT below the last SELECT',
  ],
  [
    'SELECT id FROM events WHERE tenant = @project AND id IN (SELECT id FROM users WHERE tenant = @project) ORDER BY id',
    'a subquery in an expression reads rows of the tenant',
  ],
  [
    'WITH u AS (SELECT id FROM users WHERE tenant = @project) SELECT id FROM events WHERE tenant = @project AND EXISTS (SELECT 1 FROM u) ORDER BY id',
    'a subquery in an expression reads rows of the tenant',
  ],
  [
    'SELECT IFNULL(e.id, u.id) AS id FROM (SELECT id FROM events WHERE tenant = @project) AS e FULL JOIN (SELECT id FROM users WHERE tenant = @project) AS u ON e.id = u.id ORDER BY id',
    'FULL JOIN of rows of the tenant',
  ],
  [
    'SELECT id, RAND() AS r FROM events WHERE tenant = @project ORDER BY id',
    'RAND may have another value in each run',
  ],
  [
    'SELECT id, ANY_VALUE(n) AS n FROM events WHERE tenant = @project GROUP BY id ORDER BY id',
    'ANY_VALUE may have another value in each run',
  ],
  [
    'SELECT id, STRING_AGG(kind) AS k FROM events WHERE tenant = @project GROUP BY id ORDER BY id',
    'STRING_AGG without ORDER BY',
  ],
  [
    'SELECT id, ROW_NUMBER() OVER () AS r FROM events WHERE tenant = @project ORDER BY id',
    'ROW_NUMBER without ORDER BY',
  ],
  [
    'SELECT id, STRING_AGG(kind) OVER (PARTITION BY n) AS k FROM events WHERE tenant = @project ORDER BY id',
    'STRING_AGG without ORDER BY',
  ],
  [
    'SELECT id, MAX(n) OVER (ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS n FROM events WHERE tenant = @project ORDER BY id',
    'MAX without ORDER BY',
  ],
  [
    'SELECT id, APPROX_TOP_COUNT(kind, 1)[OFFSET(0)].value AS k FROM events WHERE tenant = @project GROUP BY id ORDER BY id',
    'APPROX_TOP_COUNT may have another value in each run',
  ],
  [
    'SELECT id, SUM(CAST(n AS FLOAT64)) AS s FROM events WHERE tenant = @project GROUP BY id ORDER BY id',
    'a sum or an average of FLOAT64',
  ],
  [
    'SELECT kind, COUNT(*) AS c FROM events WHERE tenant = @project GROUP BY ROLLUP(kind) ORDER BY kind',
    'grouping sets have a row also for a tenant without rows',
  ],
  [
    'SELECT id FROM (SELECT COUNT(*) AS id FROM events WHERE tenant = @project GROUP BY ALL) ORDER BY id',
    'GROUP BY without a column has a row also for a tenant without rows',
  ],
  [
    'SELECT id, -n AS n FROM events WHERE tenant = @project ORDER BY -n, id',
    'ORDER BY with an expression of a column of the result',
  ],
  [
    "SELECT e.id FROM events AS e WHERE e.tenant = @project ORDER BY IF(@project = 'a', e.n, -e.n), id",
    'the parameter of the tenant is used outside of a SELECT',
  ],
  [
    'SELECT id FROM events WHERE tenant = @project UNION ALL SELECT 1 ORDER BY id',
    'a part of a query reads no rows of the tenant',
  ],
  [
    'WITH e AS (SELECT id, kind FROM events WHERE tenant = @project) SELECT id, TO_JSON_STRING(e) AS k FROM e ORDER BY id',
    'a row as a whole',
  ],
  [
    "SELECT e.id, FORMAT('%T', e) AS k FROM (SELECT id, kind FROM events WHERE tenant = @project) AS e ORDER BY id",
    'a row as a whole',
  ],
  [
    'WITH e AS (SELECT id, kind FROM events WHERE tenant = @project) SELECT id, TO_JSON_STRING((SELECT AS STRUCT e.*)) AS k FROM e ORDER BY id',
    'a row as a whole',
  ],
  [
    'WITH e AS (SELECT id, kind FROM events WHERE tenant = @project) SELECT e.id, TO_JSON_STRING(u) AS k FROM e LEFT JOIN (SELECT id FROM users WHERE tenant = @project) AS u ON u.id = e.id ORDER BY id, k',
    'a row as a whole',
  ],
  [
    'WITH e AS (SELECT id, kind FROM events WHERE tenant = @project) SELECT MAX(id) AS id, TO_JSON_STRING(ARRAY_AGG(e ORDER BY e.id)) AS k FROM e GROUP BY kind ORDER BY id',
    'a row as a whole',
  ],
  [
    'WITH e AS (SELECT id, kind FROM events WHERE tenant = @project) SELECT id, (SELECT TO_JSON_STRING(x) FROM UNNEST([e]) AS x) AS k FROM e ORDER BY id',
    'a row as a whole',
  ],
  [
    'WITH e AS (SELECT id, kind FROM events WHERE tenant = @project) SELECT id FROM e GROUP BY id, TO_JSON_STRING(e) ORDER BY id',
    'a row as a whole',
  ],
  [
    'SELECT id, ROW_NUMBER() OVER w AS r FROM events WHERE tenant = @project WINDOW w AS (PARTITION BY n) ORDER BY id',
    'ROW_NUMBER without ORDER BY',
  ],
  [
    'SELECT id, ROW_NUMBER() OVER (w) AS r FROM events WHERE tenant = @project WINDOW v AS (PARTITION BY n), w AS (v) ORDER BY id',
    'ROW_NUMBER without ORDER BY',
  ],
  ['FROM events |> WHERE tenant = @project |> SELECT id |> ORDER BY id', 'pipe operators'],
  [
    "CREATE TEMP FUNCTION f(x INT64) RETURNS INT64 LANGUAGE js AS 'return x'; SELECT id FROM events WHERE tenant = @project AND f(id) = 1 ORDER BY id",
    'a function in another language than SQL',
  ],
];

/** The file of a query. */
export const fileOf = (name: string, { isPattern, ...form }: Form, header: readonly string[] = []): string =>
  queryText({
    ...form,
    name,
    caching: ['caching: 60s', 'cache_warming: 30s', ...header],
    parameters: {
      project: isPattern
        ? "{ type: pattern, required: true, tenant: true, tenant_pattern: '^https?://{project}\\.[^/?#@\\\\\\s]*(?:[/?#]|$)', description: URL., example: a }"
        : '{ type: string, required: true, tenant: true, description: Tenant., example: a }',
      ...Object.fromEntries(Object.entries(parameters).filter(([one]) => form.sql.includes(`@${one}`))),
    },
  });

/** The name of the file of a construct: ids are made of its first characters. */
export const nameOf = (construct: string): string =>
  `q${Object.keys(shared).indexOf(construct)}_${construct.toLowerCase().replace(/\W+/g, '_')}`;
