import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { headerSchema } from '../src/catalog/header/header-schema.ts';
import { testFileSchema } from '@querygate/authoring/test-schema';

/**
 * The JSON Schemas for editors, by file: of the header of a saved query, and of a file of tests. What a key means is taken
 * from the tables of the documentation.
 */
export function jsonSchemas(): ReadonlyMap<string, string> {
  return new Map([
    [
      'schemas/saved-query.schema.json',
      schemaText('The header of a saved query', headerSchema, 'docs/saved-queries.md'),
    ],
    [
      'schemas/query-tests.schema.json',
      schemaText('The tests of a saved query', testFileSchema, 'docs/testing.md'),
    ],
  ]);
}

function schemaText(title: string, schema: z.ZodType, page: string): string {
  const json = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' }) as JsonSchema;
  const meanings = meaningsIn(readFileSync(page, 'utf8'));
  const { $schema, ...rest } = describeProperties(json, meanings);
  return `${JSON.stringify({ $schema, title, ...rest }, null, 2)}\n`;
}

interface JsonSchema {
  readonly $schema?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

/** What the first table of a page says of each key, without Markdown. */
function meaningsIn(markdown: string): ReadonlyMap<string, string> {
  const [, table = ''] = /\n((?:\|.*\n)+)/.exec(markdown) ?? [];
  const rows = table
    .split('\n')
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));
  return new Map(
    rows.flatMap((cells) => {
      const [, key] = /^`([\w]+)`$/.exec(cells[0] ?? '') ?? [];
      return key === undefined ? [] : [[key, plainText(cells.at(-1) ?? '')]];
    }),
  );
}

const plainText = (markdown: string) =>
  markdown
    .replace(/ ?\(see \[[^\]]*\]\([^)]*\)\)/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '');

function describeProperties(
  { properties = {}, ...rest }: JsonSchema,
  meanings: ReadonlyMap<string, string>,
): JsonSchema {
  const described = Object.entries(properties).map(([key, value]) => {
    const description = value.description ?? meanings.get(key);
    return [key, { ...(description !== undefined && { description }), ...value }] as const;
  });
  return { ...rest, properties: Object.fromEntries(described) };
}

if (import.meta.main) for (const [file, text] of jsonSchemas()) writeFileSync(file, text);
