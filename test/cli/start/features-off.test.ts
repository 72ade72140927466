import { describe, expect, test } from 'vitest';
import type { Engine } from '../../../src/engine-contract/engine.ts';
import { openTestApp } from '../../support/test-app.ts';

const engine: Engine = {
  source: 'test',
  run: async () => ({ rows: [], truncated: false }),
  close: async () => {},
};
const forBrowsers = { headers: { accept: 'text/html' } };
const mcpOff = 'MCP is off; start with MCP=on';
const pagesOff =
  'Pages are off, as they are by default in production; start with PAGES=on. GraphQL is at /graphql, REST under /api/';

/** The status and the message that each request gets. */
async function answersOf(env: Record<string, string>, requests: readonly (readonly [string, RequestInit])[]) {
  const app = await openTestApp({}, env, { engine });
  try {
    return await Promise.all(
      requests.map(async ([path, init]) => {
        const response = await app.fetch(path, init);
        const text = await response.text();
        return `${response.status} ${text.startsWith('{') ? JSON.parse(text).error?.message : 'a page'}`;
      }),
    );
  } finally {
    await app.close();
  }
}

describe('at the path of what is off, the setting is named', () => {
  test('for agents, with a key and without one', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const post = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
    const requests = [
      ['/mcp', post],
      ['/mcp', {}],
      ['/mcp/reports', post],
      ['/mcp', forBrowsers],
    ] as const;
    expect(await answersOf({}, requests)).toEqual(requests.map(() => `404 ${mcpOff}`));
    const [first = ''] = await answersOf({ MCP: 'on' }, [['/mcp', post]]);
    expect(first).not.toContain('MCP is off');
  });

  test('for browsers and programs, with the paths of the API', async () => {
    const pages = ['/', '/queries/logs.all', '/openapi', '/sql', '/agents', '/embed/logs.all'];
    const ofBrowsers = pages.map((path) => [path, forBrowsers] as const);
    expect(await answersOf({ PAGES: 'off' }, [...ofBrowsers, ['/', {}]])).toEqual([
      ...pages.map(() => `404 ${pagesOff}`),
      `404 ${pagesOff}`,
    ]);
    const on = await answersOf({ PAGES: 'on' }, ofBrowsers);
    expect(on).toEqual([200, 200, 200, 404, 404, 404].map((status) => `${status} a page`));
  });
});
