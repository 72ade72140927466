import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type KeyFile, writeKeyFile } from '../../support/key-files.ts';
import { type McpClient, mcpClient } from '../../support/mcp-request.ts';
import { makeQueryFolder, type QueryFolder, queryText, uuidOf } from '../../support/query-folder.ts';
import { apiKey, openTestApp, type TestApp } from '../../support/test-app.ts';

describe('many queries', () => {
  let folder: QueryFolder;
  let keys: KeyFile;
  let app: TestApp;
  let agent: McpClient;
  beforeAll(async () => {
    const files = Array.from({ length: 40 }, (_, at) => {
      const tags = at % 10 === 0 ? 'tags: [tens, numbers]\n' : '';
      return [
        `area.query-${at}.sql`,
        queryText({ id: uuidOf(at), sql: `SELECT ${at} AS n`, header: tags }).replace(
          'a query of the tests',
          at === 17 ? 'Invoices of a month' : `Query number ${at}`,
        ),
      ] as const;
    });
    folder = makeQueryFolder(Object.fromEntries(files));
    keys = writeKeyFile({ few: { endpoints: ['area.query-1', 'area.query-2'] } });
    app = await openTestApp({}, { QUERIES_DIR: folder.folder, API_KEYS_FILE: keys.path, MCP: 'on' });
    agent = mcpClient(app.fetch, apiKey);
  });
  afterAll(async () => {
    await app?.close();
    folder.close();
    keys.remove();
  });

  const namesOf = async (client: McpClient) => {
    const { result } = (await client.stateless('tools/list')).message;
    return result.tools.map(({ name }: { name: string }) => name);
  };

  test('are found, described and run by three tools', async () => {
    expect(await namesOf(agent)).toEqual(['find_queries', 'describe_query', 'run_query']);
    const found = await agent.call('find_queries', { text: 'month invoices' });
    expect(found.structured).toEqual({
      queries: [{ name: 'area_query_17', description: 'Invoices of a month' }],
      found: 1,
    });
    expect(found.text).toBe('name,description\narea_query_17,Invoices of a month');
    const described = await agent.call('describe_query', { name: 'area.query-17' });
    expect(described.structured).toMatchObject({ name: 'area_query_17', inputSchema: { type: 'object' } });
    const run = await agent.call('run_query', { name: 'area.query-17', parameters: {} });
    expect(run.structured.rows).toEqual([{ n: 17 }]);
    const byText = await agent.call('run_query', { name: 'area_query_17', parameters: '{}' });
    expect(byText.structured.rows).toEqual([{ n: 17 }]);
    for (const name of ['area.query-17', 'area_query_17'])
      expect((await agent.call(name)).structured.rows).toEqual([{ n: 17 }]);
  });

  test('are found in parts', async () => {
    const { structured, text } = await agent.call('find_queries', { text: 'number' });
    expect([structured.queries.length, structured.found]).toEqual([20, 40]);
    expect(text).toContain('\n20 more: add words');
    expect((await agent.call('find_queries', { text: 'zebra' })).text).toMatch(
      /^No query has one of these words/,
    );
    expect((await agent.call('find_queries')).structured.found).toBe(40);
  });

  test('are found by the first words of a long text', async () => {
    const { structured } = await agent.call('find_queries', {
      text: `invoices${' invoices,'.repeat(2_000)} zebra`,
    });
    expect(structured.found).toBe(1);
    const later = Array.from({ length: 30 }, (_, at) => `zebra${at}`).join(' ');
    expect((await agent.call('find_queries', { text: `${later} invoices` })).structured.found).toBe(0);
  });

  test.each([
    ['run_query', { name: 'area.query17' }, 'the nearest is area_query_1'],
    ['run_query', {}, 'name: is required'],
    ['run_query', { name: 'area.query-1', n: 1 }, '"n": belongs into parameters'],
    ['run_query', { name: 'area.query-1', parameters: [1] }, 'parameters: must be an object'],
    ['run_query', { name: 'area.query-1', parameters: { n: 1 } }, '"n": this tool has no arguments'],
    ['describe_query', { name: 'area' }, 'there is no query "area"'],
    ['describe_query', { name: 'area.query-1', n: 1 }, '"n": there is no such argument, only name'],
    ['find_queries', { text: 1 }, 'text: send words'],
    ['find_queries', { query: 'invoices' }, '"query": there is no such argument, only text'],
  ])('%s with %j is a mistake that can be corrected', async (tool, given, right) => {
    const { isError, text } = await agent.call(tool, given);
    expect([isError, text]).toEqual([true, expect.stringContaining(right)]);
  });

  test('arguments for one of them are counted as those of a tool', async () => {
    const parameters = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`n${at}`, 1]));
    const { isError, text } = await agent.call('run_query', { name: 'area.query-1', parameters });
    const right = 'There are 20000 arguments, and no tool has more than 10000';
    expect([isError, text]).toEqual([true, right]);
  });

  test('are tools by themselves for a key that may call a few', async () => {
    expect(await namesOf(mcpClient(app.fetch, keys.keyOf('few')))).toEqual(['area_query_1', 'area_query_2']);
  });

  test('are sets by their tags', async () => {
    const tens = mcpClient(app.fetch, apiKey, '/mcp/tens');
    expect(await namesOf(tens)).toEqual(['area_query_0', 'area_query_10', 'area_query_20', 'area_query_30']);
    expect((await tens.call('area.query-20')).structured.rows).toEqual([{ n: 20 }]);
    const other = await tens.stateless('tools/call', { name: 'area.query-21' });
    expect(other.message.error.code).toBe(-32602);
  });

  test('a tag whose queries a key may not call is answered as one that no query has', async () => {
    const answer = async (path: string, init: RequestInit, key?: string) => {
      const headers = {
        'content-type': 'application/json',
        'x-request-id': 'one',
        ...(key && { 'x-api-key': key }),
      };
      const response = await app.fetch(path, { ...init, headers });
      return [response.status, [...response.headers], await response.text()] as const;
    };
    const post = { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' };
    for (const [init, status] of [
      [{}, 405],
      [{ method: 'OPTIONS' }, 204],
      [post, 401],
    ] as const) {
      const known = await answer('/mcp/tens', init);
      expect(known).toEqual(await answer('/mcp/none', init));
      expect(known[0]).toBe(status);
    }
    const hidden = await answer('/mcp/tens', post, keys.keyOf('few'));
    expect(hidden).toEqual(await answer('/mcp/none', post, keys.keyOf('few')));
    expect(hidden[0]).toBe(404);
    expect((await answer('/mcp/tens', post, apiKey))[0]).toBe(200);
    expect((await answer('/mcp/none', post, apiKey))[0]).toBe(404);
  });
});
