import type { Column, Endpoint, Parameter, ValueSchema } from '../endpoint.ts';
import { hiddenCharacter } from '../hidden-characters.ts';
import { type Json, jsonText } from '../json.ts';
import { canonicalText, type ParameterValues } from '../parameters/values.ts';

/** A text to paste elsewhere. */
export interface Snippet {
  readonly title: string;
  readonly text: string;
}

/** A request as other programs send it. The key is in none of them. */
export interface SnippetOptions {
  readonly origin: string;
  readonly endpoint: Endpoint;
  readonly values: ParameterValues;
}

export function curlSnippet({ origin, endpoint, values }: SnippetOptions): string {
  return [
    'curl --silent --show-error --fail-with-body --compressed --get',
    `  --header "Authorization: Bearer $QUERYGATE_KEY"`,
    ...pairsOf(values).map(([name, value]) =>
      value.search(hiddenCharacter) < 0
        ? `  --data-urlencode ${shellText(`${name}=${value}`)}`
        : `  --data ${shellText(`${name}=${encodeURIComponent(value.toWellFormed())}`)}`,
    ),
    `  ${shellText(origin + endpoint.path)}`,
  ].join(' \\\n');
}

export function typescriptSnippet({ origin, endpoint, values }: SnippetOptions): string {
  const pairs = pairsOf(values).map(([name, value]) => `  [${codeText(name)}, ${codeText(value)}],\n`);
  return `interface Row {
${endpoint.columns.map(columnType).join('')}}

const url = new URL(${codeText(origin + endpoint.path)});
url.search = new URLSearchParams([
${pairs.join('')}]).toString();

const headers = { authorization: \`Bearer \${process.env.QUERYGATE_KEY}\` };
const response = await fetch(url, { headers });
if (!response.ok) throw new Error(await response.text());
const { result } = (await response.json()) as { result: Row[] };
console.log(result);

// A file with an export is a module, where await needs no function.
export {};
`;
}

export function pythonSnippet({ origin, endpoint, values }: SnippetOptions): string {
  const pairs = pairsOf(values).map(([name, value]) => `    (${pythonText(name)}, ${pythonText(value)}),\n`);
  return `import json
import os
import urllib.parse
import urllib.request

url = ${pythonText(origin + endpoint.path)}
parameters = [
${pairs.join('')}]
request = urllib.request.Request(
    f"{url}?{urllib.parse.urlencode(parameters)}",
    headers={"Authorization": f"Bearer {os.environ['QUERYGATE_KEY']}"},
)
with urllib.request.urlopen(request) as response:
    rows = json.load(response)["result"]
for row in rows:
    print(row)
`;
}

/** The values as a GraphQL document's variables. */
export function graphqlVariables({ endpoint, values }: SnippetOptions): string {
  const { graphql, parameters } = endpoint;
  const left = restOnly({ endpoint, values });
  const variables = parameters.flatMap(({ name, schema }): [string, Json][] => {
    const texts = values.get(name);
    if (texts === undefined || isOtherValue(texts, schema) || left.includes(name)) return [];
    const value =
      schema.type === 'array'
        ? texts.map((text) => variableValue(text, schema.items ?? {}))
        : variableValue(texts[0] ?? '', schema);
    return [[graphql.variables[name] ?? name, value]];
  });
  return jsonText(Object.fromEntries(variables)).replace(hiddenCharacter, codeUnits);
}

/** The parameters whose values have more digits than GraphQL takes. */
export const restOnly = ({ endpoint, values }: Omit<SnippetOptions, 'origin'>): readonly string[] =>
  endpoint.parameters.flatMap(({ name, schema, bind }) => {
    const { type } = schema.items ?? schema;
    const isExact = type === 'integer' || (type === 'number' && bind.endsWith('NUMERIC'));
    return isExact && values.get(name)?.some(isRounded) ? [name] : [];
  });

/** True for integers beyond 2^53, and for fractions of more than 15 digits. */
function isRounded(text: string): boolean {
  const value = Number(text);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return true;
  const digits = text
    .replace(/e.*$/i, '')
    .replace(/\D/g, '')
    .replace(/^0+|0+$/g, '');
  return !/^[+-]?\d+$/.test(text) && digits.length > 15;
}

/** GraphQL has no values beside those of an enum. Where REST takes others, they mean the same as none. */
const isOtherValue = ([text = '']: readonly string[], schema: ValueSchema) =>
  schema.enum !== undefined &&
  schema.default !== undefined &&
  !schema.enum.includes(canonicalText(text, schema));

/**
 * The query for the console of BigQuery, which has no field for parameters: EXECUTE IMMEDIATE gives them to the SQL as it is.
 * Columns would hide variables of the same names.
 */
export function bigquerySnippet(sql: string, { endpoint, values }: SnippetOptions): string {
  // In backquotes: `from` and `to` are names of parameters, and words of SQL.
  const bound = endpoint.parameters.map(
    (parameter) => `  ${bigqueryValue(parameter, values)} AS \`${parameter.name}\``,
  );
  const using = bound.length === 0 ? '' : `\nUSING\n${bound.join(',\n')}`;
  return `EXECUTE IMMEDIATE ${bigqueryText(sql)}${using};\n`;
}

const pairsOf = (values: ParameterValues): readonly (readonly [string, string])[] =>
  [...values].flatMap(([name, texts]) => texts.map((value) => [name, value] as const));

/** In single quotes a shell takes every character as it is; a terminal into which it is pasted does not. */
const shellText = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** A string literal of JavaScript. Characters that change how code looks are escaped. */
const codeText = (text: string) => literalOf(text, (hex) => `\\u{${hex}}`);

/** The same of Python, and of SQL for BigQuery. */
const pythonText = (text: string) => literalOf(text, (hex) => `\\U${hex.padStart(8, '0')}`);

/** @param escapeLong of a character beyond the first 65,536, of which each language has its own */
const literalOf = (text: string, escapeLong: (hex: string) => string) =>
  JSON.stringify(text).replace(hiddenCharacter, (character) =>
    character.length > 1 ? escapeLong((character.codePointAt(0) ?? 0).toString(16)) : codeUnits(character),
  );

/** The escapes of JSON, which has none for characters beyond the first 65,536. */
const codeUnits = (character: string) =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

const columnTypes: Readonly<Record<string, string>> = {
  integer: 'number',
  float: 'number',
  timestamp: 'number',
  boolean: 'boolean',
  json: 'unknown',
  record: 'Record<string, unknown>',
};

function columnType({ name, type, repeated, required }: Column): string {
  const property = /^[A-Za-z_$][\w$]*$/.test(name) ? name : codeText(name);
  return `  ${property}${required ? '' : '?'}: ${columnTypes[type] ?? 'string'}${repeated ? '[]' : ''};\n`;
}

function variableValue(text: string, schema: ValueSchema): Json {
  if (schema.enum !== undefined) {
    return schema['x-enum-varnames']?.[schema.enum.indexOf(canonicalText(text, schema))] ?? text;
  }
  if (schema.type === 'boolean' && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  if (schema.type === 'integer' && /^[+-]?\d+$/.test(text)) return Number(text);
  return schema.type === 'number' && Number.isFinite(Number(text)) ? Number(text) : text;
}

function bigqueryValue({ name, schema, fallback, bind }: Parameter, values: ParameterValues): string {
  const value = schema.items ?? schema;
  const given = values.get(name);
  const texts =
    given === undefined || isOtherValue(given, schema)
      ? fallback.map((text) => resolveRelative(text, value))
      : given;
  const typed = (text: string) => {
    // A number would lose digits.
    const literal = pythonText(bind.endsWith('NUMERIC') ? text : canonicalText(text, value));
    return bind === 'STRING' ? literal : `CAST(${literal} AS ${bind})`;
  };
  if (schema.type === 'array') return `ARRAY<${bind}>[${texts.map(typed).join(', ')}]`;
  const [text] = texts;
  if (text !== undefined) return typed(text);
  return bind === 'STRING' ? '""' : `CAST(NULL AS ${bind})`;
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A default as in `-1d` as it is now; any other text as it is. */
function resolveRelative(text: string, { format }: ValueSchema): string {
  const {
    sign,
    count = '',
    unit = '',
  } = /^(?<sign>[+-]?)(?<count>\d{1,5})(?<unit>[mhdw])$/.exec(text)?.groups ?? {};
  if (unit === '' || (format !== 'date' && format?.startsWith('date-time') !== true)) return text;
  const distance = Number(count) * (unitMs[unit] ?? 0);
  const moment = new Date(Date.now() + (sign === '-' ? -distance : distance)).toISOString();
  if (format === 'date') return moment.slice(0, 10);
  return `${moment.slice(0, 16)}:00${format === 'date-time' ? 'Z' : ''}`;
}

/** A string literal that leaves SQL readable: backslashes mean themselves in a raw one. */
function bigqueryText(sql: string): string {
  const quotes = ['"""', "'''"].find((candidate) => !sql.includes(candidate));
  return quotes === undefined ? pythonText(sql) : `r${quotes}\n${sql.trim()}\n${quotes}`;
}
