import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type GatewayProcess, startGateway } from '../support/gateway-process.ts';
import { nightly } from '../support/nightly.ts';
import { makeQueryFolder, type QueryFolder, queryText } from '../support/query-folder.ts';

/** Runs `querygate mcp` with some messages, until its input has ended. */
async function talk(args: readonly string[], env: Record<string, string>, messages: readonly object[]) {
  const child = spawn(process.execPath, ['src/main.ts', 'mcp', ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (part) => {
    output += part;
  });
  child.stderr.on('data', (part) => {
    errors += part;
  });
  child.stdin.end(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  const [code] = await once(child, 'close');
  const answers = output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  return { code, errors, answers: new Map(answers.map((answer) => [answer.id, answer])) };
}

const messages = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 2, method: 'tools/list' },
  { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'test.one', arguments: {} } },
];

describe('querygate mcp', () => {
  const key = 'a-key-for-tests-only';
  let queries: QueryFolder;
  let gateway: GatewayProcess;
  beforeAll(async () => {
    queries = makeQueryFolder({ 'test.one.sql': queryText() });
    gateway = await startGateway({ API_KEY: key, MCP: 'on', QUERIES_DIR: queries.folder });
  });
  afterAll(async () => {
    await gateway?.end();
    queries.close();
  });

  test('passes messages to a running gateway', async () => {
    expect(gateway.banner).toContain(`${gateway.origin}/graphql`);
    for (const url of [gateway.origin, `${gateway.origin}/mcp`]) {
      const { code, answers } = await talk(['--url', url], { API_KEY: key }, messages);
      expect([...answers.keys()].sort()).toEqual([1, 2, 3]);
      expect(answers.get(2).result.tools).toMatchObject([{ name: 'test_one' }]);
      expect(answers.get(3).result.structuredContent).toMatchObject({ rows: [{ n: 1 }] });
      expect(code).toBe(0);
    }
  });

  nightly('reports a wrong key, and a gateway that is not there', async () => {
    const wrong = await talk(['--url', gateway.origin], { API_KEY: 'another-key' }, messages.slice(2, 3));
    expect(wrong.answers.get(2).error).toMatchObject({ code: 401 });
    const none = await talk(['--url', 'http://127.0.0.1:9'], {}, messages.slice(2, 3));
    expect(none.answers.get(2).error.message).toMatch(/^The gateway cannot be reached: /);
    const bad = await talk(['--url', 'here'], {}, []);
    expect([bad.code, bad.errors]).toEqual([2, expect.stringContaining('--url: got "here"')]);
  });

  test('runs a gateway itself, whose output is messages only, and ends with its input', async () => {
    const { code, answers, errors } = await talk(
      ['--queries-dir', queries.folder],
      { STORE_FILE: ':memory:', LOG_LEVEL: 'info' },
      messages,
    );
    expect(code).toBe(0);
    expect(answers.get(3).result.structuredContent).toMatchObject({ rows: [{ n: 1 }] });
    expect(errors).toContain('"tool":"test.one"');
  });
});
