import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type KeyFile, writeKeyFile } from '../../support/key-files.ts';
import { type McpClient, mcpClient } from '../../support/mcp-request.ts';
import { makeQueryFolder, type QueryFolder, uuidOf } from '../../support/query-folder.ts';
import { ago, apiKey, openTestApp, type TestApp } from '../../support/test-app.ts';

const header = (at: number, more: string) => `/*---
id: ${uuidOf(at)}
description: Requests of the tests.
max_rows: 200
caching: 60s
${more}
columns:
  n: { type: integer, unit: requests, description: The number. }
  time: { type: timestamp, description: When it was. }
  path: { type: string, description: Which path. }
---*/
`;

const sql = `select n, timestamp_add(timestamp '2026-01-01', interval n second) as time,
  if(mod(n, 10) = 0, null, concat('/rest/', cast(mod(n, 3) as string))) as path
from unnest(generate_array(1, 500)) as n`;

/** One whose parameter has the name of a word about rows. */
const own = `/*---
id: ${uuidOf(3)}
description: Takes a limit of its own.
max_rows: 200
caching: 60s
row_arguments: all
parameters:
  limit: { type: integer, default: '5', bind: INT64, description: How many. }
columns:
  n: { type: integer, description: The number. }
---*/
select n from unnest(generate_array(1, @limit)) as n order by n`;

const listed = `${header(8, 'row_arguments: all').replace('columns:', 'columns:\n  hosts: { type: integer, repeated: true, description: Which. }')}select [n] as hosts, t.* from (${sql}) as t`;

/** Has all rows for an empty list. */
const ofList = `/*---
id: ${uuidOf(9)}
description: Takes a list.
max_rows: 200
caching: 60s
parameters:
  only: { type: integer, repeated: true, default: ['1'], bind: INT64, description: Which numbers. }
columns:
  n: { type: integer, description: The number. }
---*/
select n from unnest(generate_array(1, 200)) as n where array_length(@only) = 0 or n in unnest(@only) order by n`;

const manyColumns = `/*---
id: ${uuidOf(4)}
description: Has very many columns, all of which are described at length, and each but one is marked.
max_rows: 200
caching: 60s
columns:
  z: { type: integer, description: It cannot be filtered. }
${Array.from({ length: 12 }, (_, at) => `  column_number_${at}: { type: integer, filter: true, order: true, description: "What is in column ${at}, said with many words." }`).join('\n')}
---*/
select 1 as z, ${Array.from({ length: 12 }, (_, at) => `${at} as column_number_${at}`).join(', ')}`;

/** Of the rows of a tenant the result has the first two. */
const pushedOfTenant = `/*---
id: ${uuidOf(6)}
description: Requests of a tenant.
max_rows: 2
caching: 60s
row_arguments: all
push: true
parameters:
  project: { type: string, required: true, tenant: true, description: Whose. }
columns:
  id: { type: string, description: Its id. }
  event_message: { type: string, description: Its text. }
---*/
select t.id, t.event_message from edge_logs as t where t.project = @project order by id`;

const requestsOf = (project: string) =>
  Array.from({ length: 9 }, (_, at) => ({
    id: `${project}${at}`,
    timestamp: ago({ minutes: 1 }),
    event_message: `\u202ecall ${at} of ${project}`,
    project,
    metadata: [],
  }));

describe('arguments about rows', () => {
  let folder: QueryFolder;
  let app: TestApp;
  let agent: McpClient;
  let keys: KeyFile;
  beforeAll(async () => {
    keys = writeKeyFile({ one: { tenants: ['a'] }, two: { tenants: ['a', 'b'] } });
    folder = makeQueryFolder({
      'test.marked.sql': `${header(1, 'row_arguments: all')}${sql} order by n`,
      'test.paged.sql': `${header(2, 'page: { by: [n] }')}${sql} order by n`,
      'test.limited.sql': `${header(7, 'page: { by: [n] }')}${sql} order by n limit 150`,
      'test.own.sql': own,
      'test.listed.sql': listed,
      'test.list.sql': ofList,
      'test.many.sql': manyColumns,
      'test.pushed.sql': `${header(5, 'row_arguments: all\npush: true')}${sql} order by n`,
      'test.pushed-of-tenant.sql': pushedOfTenant,
      'tables/edge_logs.json': readFileSync('queries/tables/edge_logs.json', 'utf8'),
    });
    app = await openTestApp(
      { edge_logs: [...requestsOf('a'), ...requestsOf('b')] },
      { QUERIES_DIR: folder.folder, API_KEYS_FILE: keys.path, MCP: 'on' },
    );
    agent = mcpClient(app.fetch, apiKey);
  });
  afterAll(async () => {
    await app?.close();
    folder?.close();
    keys?.remove();
  });

  const propertiesOf = async (name: string) => {
    const { tools } = (await agent.stateless('tools/list')).message.result;
    const tool = tools.find((one: { name: string }) => one.name === name.replaceAll('.', '_'));
    expect(JSON.stringify(tool).length).toBeLessThanOrEqual(1_050);
    return tool.inputSchema.properties;
  };

  test('are those that the query has', async () => {
    expect(Object.keys(await propertiesOf('test.marked'))).toEqual([
      'and',
      'order',
      'select',
      'limit',
      'offset',
    ]);
    expect(Object.keys(await propertiesOf('test.paged'))).toEqual(['limit', 'after']);
    expect(Object.keys(await propertiesOf('test.own'))).toEqual([
      'limit',
      'and',
      'order',
      'select',
      'offset',
    ]);
  });

  test('leave room in a tool whatever its columns are', async () => {
    expect(Object.keys(await propertiesOf('test.many'))).toContain('and');
  });

  test('filter and order the cached result, which is not computed again', async () => {
    await agent.call('test.marked');
    const { misses } = app.counters;
    const { text, structured } = await agent.call('test.marked', {
      and: '(n.lte.20,or(path.is.null,path.like./rest/2*))',
      order: 'n.desc',
      limit: 3,
      offset: 1,
    });
    expect(structured.rows.map(({ n }: { n: number }) => n)).toEqual([17, 14, 11]);
    expect(structured).toMatchObject({ rowCount: 3, truncated: true });
    expect(text).toMatch(/^test\.marked: 3 rows, made of the 200 of the result, computed at /);
    expect(text).toContain('The result has the first 200 rows only');
    expect(app.counters.misses).toBe(misses);
  });

  test('are over all rows of a query that pushes them, also beyond those of its result', async () => {
    const { text, structured } = await agent.call('test.pushed', {
      and: '(n.gt.300,path.eq./rest/1)',
      order: 'n.desc',
      limit: 2,
    });
    expect(structured.rows.map(({ n }: { n: number }) => n)).toEqual([499, 496]);
    expect(text).toMatch(/^test\.pushed: 2 rows, computed at /);
    const counted = await agent.call('test.pushed', { and: '(n.gt.300)', select: 'count(),n.max()' });
    expect(counted.structured.rows).toEqual([{ count: 200, max: 500 }]);
    expect(counted.structured).toMatchObject({ rowCount: 1, truncated: false });
    const many = await agent.call('test.pushed', { order: 'n.desc' });
    expect(many.structured).toMatchObject({ rowCount: 200, shown: 100, truncated: true });
    expect(many.text).toContain('There are more: the query returns at most 200 rows.');
    const { message } = await agent.stateless('resources/read', { uri: many.content[1]?.uri });
    expect(message.result.contents[0].text).toContain('\n500,');
  });

  test('no address leads to other rows than those of an empty list in the place of a default', async () => {
    const some = await agent.call('test.list', { only: Array.from({ length: 150 }, (_, at) => at + 1) });
    expect([some.content.length, some.text.includes('curl')]).toEqual([2, true]);
    const all = await agent.call('test.list', { only: [] });
    expect(all.structured).toMatchObject({ rowCount: 200, shown: 100 });
    expect([all.content.length, all.text.includes('curl')]).toEqual([1, false]);
  });

  test('that are pushed are over the rows of the own tenant only, whatever they are', async () => {
    const [one, two] = (['one', 'two'] as const).map((name) => mcpClient(app.fetch, keys.keyOf(name)));
    if (one === undefined || two === undefined) throw new Error('no clients');
    for (const [client, given, tenant] of [
      [one, {}, 'a'],
      [two, { project: 'a' }, 'a'],
      [two, { project: 'b' }, 'b'],
      [agent, { project: 'b' }, 'b'],
    ] as const) {
      for (const and of [
        '(or(id.is.not_null,id.is.null))',
        '(not.id.eq."\' or true --")',
        '(id.in.(a8,b8,a7,b7,a6,b6))',
      ]) {
        const { structured } = await client.call('test.pushed-of-tenant', {
          ...given,
          and,
          order: 'id.desc',
        });
        expect(structured.rows).toEqual(
          [8, 7].map((at) => ({ id: `${tenant}${at}`, event_message: `\\u{202e}call ${at} of ${tenant}` })),
        );
      }
      const { structured } = await client.call('test.pushed-of-tenant', {
        ...given,
        select: 'count(),least:id.min(),greatest:id.max()',
      });
      expect(structured.rows).toEqual([{ count: 9, least: `${tenant}0`, greatest: `${tenant}8` }]);
    }
    for (const given of [{ project: 'b' }, { project: "a' or true" }, { project: ['a', 'b'] }])
      expect(await one.call('test.pushed-of-tenant', { ...given, select: 'count()' })).toMatchObject({
        isError: true,
      });
  });

  test('give aggregates as one row', async () => {
    const { text, structured } = await agent.call('test.marked', {
      and: '(n.lte.20)',
      select: 'count(),last:time.max(),n.sum()',
    });
    expect(structured.rows).toEqual([{ count: 20, last: '2026-01-01T00:00:20.000000Z', sum: 210 }]);
    expect(text).toContain('count,last,sum\n20,2026-01-01T00:00:20.000000Z,210\n');
    expect(text).not.toContain('Unit ');
  });

  test('are in the link and the commands for all rows, which give the same rows', async () => {
    const given = { and: '(n.gt.20)', order: 'n.desc' };
    const { text, content } = await agent.call('test.marked', given);
    const uri = content[1]?.uri;
    expect(uri).toBe('querygate://result/test.marked?and=%28n.gt.20%29&order=n.desc');
    expect(text).toContain("/test.marked?format=csv&and=%28n.gt.20%29&order=n.desc'");
    const { message } = await agent.stateless('resources/read', { uri });
    expect(message.result.contents[0].text).toMatch(
      /^test\.marked: rows 1 to 180 of 180.*\n<.*\nn,time,path\n200,/,
    );
  });

  test('read a query page by page to its end', async () => {
    const seen: number[] = [];
    let after: string | undefined;
    do {
      const { text, structured } = await agent.call('test.paged', { limit: 150, ...(after && { after }) });
      seen.push(...structured.rows.map(({ n }: { n: number }) => n));
      after = structured.after;
      expect(structured.truncated).toBe(after !== undefined);
      expect(text.includes('The next rows: after=')).toBe(after !== undefined);
      // An answer has fewer rows than the page: the cursor is that of the last row that it has.
      expect(structured.shown).toBeLessThanOrEqual(100);
    } while (after !== undefined);
    expect(seen).toEqual(Array.from({ length: 500 }, (_, at) => at + 1));
  });

  test('in the URI of a result leave others, which its text says', async () => {
    const textOf = async (uri: string) => {
      const { message } = await agent.stateless('resources/read', { uri: `querygate://result/${uri}` });
      return String(message.result.contents[0].text);
    };
    const { text } = await agent.call('test.paged');
    for (const notice of ['at most 200 rows. ', 'at most these 200 rows at once; limit, and then after, ']) {
      expect(text.replaceAll('\n', ' ')).toContain(notice);
      expect(await textOf('test.paged')).toContain(notice);
    }
    expect(await textOf('test.limited')).toContain('at most these 150 rows at once');
    expect(await textOf('test.marked')).toContain('There are more: the query returns at most 200 rows.');
    const { after } = (await agent.call('test.paged', { limit: 5 })).structured;
    expect(await textOf('test.paged?limit=5')).toMatch(`The next rows: after=${after}`);
    expect(await textOf('test.list?only=1')).not.toContain('at most');
    expect(await textOf('test.paged?limit=0')).not.toContain('after=');
  });

  test('of a page of no rows say where its rows begin', async () => {
    const first = await agent.call('test.paged', { limit: 0 });
    expect(first.structured).toMatchObject({ rows: [], rowCount: 0, truncated: true });
    expect(first.text).toMatch(/There are more rows: limit=0 gives none of them\.$/);
    const { after } = (await agent.call('test.paged', { limit: 2 })).structured;
    const second = await agent.call('test.paged', { limit: 0, after });
    expect(second.structured).toMatchObject({ rows: [], truncated: true, after });
    expect((await agent.call('test.paged', { limit: 1, after })).structured.rows).toMatchObject([{ n: 3 }]);
    const end = await agent.call('test.paged', { limit: 100, after });
    expect(end.structured.rows).toHaveLength(100);
  });

  test('aggregates are not named as a list, which the output schema says of that name', async () => {
    const { text } = await agent.call('test.listed', { select: 'hosts:count()' });
    expect(text).toContain('select: hosts would have another type than the column hosts');
  });

  test('of the query are its own, whatever their names', async () => {
    const { structured } = await agent.call('test.own', { limit: 2 });
    expect(structured.rows).toEqual([{ n: 1 }, { n: 2 }]);
  });

  test.each([
    [{ and: '(m.eq.1)' }, 'm: cannot be filtered; these can be: n, time, path'],
    [{ and: '(n.greater.1)' }, 'or not.eq.1'],
    [
      { and: '(n>=1)' },
      'n: got ">=1)"; write an operator, as in eq.1, gte.1, in.(1,2), like.a*, is.null or not.eq.1; did you mean gte?',
    ],
    [{ and: '(n.equals.1)' }, 'did you mean eq?'],
    [{ and: '(n.gt.1e3x)' }, 'n: got "1e3x"; must be an integer, as in 42'],
    [{ and: '(n.gt.1.000,path.eq.x)' }, 'must be an integer'],
    [
      { and: '(time.gt.2026/01/31)' },
      'time: got "2026/01/31"; must be an ISO 8601 timestamp, as in 2026-01-31T12:00:00Z; the nearest is 2026-01-31T00:00:00Z',
    ],
    [{ and: 'n.eq.1' }, 'and: expected "("'],
    [{ order: 'paht.desc' }, 'paht: cannot be ordered by; these can be: n, time, path; did you mean path?'],
    [{ order: 'n desc' }, 'order: got "n desc"; write columns with directions'],
    [{ select: 'median(n)' }, 'select: got "median(n)"; write aggregates'],
    [{ select: 'path.sum()' }, 'path: sum needs a column of numbers'],
    [{ select: 'path:count()' }, 'select: path would have another type than the column path'],
    [{ limit: -1 }, 'limit: got "-1"; must be a whole number from 0'],
    [{ limit: ['1'] }, 'limit: got a list of 1 values; send one value'],
    [{ offset: { n: 1 } }, 'offset: got an object'],
    [{ path: '/x' }, 'path: is a column; filter by it in the argument and, as in (path.eq.1)'],
    [
      { where: 'n > 1' },
      '"where": there is no such argument; all are and, order, select, limit, offset; did you mean and?',
    ],
    [{ after: 'x' }, '"after": there is no such argument'],
  ])('that are wrong have answers that say what is right: %j', async (given, expected) => {
    const { text, isError } = await agent.call('test.marked', given);
    expect(text).toContain(expected);
    expect(isError).toBe(true);
  });

  test('may not be longer than other arguments', async () => {
    const { text, isError } = await agent.call('test.marked', { and: `(n.in.(${','.repeat(200_000)}))` });
    expect([text, isError]).toEqual(['and: has 200009 characters; the limit is 4096', true]);
  });

  test('read on where the query ends by itself, and an answer without them says so', async () => {
    const { text, structured } = await agent.call('test.limited');
    expect([structured.rowCount, structured.shown]).toEqual([150, 100]);
    expect(text).toContain(
      'The query returns at most these 150 rows at once; limit, and then after, reads the rows beyond them.',
    );
    expect(text).toContain('These 150 rows by column:');
    expect(text).not.toContain('All 150 rows');
    const cut = await agent.call('test.paged');
    expect(cut.text).toContain('The query returns at most these 200 rows at once; limit, and then after,');
    const page = await agent.call('test.limited', { limit: 100 });
    expect(page.text).not.toContain('at once');
    const rest = await agent.call('test.limited', { limit: 100, after: page.structured.after });
    expect(rest.structured.rows.at(-1).n).toBe(200);
    expect((await agent.call('test.marked')).text).not.toContain('at once');
  });

  test('that are no cursor of the query are refused', async () => {
    const { text, isError } = await agent.call('test.paged', { after: 'abc' });
    expect([text, isError]).toEqual([
      'after: is not a cursor, or not all of it; send one of an earlier page as it is',
      true,
    ]);
  });
});
