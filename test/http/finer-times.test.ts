import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FolderApp, openFolderApp } from '../support/folder-app.ts';
import { mcpClient } from '../support/mcp-request.ts';
import { queryText } from '../support/queries.ts';
import { apiKey } from '../support/test-app.ts';

/** Microseconds of a second; NULL in a last row. */
const cells = [0, 123455, 123456, 123457, 999999];

const sql = `select n, timestamp_add(timestamp '2026-01-31 12:00:00+00', interval n microsecond) as made,
  datetime_add(datetime '2026-01-31 12:00:00', interval n microsecond) as local
from unnest([${cells}]) as n union all select -1, null, null order by n`;

const draft = (name: string, more: readonly string[], maxRows?: number) =>
  queryText({
    name,
    caching: ['caching: 900s', 'row_arguments: all', ...more],
    columns: { n: 'integer', made: 'timestamp', local: 'datetime' },
    sql,
    ...(maxRows && { maxRows }),
  });

let folder: FolderApp;
beforeAll(async () => {
  folder = await openFolderApp(
    {
      'whole.sql': draft('whole', []),
      'pushed.sql': draft('pushed', ['push: true'], 5),
      'given.sql': queryText({
        name: 'given',
        parameters: { since: '{ type: timestamp, required: true, description: A time. }' },
        columns: { since: 'string' },
        sql: 'select @since as since',
      }),
    },
    { env: { MCP: 'on' } },
  );
});
afterAll(() => folder.close());

type Rows = readonly { readonly n: number }[];

const nOf = (rows: Rows) => rows.map(({ n }) => n).sort((a, b) => a - b);

const tree = (column: string, op: string, operand: string) =>
  `(${column}.${op}.${op.endsWith('in') ? operand : `"${operand}"`})`;

/** Each gives the rows of a condition on one column. */
const doors: Readonly<
  Record<string, (name: string, column: string, op: string, operand: string) => Promise<unknown>>
> = {
  REST: async (name, column, op, operand) => {
    const response = await folder.get(`${name}?${new URLSearchParams({ [column]: `${op}.${operand}` })}`);
    const { result, error } = (await response.json()) as { result: Rows; error?: unknown };
    return error ?? nOf(result);
  },
  'a tree of REST': async (...[name, ...condition]) => {
    const response = await folder.get(`${name}?${new URLSearchParams({ and: tree(...condition) })}`);
    const { result, error } = (await response.json()) as { result: Rows; error?: unknown };
    return error ?? nOf(result);
  },
  GraphQL: async (name, column, op, operand) => {
    const bare = op.replace('not.', '');
    const value =
      bare === 'in' ? operand.replace(/^\((.*)\)$/, '["$1"]').replaceAll(',', '","') : `"${operand}"`;
    const one = `{ ${column}: { ${bare}: ${value} } }`;
    const { data, errors } = await folder.graphql(
      `{ ${name} { rows(where: ${op === bare ? one : `{ not: ${one} }`}) { n } } }`,
    );
    return errors ?? Object.values(data ?? {}).flatMap((one) => nOf((one as { rows: Rows }).rows));
  },
  MCP: async (...[name, ...condition]) => {
    const fetch = (path: string, init: RequestInit) =>
      folder.app.fetch(new Request(`http://gateway.test${path}`, init));
    const { structured, text } = await mcpClient(fetch, apiKey).call(name, { and: tree(...condition) });
    return structured === undefined ? text : nOf(structured.rows);
  },
};

const start = '2026-01-31T12:00:00';

const compared: Readonly<Record<string, (cell: number, operand: number) => boolean>> = {
  eq: (cell, operand) => cell === operand,
  ne: (cell, operand) => cell !== operand,
  lt: (cell, operand) => cell < operand,
  lte: (cell, operand) => cell <= operand,
  gt: (cell, operand) => cell > operand,
  gte: (cell, operand) => cell >= operand,
};

describe.each(Object.entries(doors))('a time with more digits than cells have, by %s', (_, rowsOf) => {
  test.each(['whole', 'pushed'])('is compared with rows as it is: %s', async (name) => {
    for (const [column, zone] of [
      ['made', 'Z'],
      ['local', ''],
    ] as const)
      for (const digits of ['123456789', '123456', '123456000', '1234550001', '999999999', '0000000001', '0'])
        for (const [op, isTrue] of Object.entries(compared)) {
          const expected = cells.filter((cell) => isTrue(cell * 1e3, Number(`0.${digits}`) * 1e9));
          const others = cells.filter((cell) => !expected.includes(cell));
          const operand = `${start}.${digits}${zone}`;
          expect(await rowsOf(name, column, op, operand), `${op} ${operand}`).toEqual(expected);
          expect(await rowsOf(name, column, `not.${op}`, operand), `not ${op} ${operand}`).toEqual(others);
        }
  });

  test.each(['whole', 'pushed'])('is in a list as none of the rows: %s', async (name) => {
    const [exact, between] = [`${start}.123456000Z`, `${start}.123456001Z`];
    expect(await rowsOf(name, 'made', 'in', `(${exact},${between})`)).toEqual([123456]);
    expect(await rowsOf(name, 'made', 'not.in', `(${between},${exact})`)).toEqual([
      0, 123455, 123457, 999999,
    ]);
    expect(await rowsOf(name, 'made', 'in', `(${between})`)).toEqual([]);
    expect(await rowsOf(name, 'made', 'not.in', `(${between},${between})`)).toEqual(cells);
  });
});

test('times with zones, and those of variables, are compared as they are', async () => {
  const rest = doors.REST;
  expect(await rest?.('whole', 'made', 'lt', '2026-01-31 14:00:00,123456789+02:00')).toEqual([
    0, 123455, 123456,
  ]);
  expect(await rest?.('whole', 'made', 'lt', '9999-12-31T23:59:59.999999999Z')).toEqual(cells);
  const operation = 'query ($t: DateTime) { whole { rows(where: { made: { gte: $t } }) { n } } }';
  const { data } = await folder.graphql(operation, apiKey, { t: `${start}.123456789Z` });
  expect(data).toEqual({ whole: { rows: [{ n: 123457 }, { n: 999999 }] } });
  const { errors } = await folder.graphql(operation, apiKey, { t: '' });
  expect(errors).toMatchObject([{ extensions: { code: 'INVALID_PARAMETER' } }]);
});

test('a parameter leaves such digits out', async () => {
  const since = `${start}.123456789Z`;
  const expected = { since: `${start}.123456Z` };
  expect(await (await folder.get(`given?since=${since}`)).json()).toEqual({ result: [expected] });
  const { data } = await folder.graphql(`{ given(since: "${since}") { rows { since } } }`);
  expect(data).toEqual({ given: { rows: [expected] } });
});
