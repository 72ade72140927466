import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mcpClient } from '../../support/mcp-request.ts';
import { makeQueryFolder, type QueryFolder, queryText } from '../../support/query-folder.ts';
import { apiKey, now, openTestApp, type TestApp } from '../../support/test-app.ts';

const secret = 'a secret for tests only, of more than 32 bytes';
const resource = 'https://data.example.com/warehouse/mcp';
const issuer = 'https://id.example.com/';

function token(claims: object): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(now.getTime() / 1000) + 600;
  const all = { sub: 'user', iss: issuer, aud: resource, exp, ...claims };
  const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(all)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

describe('an OAuth resource', () => {
  let folder: QueryFolder;
  let app: TestApp;
  const settings = { MCP: 'on', JWT_SECRET: secret, JWT_ISSUER: issuer, JWT_CLAIMS: 'permissions=scope' };
  beforeAll(async () => {
    const text = queryText({
      header:
        'query_sandboxing: enabled\nparameters:\n  project: { type: string, required: true, tenant: true, description: Whose. }\n',
      sql: 'with ones as (select 1 as n from unnest([@project]) as p where p = @project) select n from ones',
    });
    folder = makeQueryFolder({ 'test.one.sql': text });
    app = await openTestApp({}, { ...settings, JWT_AUDIENCE: resource, QUERIES_DIR: folder.folder });
  });
  afterAll(async () => {
    await app?.close();
    folder.close();
  });

  const metadata = 'https://data.example.com/.well-known/oauth-protected-resource/warehouse/mcp';

  test.each(['', '/mcp', '/warehouse/mcp'])('describes itself to anybody, at %s', async (path) => {
    const response = await app.fetch(`/.well-known/oauth-protected-resource${path}`, { headers: {} });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      resource,
      authorization_servers: [issuer],
      scopes_supported: ['mcp', 'sql', 'catalog'],
      bearer_methods_supported: ['header'],
    });
  });

  test.each([
    ['no token', undefined, undefined],
    ['one for another resource', { aud: 'https://other.example.com/mcp' }, 'the token is not valid'],
    ['one of another issuer', { iss: 'https://other.example.com' }, 'the token is not valid'],
    ['one that has expired', { exp: 1 }, 'the token has expired'],
    ['one without tenants', {}, 'the token is not valid'],
  ])('refuses %s, says why, and where to get one', async (_, claims, problem) => {
    const key = claims === undefined ? '' : token(claims);
    const { status, headers } = await mcpClient(app.fetch, key).stateless('tools/list');
    expect(status).toBe(401);
    const error = problem === undefined ? '' : `error="invalid_token", error_description="${problem}", `;
    expect(headers.get('www-authenticate')).toBe(
      `Bearer realm="querygate", ${error}scope="mcp", resource_metadata="${metadata}"`,
    );
  });

  test('answers a token for it, and keys as before', async () => {
    const user = mcpClient(app.fetch, token({ tenants: ['a'], scope: 'openid mcp' }));
    expect((await user.call('test.one')).structured.rows).toEqual([{ n: 1 }]);
    expect((await mcpClient(app.fetch, apiKey).call('test.one', { project: 'a' })).structured.rows).toEqual([
      { n: 1 },
    ]);
  });

  test('needs a scope for SQL, which it names', async () => {
    const given = { name: 'test.one.sql', arguments: { sql: 'select n + 1 as m from ones' } };
    const few = mcpClient(app.fetch, token({ tenants: ['a'], scope: 'mcp' }));
    const { status, headers, message } = await few.stateless('tools/call', given);
    expect([status, message.id, message.error.data.code]).toEqual([403, 7, 'FORBIDDEN']);
    expect(headers.get('www-authenticate')).toBe(
      `Bearer realm="querygate", error="insufficient_scope", scope="mcp sql", resource_metadata="${metadata}"`,
    );
    const more = mcpClient(app.fetch, token({ tenants: ['a'], scope: 'mcp sql' }));
    expect((await more.call(given.name, given.arguments)).structured.rows).toEqual([{ m: 2 }]);
  });

  test('is none if the audience is no URL', async () => {
    const other = await openTestApp(
      {},
      { ...settings, JWT_AUDIENCE: 'querygate', QUERIES_DIR: folder.folder },
    );
    const found = await other.fetch('/.well-known/oauth-protected-resource', { headers: {} });
    const refused = await mcpClient(other.fetch, '').stateless('tools/list');
    await other.close();
    expect(found.status).toBe(404);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer realm="querygate"');
  });
});
