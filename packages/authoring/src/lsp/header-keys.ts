import { readFileSync } from 'node:fs';
import { headerSchemaFile } from 'querygate/catalog';

/** A part of a JSON Schema, as far as keys and values are proposed from it. */
export interface HeaderSchema {
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly properties?: Readonly<Record<string, HeaderSchema>>;
  readonly additionalProperties?: HeaderSchema | boolean;
  readonly anyOf?: readonly HeaderSchema[];
  readonly oneOf?: readonly HeaderSchema[];
}

/** The JSON Schema of headers, which is part of the package. */
const headerSchema = JSON.parse(readFileSync(headerSchemaFile, 'utf8')) as HeaderSchema;

const variants = (schema: HeaderSchema): readonly HeaderSchema[] => [
  schema,
  ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap(variants),
];

/** The schemas that a value at a path may have: several, if it is one of several kinds of value. */
export const schemasAt = (path: readonly string[]): readonly HeaderSchema[] =>
  path.reduce<readonly HeaderSchema[]>(
    (schemas, key) =>
      schemas.flatMap(({ properties, additionalProperties }) => {
        const own =
          properties?.[key] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
        return own === undefined ? [] : variants(own);
      }),
    variants(headerSchema),
  );

/** Where a cursor is in a header. */
export interface HeaderPlace {
  /** The keys of the object that contains the place. */
  readonly path: readonly string[];
  /** The key whose value is being written; undefined if a key is. */
  readonly valueKey: string | undefined;
}

/**
 * The place at the end of a text that is the beginning of a header, by its indentation and its open braces: what is being written
 * is seldom YAML yet.
 */
export function placeAt(textBefore: string): HeaderPlace {
  const lines = textBefore.split(/\r?\n/);
  const line = lines.at(-1) ?? '';
  const path: string[] = [];
  let indent = line.search(/\S|$/);
  for (const above of lines.slice(0, -1).toReversed()) {
    const [, blanks = '', key] = /^( *)("?[\w.-]+"?):\s*(?:#.*)?$/.exec(above) ?? [];
    if (key === undefined || blanks.length >= indent) continue;
    path.unshift(unquoted(key));
    indent = blanks.length;
  }
  let valueKey: string | undefined;
  for (const { 0: part } of line.matchAll(/("[^"]*"|'[^']*'|[\w.-]+):(?=\s|$)|[{},]/g)) {
    if (part === '{' && valueKey !== undefined) path.push(valueKey);
    else if (part === '}') path.pop();
    valueKey = part.endsWith(':') ? unquoted(part.slice(0, -1)) : undefined;
  }
  return { path, valueKey };
}

const unquoted = (key: string) => key.replace(/^["']|["']$/g, '');
