import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadPrompts } from '../../../src/plugins/mcp/prompts/load-prompts.ts';
import { type McpClient, mcpClient } from '../../support/mcp-request.ts';
import { makeQueryFolder, type QueryFolder, queryText } from '../../support/query-folder.ts';
import { apiKey, openTestApp, type TestApp } from '../../support/test-app.ts';

const prompt = `---
title: Look
description: Looks at a thing.
arguments:
  thing: { description: What, required: true }
  how: { description: How }
---
Look at {{thing}}{{how}}.
`;

describe('prompts', () => {
  let folder: QueryFolder;
  let app: TestApp;
  let agent: McpClient;
  beforeAll(async () => {
    folder = makeQueryFolder({ 'test.one.sql': queryText() });
    mkdirSync(folder.path('prompts'));
    folder.write('prompts/look.md', prompt);
    folder.write('prompts/plain.md', '---\ndescription: Nothing to fill in.\n---\nGo.');
    folder.write('prompts/no-header.md', 'Go.');
    folder.write('prompts/unknown-place.md', '---\ndescription: x\n---\n{{thing}}');
    folder.write('prompts/notes.txt', 'no prompt');
    app = await openTestApp({}, { QUERIES_DIR: folder.folder, MCP: 'on' });
    agent = mcpClient(app.fetch, apiKey);
  });
  afterAll(async () => {
    await app?.close();
    folder.close();
  });

  test('are the Markdown files of their folder', async () => {
    expect((await agent.stateless('prompts/list')).message.result).toMatchObject({
      prompts: [
        {
          name: 'look',
          title: 'Look',
          description: 'Looks at a thing.',
          arguments: [
            { name: 'thing', description: 'What', required: true },
            { name: 'how', description: 'How', required: false },
          ],
        },
        { name: 'plain', description: 'Nothing to fill in.' },
      ],
      ttlMs: expect.any(Number),
    });
    expect(loadPrompts(folder.path('prompts')).problems).toEqual([
      expect.stringMatching(/no-header\.md: Error: must begin with a header/),
      expect.stringMatching(/unknown-place\.md: Error: \{\{thing\}\}: is not among the arguments/),
    ]);
  });

  test('are filled with the arguments, as they are', async () => {
    const { message } = await agent.legacy('prompts/get', {
      name: 'look',
      arguments: { thing: '$& {{how}}' },
    });
    expect(message.result).toEqual({
      description: 'Looks at a thing.',
      messages: [{ role: 'user', content: { type: 'text', text: 'Look at $& {{how}}.' } }],
    });
  });

  test.each([
    [{ name: 'lok' }, 'the nearest is look'],
    [{ name: 'look' }, 'arguments.thing: is required: What'],
    [{ name: 'look', arguments: { thing: 1 } }, 'arguments.thing: must be text'],
    [{}, 'there is no such prompt'],
  ])('%j is refused', async (params, right) => {
    const { message } = await agent.stateless('prompts/get', params);
    expect(message.error).toMatchObject({ code: -32602, message: expect.stringContaining(right) });
  });

  test('the shipped ones are right', () => {
    const { prompts, problems } = loadPrompts('queries/prompts');
    expect([prompts.length, problems]).toEqual([1, []]);
  });
});
