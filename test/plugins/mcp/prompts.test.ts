import { mkdirSync } from 'node:fs';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeProblem } from '../../../src/errors.ts';
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
  const startWarnings: string[] = [];
  beforeAll(async () => {
    folder = makeQueryFolder({ 'test.one.sql': queryText() });
    mkdirSync(folder.path('prompts'));
    folder.write('prompts/look.md', prompt);
    folder.write('prompts/.#plain.md', 'Go.');
    folder.write('prompts/plain.md', '\uFEFF---\ndescription: Nothing to fill in.\n---\nGo.');
    folder.write(
      'prompts/builder.md',
      '---\ndescription: x\narguments: { constructor: { description: Who } }\n---\nBy {{constructor}}.',
    );
    folder.write('prompts/no-header.md', 'Go.');
    folder.write(
      'prompts/unknown-place.md',
      '---\ndescription: x\narguments: { thing: { description: What } }\n---\nAt {{thng}}',
    );
    folder.write('prompts/notes.txt', 'no prompt');
    folder.write(
      'prompts/wrong-header.md',
      '---\ntitle: Wrong\nargs: { day: The day. }\narguments:\n  day: The day.\n---\nGo.',
    );
    folder.write('prompts/wrong-yaml.md', '---\ndescription: [\n---\nGo.');
    folder.write(
      'prompts/spaces.md',
      '---\ndescription: x\narguments: { thing: { description: What } }\n---\n\nAt {{ thing }}, {{thing }}.',
    );
    const log = pino(
      { level: 'warn' },
      { write: (line) => void startWarnings.push(String(JSON.parse(line).msg)) },
    );
    app = await openTestApp({}, { QUERIES_DIR: folder.folder, MCP: 'on' }, { log });
    agent = mcpClient(app.fetch, apiKey);
  });
  afterAll(async () => {
    await app?.close();
    folder.close();
  });

  test('that are wrong are logged at the start', () => {
    expect(startWarnings).toContainEqual(
      expect.stringMatching(/^a prompt is left out: .*no-header\.md:1 must begin with a header/),
    );
  });

  test('are the Markdown files of their folder', async () => {
    expect((await agent.stateless('prompts/list')).message.result).toMatchObject({
      prompts: [
        { name: 'builder' },
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
        { name: 'spaces' },
      ],
      ttlMs: expect.any(Number),
    });
    const problems = loadPrompts(folder.path('prompts')).problems.map(describeProblem);
    expect(problems.map((one) => one.replace(folder.path('prompts'), 'prompts'))).toEqual([
      'prompts/no-header.md:1 must begin with a header between lines of ---',
      'prompts/unknown-place.md:5 {{thng}}: is not among the arguments of the header; did you mean thing?',
      'prompts/wrong-header.md:2 description: is missing',
      'prompts/wrong-header.md:5 arguments.day: must be an object, as in { description: The day. }',
      'prompts/wrong-header.md:3 unknown: args; did you mean arguments?',
      expect.stringMatching(/^prompts\/wrong-yaml\.md:\d:\d+ not valid YAML: /),
    ]);
  });

  test('take null for an argument, and for all of them, as absent', async () => {
    const get = (name: string, given: unknown) =>
      agent.legacy('prompts/get', { name, arguments: given, _meta: null });
    const { message } = await get('look', { thing: 'it', how: null });
    expect(message.result.messages[0].content.text).not.toContain('null');
    expect((await get('look', { thing: null })).message.error.message).toContain(
      'arguments.thing: is required',
    );
    expect((await get('plain', null)).message.result).toMatchObject({ messages: [{}] });
  });

  test('have places of arguments with spaces too', async () => {
    const { message } = await agent.legacy('prompts/get', { name: 'spaces', arguments: { thing: 'it' } });
    expect(message.result).toMatchObject({ messages: [{ content: { text: 'At it, it.' } }] });
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

  test('have arguments with names of members of every object', async () => {
    const get = async (given: object) =>
      (await agent.legacy('prompts/get', { name: 'builder', arguments: given })).message;
    expect((await get({})).result).toMatchObject({ messages: [{ content: { text: 'By .' } }] });
    expect((await get({ constructor: 'me' })).result).toMatchObject({
      messages: [{ content: { text: 'By me.' } }],
    });
  });

  test.each([
    [{ name: 'lok' }, 'the nearest is look'],
    [{ name: 'look' }, 'arguments.thing: is required: What'],
    [{ name: 'look', arguments: { thing: 1 } }, 'arguments.thing: must be text'],
    [{ name: 'look', arguments: { thing: 'it', hw: 'so' } }, 'arguments: "hw" is not an argument'],
    [{}, 'there is no such prompt'],
    [{ name: { toString: 1, valueOf: 1 } }, 'there is no such prompt'],
    [{ name: JSON.parse('['.repeat(3_000) + ']'.repeat(3_000)) }, 'there is no such prompt'],
  ])('%j is refused', async (params, right) => {
    const { message } = await agent.stateless('prompts/get', params);
    expect(message.error).toMatchObject({ code: -32602, message: expect.stringContaining(right) });
  });

  test('the shipped ones are right', () => {
    const { prompts, problems } = loadPrompts('queries/prompts');
    expect([prompts.length, problems]).toEqual([1, []]);
  });
});
