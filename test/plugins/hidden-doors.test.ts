import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type KeyFile, writeKeyFile } from '../support/key-files.ts';
import { mcpClient } from '../support/mcp-request.ts';
import { queryText } from '../support/queries.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

const path = '/api/endpoints/query';

/** Declares what decides how a request for it is read. */
const secret = queryText({
  name: 'secret.two',
  parameters: {
    project: '{ type: string, required: true, description: A project. }',
    amount: '{ type: float, bind: NUMERIC, description: An amount., default: 0 }',
    ids: '{ type: integer, repeated: true, description: Numbers., default: [] }',
  },
  columns: { x: 'integer' },
  sql: 'select length(@project) as x from (select @amount as amount) where 1 not in unnest(@ids)',
});

/** An endpoint that is hidden from the key, and one that does not exist. */
const [hidden, absent] = ['secret.two', 'absent.two'];

describe.each(['off', 'logflare'])('a key without a right, with COMPAT: %s', (compat) => {
  let app: TestApp;
  let file: KeyFile;
  let folder: string;
  const lines: string[] = [];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
    writeFileSync(join(folder, 'secret.two.sql'), secret);
    writeFileSync(
      join(folder, 'open.one.sql'),
      queryText({
        name: 'open.one',
        columns: { x: 'integer' },
        caching: ['caching: 900s', 'live: 5s'],
        sql: 'select 1 as x',
      }),
    );
    file = writeKeyFile({ narrow: { endpoints: ['open.one'] } });
    const env = {
      QUERIES_DIR: folder,
      API_KEYS_FILE: file.path,
      MCP: 'on',
      ...(compat === 'logflare' && { COMPAT: compat }),
    };
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    app = await openTestApp({}, env, { options: { hideEndpoints: 'all' }, log });
  });
  afterAll(async () => {
    await app.close();
    file.remove();
    rmSync(folder, { recursive: true });
  });

  /** The answer to a request for an endpoint, without the name. */
  const answer = async (name: string, url: string, init: RequestInit) => {
    const headers = { 'x-api-key': file.keyOf('narrow'), 'x-request-id': 'one', ...init.headers };
    const response = await app.fetch(url.replace('NAME', name), {
      ...init,
      headers,
      ...(typeof init.body === 'string' && { body: init.body.replaceAll('NAME', name) }),
    });
    const text = await response.text();
    return [response.status, [...response.headers], text.replaceAll(name, 'NAME')] as const;
  };
  const json = { 'content-type': 'application/json' };
  const post = (body: string, headers: Record<string, string> = json) => ({ method: 'POST', body, headers });

  test.each<[string, string, RequestInit]>([
    ['a body of another type', `${path}/NAME`, post('x', { 'content-type': 'text/plain' })],
    ['a body that is not JSON', `${path}/NAME`, post('{')],
    ['a body with a list', `${path}/NAME`, post('{"project":[1]}')],
    ['a body with a rounded number', `${path}/NAME`, post('{"amount":0.1234567890123456}')],
    ['a form', `${path}/NAME`, post('%FF', { 'content-type': 'application/x-www-form-urlencoded' })],
    ['HEAD', `${path}/NAME?project[]=a`, { method: 'HEAD' }],
    ['OPTIONS', `${path}/NAME`, { method: 'OPTIONS' }],
    ['PUT', `${path}/NAME`, { method: 'PUT' }],
    ['a slash at the end', `${path}/NAME/`, {}],
    ['brackets', `${path}/NAME?project[eq]=a`, {}],
    ['a list', `${path}/NAME?ids[]=a&ids=b`, {}],
    ['events', `${path}/NAME`, { headers: { accept: 'text/event-stream' } }],
    ['a wait', `${path}/NAME?project=a`, { headers: { prefer: 'wait=1', 'if-none-match': 'W/"a"' } }],
    ['labels', `${path}/NAME?project=a`, { headers: { 'lf-endpoint-labels': 'team=Ä' } }],
    ['an explanation of SQL', '/sql/explain/NAME?sql=select', {}],
    ['an explanation', '/sql/explain/NAME', {}],
    ['costs', '/costs.json?endpoint=NAME', {}],
    [
      'a followed query with a rounded number',
      '/api/live',
      post('[{"id":"a","query":"NAME","parameters":{"amount":0.1234567890123456}}]'),
    ],
    [
      'a followed query with another name',
      '/api/live',
      post('[{"id":"a","query":"NAME","parameters":{"project[]":"a"}}]'),
    ],
  ])('is answered for a hidden endpoint as for an absent one: %s', async (_, url, init) => {
    expect(await answer(hidden, url, init)).toEqual(await answer(absent, url, init));
  });

  test.each<[string, string, object]>([
    ['many arguments', 'tools/call', Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [n, 1]))],
    ['wrong arguments', 'tools/call', { project: [{}], amount: 1, nope: 1 }],
    ['a rounded number', 'tools/call', { amount: 0.1234567890123456 }],
    ['a dry run', 'tools/call', { sql: 'select', dry_run: true }],
  ])('MCP answers for a hidden tool as for an absent one: %s', async (_, method, given) => {
    const agent = mcpClient(app.fetch, file.keyOf('narrow'));
    const of = async (name: string) => {
      const { status, message } = await agent.stateless(method, { name, arguments: given });
      return [status, JSON.stringify(message).replaceAll(name, 'NAME')];
    };
    expect(await of(hidden)).toEqual(await of(absent));
    expect(await of(`${hidden}.sql`)).toEqual(await of(`${absent}.sql`));
  });

  test.each([
    'querygate://query/NAME',
    'querygate://schema/NAME',
    'querygate://result/NAME?project=a&nope=1',
  ])('MCP reads a hidden resource as an absent one: %s', async (uri) => {
    const agent = mcpClient(app.fetch, file.keyOf('narrow'));
    const of = async (name: string) => {
      const { message } = await agent.stateless('resources/read', { uri: uri.replace('NAME', name) });
      return JSON.stringify(message).replaceAll(name, 'NAME');
    };
    expect(await of(hidden)).toBe(await of(absent));
  });

  test('the log says to which endpoint a right was missing', async () => {
    const refused = async (url: string, init: RequestInit) => {
      lines.length = 0;
      const headers = { ...json, 'x-api-key': file.keyOf('narrow') };
      const response = await app.fetch(url, { ...init, headers });
      await response.body?.cancel();
      return [response.status, lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'refused')];
    };
    const followed = `[{"id":"a","query":"${hidden}","parameters":{"amount":0.1234567890123456}},{"id":"b","query":"open.one"}]`;
    const line = { reason: 'endpoint', endpoint: hidden };
    expect(await refused('/api/live', post(followed))).toMatchObject([200, [line]]);
    if (compat === 'logflare')
      expect(await refused(`${path}/${hidden}`, post('{'))).toMatchObject([401, [line]]);
  });
});
