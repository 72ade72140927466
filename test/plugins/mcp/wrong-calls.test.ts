import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mcpClient } from '../../support/mcp-request.ts';
import { apiKey, openTestApp, type TestApp } from '../../support/test-app.ts';

/** Each with the name of a tool, its arguments, and what an answer must say to be of use. */
const calls = readFileSync('test/plugins/mcp/wrong-calls.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as readonly [tool: string, given: object, right: string]);

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({}, { MCP: 'on' });
});
afterAll(() => app?.close());

test('each of more than a hundred wrong calls of the shipped tools is answered with what would be right', async () => {
  const agent = mcpClient(app.fetch, apiKey);
  const unhelpful: string[] = [];
  for (const [name, given, right] of calls) {
    const { message } = await agent.stateless('tools/call', { name, arguments: given });
    const isWrong = message.error?.code === -32602 || message.result?.isError === true;
    const text = message.error?.message ?? message.result.content[0].text;
    if (!isWrong || !text.includes(right))
      unhelpful.push(`${name} ${JSON.stringify(given)}: ${text}; not: ${right}`);
  }
  expect(unhelpful).toEqual([]);
  expect(calls.length).toBeGreaterThan(100);
});
