import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseTableFile } from 'querygate/catalog';
import type { InferredFields } from 'querygate/data-files';
import { isReserved } from '@querygate/bigquery-sql/syntax';
import { ProblemError } from '@querygate/bigquery-sql/problem';
import { commandError } from '@querygate/bigquery-sql/command';
import { readInput } from '../read-input.ts';
import type { Workspace } from '../workspace.ts';
import { fieldsText } from './fields-text.ts';
import { type DeclaredFields, readSchema } from './read-schema.ts';

/** A schema is small; a larger JSON file has rows. */
const maxSchemaBytes = 4_000_000;

/**
 * Writes the schema file of a table, from the rows of data files or from what `bq show` printed: `querygate tables add`. A name
 * that ends in `*` declares a table for each file, which is named after it, with the fields of all.
 *
 * @param sources the files; none or `-` for a schema on standard input
 * @throws ProblemError if the command line or a file is wrong
 */
export async function addTable(
  workspace: Pick<Workspace, 'queriesDir' | 'duckdb'>,
  givenName: string,
  sources: readonly string[],
  { force = false }: { readonly force?: boolean },
): Promise<void> {
  // As SQL names it: `project.dataset.table`.
  const name = givenName.replace(/^`|`$/g, '').replace(/^(?:[\w-]+\.)+(?=[\w-]*\*?$)/, '');
  if (!/^[\w-]+$|^[\w-]*\*$/.test(name)) {
    throw commandError(
      `got the table name ${JSON.stringify(name)}; must be letters, digits, _ and -, as SQL names it, or end in * for a table for each file`,
    );
  }
  const isWildcard = name.endsWith('*');
  if (sources.length > 1 && !isWildcard)
    throw commandError(
      `got ${sources.length} files for one table; '${name}*', in quotes, makes each file a table of its name`,
    );
  const names = isWildcard ? namesOf(sources, name.slice(0, -1)) : [name];
  const folder = join(workspace.queriesDir, 'tables');
  const files = names.map((one) => existingFile(folder, one) ?? { file: `${one}.json`, exists: false });
  const existing = files.filter(({ exists }) => exists);
  if (existing.length > 0 && !force)
    throw commandError(
      `${existing.map(({ file }) => join(folder, file)).join(', ')} exists already; --force replaces it`,
    );

  const { fields, notes } = await fieldsOf(sources, async (data) => {
    const { inferFields } = await import('querygate/data-files');
    return inferFields(data, workspace.duckdb);
  });
  const text = `${fieldsText(fields)}\n`;
  const { problems } = parseTableFile('table.json', { text });
  if (problems.length > 0) {
    throw new ProblemError(
      'The fields cannot be those of a table',
      problems.map(({ message }) => ({ file: sources[0] ?? 'stdin', message })),
    );
  }
  mkdirSync(folder, { recursive: true });
  for (const { file } of files) {
    writeFileSync(join(folder, file), text, { flag: force ? 'w' : 'wx' });
    const count = `${fields.length} ${fields.length === 1 ? 'field' : 'fields'}`;
    process.stderr.write(`Wrote ${join(folder, file)}: ${count}.\n`);
  }
  for (const note of [...names.flatMap(nameNotes), ...notes]) process.stderr.write(`  ${note}\n`);
}

/** Notes on a name of a table that SQL does not read as it is. */
function nameNotes(name: string): readonly string[] {
  if (/^(?:__\w+__|information_schema)$/i.test(name))
    return [`${name} is a name of BigQuery's own: choose another, which SQL there can read`];
  const isWord = isReserved(name.toUpperCase());
  return isWord || /^\d/.test(name)
    ? [
        `${name} ${isWord ? 'is a reserved word' : 'begins with a digit'}: in SQL, write \`${name}\` in backquotes`,
      ]
    : [];
}

/** The file of a table in any case: table names are not case-sensitive. */
function existingFile(folder: string, name: string) {
  const found = existsSync(folder)
    ? readdirSync(folder).find((file) => file.toLowerCase() === `${name}.json`.toLowerCase())
    : undefined;
  return found === undefined ? undefined : { file: found, exists: true };
}

/** The names of the tables whose data files these are. */
function namesOf(sources: readonly string[], prefix: string): readonly string[] {
  const [first] = sources;
  if (first === undefined || first === '-')
    throw commandError(
      `'${prefix}*' needs data files that are named after their tables, as in ${prefix}20260131.ndjson`,
    );
  const names = sources.map((source) => basename(source).replace(/\..*$/, ''));
  const other = names.findIndex(
    (one) => !/^[\w-]+$/.test(one) || !one.toLowerCase().startsWith(prefix.toLowerCase()),
  );
  if (other >= 0)
    throw commandError(
      `${sources[other]} is named after no table of ${prefix}*: its name must begin with ${prefix}`,
    );
  // Names of tables are not case-sensitive.
  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()];
}

async function fieldsOf(
  sources: readonly string[],
  infer: (files: readonly string[]) => Promise<InferredFields>,
): Promise<DeclaredFields> {
  const [source, another] = sources;
  if (source === undefined || source === '-') {
    const text = await readInput(source, 'the output of bq show --schema');
    const schema = readSchema(text, 'stdin');
    if (schema !== undefined) return schema;
    throw commandError(
      'standard input has no schema as bq show --schema --format=prettyjson prints it; name a data file instead',
    );
  }
  const sizes = sources.map((file) => {
    const size = statSync(file, { throwIfNoEntry: false })?.size;
    if (size === undefined) throw commandError(`${file} cannot be read: there is no such file`);
    return size;
  });
  if (another === undefined && /\.json$/i.test(source) && (sizes[0] ?? 0) <= maxSchemaBytes) {
    const schema = readSchema(await readInput(source, 'a schema'), source);
    if (schema !== undefined) return schema;
  }
  return infer(sources);
}
