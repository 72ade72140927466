import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseTableFile } from '../../catalog/tables/load-tables.ts';
import type { Field } from '../../catalog/tables/table-schema.ts';
import { readConfig } from '../../config.ts';
import type { InferredFields } from '../../engine/duckdb/infer-fields.ts';
import { StartError } from '../../errors.ts';
import { commandError } from '../arguments.ts';
import { readInput } from '../read-input.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';

/** A schema is small; a larger JSON file has rows. */
const maxSchemaBytes = 4_000_000;

/**
 * `querygate tables add`: writes the schema file of a table, from the rows of a data file or from what `bq show` printed.
 *
 * @param source the file; undefined or `-` for a schema on standard input
 * @throws StartError if the command line or the file is wrong
 */
export async function addTable(
  { values, label }: LoadedSettings,
  name: string,
  source: string | undefined,
  { force = false }: { readonly force?: boolean },
): Promise<void> {
  const config = readConfig(values, label);
  if (!/^[a-z_][\w-]*$/i.test(name)) {
    throw commandError(
      `got the table name ${JSON.stringify(name)}; must be letters, digits, _ and -, as SQL names it`,
    );
  }
  const folder = join(config.queriesDir, 'tables');
  const file = join(folder, `${name}.json`);
  const same = existsSync(folder)
    ? readdirSync(folder).find((other) => other.toLowerCase() === `${name}.json`.toLowerCase())
    : undefined;
  if (same !== undefined && !force)
    throw commandError(`${join(folder, same)} exists already; --force replaces it`);

  const { fields, notes } = await fieldsOf(source, async (data) => {
    const { inferFields } = await import('../../engine/duckdb/infer-fields.ts');
    return inferFields(data, config);
  });
  const text = `${fieldsText(fields)}\n`;
  const { problems } = parseTableFile(file, { text });
  if (problems.length > 0) {
    throw new StartError(
      'The fields cannot be those of a table',
      problems.map(({ message }) => ({ file: source ?? 'stdin', message })),
    );
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, same ?? basename(file)), text, { flag: force ? 'w' : 'wx' });
  process.stderr.write(
    `Wrote ${join(folder, same ?? basename(file))}: ${fields.length} ${fields.length === 1 ? 'field' : 'fields'}.\n`,
  );
  for (const note of notes) process.stderr.write(`  ${note}\n`);
}

async function fieldsOf(
  source: string | undefined,
  infer: (file: string) => Promise<InferredFields>,
): Promise<InferredFields> {
  if (source === undefined || source === '-') {
    const text = await readInput(source, 'the output of bq show --schema');
    const fields = schemaIn(text);
    if (fields !== undefined) return { fields, notes: [] };
    throw commandError(
      'standard input has no schema as bq show --schema --format=prettyjson prints it; name a data file instead',
    );
  }
  const size = statSync(source, { throwIfNoEntry: false })?.size;
  if (size === undefined) throw commandError(`${source} cannot be read: there is no such file`);
  if (/\.json$/i.test(source) && size <= maxSchemaBytes) {
    const fields = schemaIn(readFileSync(source, 'utf8'));
    if (fields !== undefined) return { fields, notes: [] };
  }
  return infer(source);
}

/** The fields in the output of `bq show --schema` or `bq show`; undefined if it is something else. */
function schemaIn(text: string): readonly Field[] | undefined {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return undefined;
  }
  const fields = Array.isArray(data) ? data : fieldsMember(data);
  if (fields === undefined) return undefined;
  return parseTableFile('schema.json', { text: JSON.stringify(fields) }).table?.fields;
}

function fieldsMember(data: unknown): unknown {
  const { schema, fields } = (data ?? {}) as {
    readonly schema?: { readonly fields?: unknown };
    readonly fields?: unknown;
  };
  return schema?.fields ?? fields;
}

/** JSON with one line for each field that has no fields of its own. */
function fieldsText(fields: readonly Field[], indent = ''): string {
  const items = fields.map((field) => `${indent}  ${fieldText(field, `${indent}  `)}`);
  return `[\n${items.join(',\n')}\n${indent}]`;
}

function fieldText({ name, type, mode, description, fields }: Field, indent: string): string {
  const members = [
    ['name', name],
    ['type', type],
    ['mode', mode],
    ['description', description],
  ].flatMap(([key, value]) =>
    value === undefined ? [] : [`${JSON.stringify(key)}: ${JSON.stringify(value)}`],
  );
  if (fields === undefined) return `{ ${members.join(', ')} }`;
  const inner = `${indent}  `;
  return `{\n${inner}${members.join(`,\n${inner}`)},\n${inner}"fields": ${fieldsText(fields, inner)}\n${indent}}`;
}
