import { mkdirSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientNames } from '../../../src/plugins/mcp/definitions/client-names.ts';
import { type McpClient, mcpClient } from '../../support/mcp-request.ts';
import { queryText } from '../../support/queries.ts';
import { makeQueryFolder, type QueryFolder, uuidOf } from '../../support/query-folder.ts';
import { apiKey, openTestApp, type TestApp } from '../../support/test-app.ts';

/**
 * What vendors publish of tools: Claude Desktop and the APIs of Anthropic and OpenAI of names, Cursor of their characters, the
 * APIs of OpenAI and Anthropic of descriptions and arguments, and Gemini of its subset of schemas.
 */
const rules = {
  claudeDesktop: /^[a-zA-Z0-9_-]{1,64}$/,
  openai: /^[a-zA-Z0-9_-]{1,64}$/,
  anthropic: /^[a-zA-Z0-9_-]{1,128}$/,
  cursor: /^[a-zA-Z0-9_]+$/,
  gemini: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/,
  anthropicArgument: /^[a-zA-Z0-9_.-]{1,64}$/,
  maxDescription: 1_024,
};

/** Of Gemini's `Schema`. */
const geminiMembers = new Set([
  ...[
    'type',
    'format',
    'title',
    'description',
    'nullable',
    'enum',
    'items',
    'properties',
    'required',
    'anyOf',
  ],
  ...[
    'minItems',
    'maxItems',
    'minProperties',
    'maxProperties',
    'minLength',
    'maxLength',
    'minimum',
    'maximum',
  ],
  ...['example', 'default', 'propertyOrdering'],
]);

const geminiFormats: Readonly<Record<string, readonly string[]>> = {
  string: ['enum', 'date-time'],
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
};

type Schema = Readonly<Record<string, unknown>>;

/** What Gemini refuses of a schema, each with its place. */
function geminiProblems(schema: Schema, place: string): readonly string[] {
  const { type, format, properties = {}, items, enum: values } = schema;
  const unknown = Object.keys(schema).filter((name) => !geminiMembers.has(name));
  const isList = type === 'array';
  return [
    ...unknown.map((name) => `${place}: ${name}`),
    ...(typeof type === 'string' ? [] : [`${place}: type ${JSON.stringify(type)}`]),
    ...(format === undefined || geminiFormats[String(type)]?.includes(String(format))
      ? []
      : [`${place}: format ${format}`]),
    ...(values === undefined || (type === 'string' && (values as unknown[]).every((one) => one !== ''))
      ? []
      : [`${place}: enum`]),
    ...(isList === (items !== undefined) ? [] : [`${place}: items`]),
    ...(isList ? geminiProblems(items as Schema, `${place}[]`) : []),
    ...Object.entries(properties as Record<string, Schema>).flatMap(([name, one]) =>
      geminiProblems(one, `${place}.${name}`),
    ),
  ];
}

const every = queryText({
  name: 'every.kind',
  caching: ['caching: 900s', 'row_arguments: all', 'query_sandboxing: enabled'],
  parameters: {
    text: "{ type: string, pattern: '^[a-z]+$', max_length: 5, example: abc, description: A text. }",
    number: '{ type: integer, min: 1, max: 9, default: 3, example: 4, description: A number. }',
    share: '{ type: float, bind: NUMERIC, min: 0, description: A share. }',
    day: '{ type: date, default: -1d, description: A day. }',
    moment: '{ type: timestamp, min: 2020-01-01T00:00:00Z, description: A moment. }',
    local: '{ type: datetime, description: A local time. }',
    flag: '{ type: boolean, default: true, description: A flag. }',
    days: '{ type: date, repeated: true, max_items: 5, description: Days. }',
    words: "{ type: string, repeated: true, required: true, pattern: '^a', description: Words. }",
    matching: '{ type: pattern, description: A pattern. }',
    choice:
      '{ type: enum, enum: Choice, description: One., values: { a-b: { name: AB, also: [x], description: A. } } }',
  },
  columns: { n: 'integer', moment_at: 'timestamp', day: 'date' },
  sql: `with all_of as (select 1 as n, timestamp '2026-01-01 00:00:00+00' as moment_at, date '2026-01-01' as day
from unnest([1]) where @text is not null or @number is not null or @share is not null or @day is not null or @moment is not null
or @local is not null or @flag is not null or array_length(@days) >= 0 or array_length(@words) >= 0 or @matching is not null
or @choice is not null)
select n, moment_at, day from all_of`,
});

const names = [
  ...['a.b', 'c-d', 'e_f', 'find.queries', 'run_query', 'logs.sql'],
  ...[`long.${'x'.repeat(60)}`, `long.${'x'.repeat(60)}y`, 'y'.repeat(49), 'z'.repeat(48)],
];

const plain = (name: string, at: number) =>
  queryText({ name, columns: { n: 'string' }, sql: `select '${name}' as n` })
    .replace(/id: .*/, `id: ${uuidOf(at)}`)
    .replace('description: About', `description: ${'Long. '.repeat(300)}About`);

describe('tools, for clients of models', () => {
  let folder: QueryFolder;
  let app: TestApp;
  let agent: McpClient;
  beforeAll(async () => {
    folder = makeQueryFolder({
      'every.kind.sql': every,
      ...Object.fromEntries(names.map((name, at) => [`${name}.sql`, plain(name, at + 1)])),
    });
    mkdirSync(folder.path('prompts'));
    for (const name of ['a prompt', 'a.prompt', 'Größe', 'x'.repeat(70)])
      folder.write(`prompts/${name}.md`, `---\ndescription: ${name}\n---\nGo.`);
    app = await openTestApp({}, { QUERIES_DIR: folder.folder, MCP: 'on' });
    agent = mcpClient(app.fetch, apiKey);
  });
  afterAll(async () => {
    await app?.close();
    folder?.close();
  });

  const tools = async (): Promise<Record<string, unknown>[]> =>
    (await agent.stateless('tools/list')).message.result.tools;
  const searchTools = async () => {
    const { searchTools } = await import('../../../src/plugins/mcp/definitions/search-tools.ts');
    return searchTools(100);
  };

  test('have names, descriptions and schemas that each vendor takes', async () => {
    const all = [...(await tools()), ...(await searchTools())];
    expect(all.length).toBeGreaterThan(names.length + 2);
    for (const { name, description, inputSchema } of all) {
      const { claudeDesktop, openai, anthropic, cursor, gemini } = rules;
      for (const rule of [claudeDesktop, openai, anthropic, cursor, gemini]) expect(name).toMatch(rule);
      expect(String(description).length).toBeLessThanOrEqual(rules.maxDescription);
      expect(geminiProblems(inputSchema as Schema, String(name))).toEqual([]);
      const { type, properties } = inputSchema as { type: string; properties: object };
      expect([type, typeof properties]).toEqual(['object', 'object']);
      for (const argument of Object.keys(properties)) expect(argument).toMatch(rules.anthropicArgument);
    }
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  });

  test('are called by the name that is listed, and by that of the query', async () => {
    const listed = new Map((await tools()).map(({ name, title }) => [title, String(name)]));
    for (const name of names) {
      const title = name.replaceAll(/[._-]+/g, ' ');
      const isOfSeveral = names.filter((one) => one.replaceAll(/[._-]+/g, ' ') === title).length > 1;
      expect((await agent.call(name)).structured.rows, name).toEqual([{ n: name }]);
      const own = listed.get(title.charAt(0).toUpperCase() + title.slice(1)) ?? '';
      if (!isOfSeveral) expect((await agent.call(own)).structured.rows, own).toEqual([{ n: name }]);
    }
    const given = { words: ['a'], sql: 'select n from all_of' };
    for (const name of ['every_kind_sql', 'every.kind.sql'])
      expect((await agent.call(name, given)).structured.rows).toEqual([{ n: 1 }]);
  });

  test('have names in resources and messages that can be called', async () => {
    const catalog = await agent.stateless('resources/read', { uri: 'querygate://catalog' });
    const lines: string[] = catalog.message.result.contents[0].text.split('\n').slice(1, -1);
    for (const line of lines) expect(line.split(',')[0]).toMatch(rules.cursor);
    const { message } = await agent.stateless('resources/read', { uri: 'querygate://query/every_kind' });
    expect(JSON.parse(message.result.contents[0].text)).toMatchObject({
      name: 'every_kind',
      sqlTool: 'every_kind_sql',
    });
  });

  test('and prompts have such names too, and answer to those of their files', async () => {
    const { prompts } = (await agent.stateless('prompts/list')).message.result;
    expect(prompts).toHaveLength(4);
    for (const { name } of prompts) expect(name).toMatch(rules.cursor);
    expect(new Set(prompts.map(({ name }: { name: string }) => name)).size).toBe(4);
    for (const name of [...prompts.map((one: { name: string }) => one.name), 'a prompt', 'a.prompt']) {
      const { message } = await agent.legacy('prompts/get', { name });
      expect(message.result.messages[0].content.text, name).toBe('Go.');
    }
  });
});

test('two queries never have one name, and none takes the name of another one', () => {
  const made = clientNames(
    ['a.b', 'a_b', 'a-b', 'c.d', 'c-d', 'e.f', 'run.query', 'run_query'],
    new Set(['run_query']),
  );
  expect(new Set(made.values()).size).toBe(8);
  expect([made.get('a_b'), made.get('e.f')]).toEqual(['a_b', 'e_f']);
  for (const name of ['a.b', 'a-b', 'c.d', 'c-d', 'run.query', 'run_query'])
    expect(made.get(name)).toMatch(/^[a-z_]+_[0-9a-f]{16}$/);
});

test('names are valid and different whatever those of the queries are, and stay if others come', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '1'), minLength: 1, maxLength: 30 });
  const name = fc
    .tuple(fc.array(word, { minLength: 1, maxLength: 4 }), fc.constantFrom('.', '-', '_'))
    .map(([words, mark]) => words.join(mark));
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 12 }), name, (all, other) => {
      const made = clientNames(all);
      expect(new Set(made.values()).size).toBe(all.length);
      for (const one of made.values()) expect(one).toMatch(/^[a-zA-Z0-9_]{1,48}$/);
      // A name that a client has kept is that of the same query, or of none, unless it is another one's own name.
      const later = clientNames([...all, other]);
      for (const [query, kept] of made)
        for (const [now, called] of later) if (called === kept && now !== kept) expect(now).toBe(query);
    }),
  );
});
