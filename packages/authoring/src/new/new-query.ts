import {
  checkAddresses,
  checkCatalog,
  columnTypes,
  headerSchemaFile,
  isFilledIn,
  loadTables,
  namePattern,
  nameRule,
  parameterUses,
  parseSavedQuery,
  parseVersionName,
  problemsText,
  readFiles,
  readHeader,
  readParts,
} from 'querygate/catalog';
import type { FolderParts } from '../catalog-types.ts';
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import type { DescribedParameter } from '../proposals/describe-parameters.ts';
import { describeSql, type SqlDescription } from '../proposals/describe-sql.ts';
import { tenantColumns } from '../proposals/tenant-columns.ts';
import { type Problem, ProblemError, problemAt, type Source } from '@querygate/bigquery-sql/problem';
import { commandError } from '@querygate/bigquery-sql/command';
import { readInput } from '../read-input.ts';
import type { Workspace } from '../workspace.ts';
import { type EarlierHeader, headerText } from './header-text.ts';
import { notesOf } from './notes.ts';

/** The columns that the engine reports of SQL. */
type ResultColumns = Parameters<typeof describeSql>[0]['resultColumns'];

/** The options of `querygate new`. */
export interface NewOptions {
  readonly force?: boolean;
  /** Names of proposed parameters that take the place of their literals; `all` for the usual ones. */
  readonly parameter?: readonly string[];
}

/**
 * Writes a saved query from SQL: `querygate new`.
 *
 * @param sqlFile the file with the SQL; undefined or `-` for standard input
 * @returns true if the file was written
 * @throws ProblemError if the command line is wrong
 */
export async function newQuery(
  workspace: Workspace,
  name: string,
  sqlFile: string | undefined,
  { force = false, parameter = [] }: NewOptions,
): Promise<boolean> {
  const { engine, limits } = workspace;
  const { columnsOf } = engine;
  if (columnsOf === undefined)
    throw commandError(`${engine.name} does not say which columns SQL has: the engine has no columnsOf`);
  if (engine.sql === 'native' && parameter.length > 0)
    throw commandError(`--parameter changes BigQuery's SQL, but ${engine.name} runs SQL of its own`);
  if (name.endsWith('.sql') && sqlFile === undefined)
    throw commandError(`got the file ${name}, but no name: querygate new <name> ${name}`);
  const file = newFile(workspace.queriesDir, name, force);
  const sql = trimSql(await readInput(sqlFile, 'SQL'));
  if (/^\s*\/\*---/.test(sql))
    throw commandError('the SQL has a header already: copy the file into the queries folder');

  const { tables, problems } = loadTables(join(workspace.queriesDir, 'tables'));
  if (problems.length > 0) throw new ProblemError('The tables have problems', problems);
  const source = { file: sqlFile === undefined || sqlFile === '-' ? 'stdin' : sqlFile, line: 1 };
  const parts = readParts(
    workspace.queriesDir,
    existsSync(workspace.queriesDir) ? readFiles(workspace.queriesDir) : new Map(),
  );
  const saved = savedQueries(workspace.queriesDir, parts.link);
  let description: SqlDescription;
  let analyzed = sql;
  try {
    const resultColumns: ResultColumns = (linked, parameters, converted) => {
      analyzed = converted;
      return columnsOf(linked.sql, { source: linked.source, tables, parameters, limits });
    };
    description =
      engine.sql === 'native'
        ? await describeNative({ sql, source }, resultColumns)
        : await describeSql({
            name,
            sql,
            source,
            parts,
            tables,
            chosen: parameter,
            tenantColumns: tenantColumns(saved.map(({ query }) => query)),
            hasOpenTables: engine.flags?.hasOwnTables ?? false,
            columnTypes,
            resultColumns,
          });
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    process.stderr.write(
      problemsText(error, { textOf: (file) => (file === source.file ? analyzed : undefined) }),
    );
    return false;
  }
  const earlier: EarlierHeader = existsSync(file)
    ? headerToKeep(file)
    : otherVersion(workspace.queriesDir, name);
  const header = headerText({
    name,
    id: earlier.id ?? randomUUID(),
    description,
    tenant: description.tenant,
    earlier,
  });
  const text = `/*---\n${schemaComment(workspace.queriesDir)}${header}---*/\n${description.sql}\n`;
  const parsed = parseSavedQuery(name, file, text, parts.link);
  const names = nameProblems(parsed.problems, description.sql, source);
  if (names.length > 0) throw new ProblemError('The SQL has names that no saved query can have', names);
  const others = saved.filter(({ query }) => query.name !== name);
  const conflicts = parsed.query === undefined ? [] : conflictsOf(parsed, others);
  if (conflicts.length > 0)
    throw new ProblemError(`${file} is not written: no gateway would start with it`, conflicts);
  mkdirSync(workspace.queriesDir, { recursive: true });
  // Another process may have made the file in the meantime.
  writeFileSync(file, text, { flag: force ? 'w' : 'wx' });
  process.stderr.write(notesOf({ file, text, description }));
  return true;
}

/**
 * The file of a saved query that is not there yet, or is replaced.
 *
 * @throws ProblemError if a query cannot have the name, or the file may not be replaced
 */
function newFile(queriesDir: string, name: string, force: boolean): string {
  if (!namePattern.test(name)) throw commandError(`got the name ${JSON.stringify(name)}; ${nameRule}`);
  const file = join(queriesDir, `${name}.sql`);
  // A link to nothing would not be there otherwise.
  const isThere = lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw commandError(`${file} is a folder, and must be a file: rename it, or give another name`);
  if (isThere && !force)
    throw commandError(`${file} exists already; --force replaces it, and keeps its id and its descriptions`);
  return file;
}

/** The problems of names in a file that is not written yet, at their places in the SQL. */
function nameProblems(problems: readonly Problem[], sql: string, source: Source): readonly Problem[] {
  const { uses } = parameterUses(sql);
  return problems.flatMap(({ message }) => {
    const [whole = '', section, name] =
      /^(parameters|columns)\.(\w+): (?=is |must have a letter)/.exec(message) ?? [];
    if (name === undefined) return [];
    const use = section === 'parameters' ? uses.find((one) => one.name === name) : undefined;
    const text = message.slice(whole.length);
    return use === undefined
      ? { file: source.file, message: `the column ${name} ${text}` }
      : problemAt(sql, source, use.start, `@${name} ${text}`);
  });
}

/** SQL of the engine's own says its columns only, and the names of its parameters. */
async function describeNative(
  text: { readonly sql: string; readonly source: Source },
  resultColumns: ResultColumns,
): Promise<SqlDescription> {
  const { sql } = text;
  const names = new Set(parameterUses(sql).uses.map(({ name }) => name));
  const parameters = [...names].map(
    (name): DescribedParameter => ({
      name,
      type: 'string',
      required: true,
      values: [],
      repeated: false,
      isList: false,
    }),
  );
  const typed = parameters.map(({ name }) => ({ name, repeated: false }));
  const reported = await resultColumns(text, typed, sql);
  const columns = reported.map((column) => ({ ...column, required: false }));
  return {
    sql,
    conversions: [],
    names: [],
    replacements: [],
    columns,
    parameters,
    tenants: [],
    proposals: [],
    others: [],
  };
}

/** Names the JSON Schema of the header if the package is installed in the project: another path would be of this machine only. */
function schemaComment(queriesDir: string): string {
  if (!existsSync(headerSchemaFile) || relative('.', headerSchemaFile).startsWith('..')) return '';
  const path = relative(queriesDir, headerSchemaFile).replaceAll('\\', '/');
  return `# yaml-language-server: $schema=${path}\n`;
}

const trimSql = (text: string) =>
  text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .replace(/^(?:[ \t]*\r?\n)+/, '')
    .replace(/(?<![\s;])[\s;]+$/, '');

type ValidQuery = Extract<ReturnType<typeof parseSavedQuery>, { readonly problems: readonly [] }>;

/** The saved queries without problems: those with problems say nothing about tenants. */
function savedQueries(folder: string, link: FolderParts['link']): readonly ValidQuery[] {
  return sqlFiles(folder).flatMap((name) => {
    const file = join(folder, name);
    const parsed = parseSavedQuery(name.slice(0, -'.sql'.length), file, readFileSync(file, 'utf8'), link);
    return parsed.query === undefined ? [] : [parsed];
  });
}

/** The problems that a saved query makes among others, as of a name that is taken: no gateway would start with it. */
function conflictsOf(added: ValidQuery, others: readonly ValidQuery[]): readonly Problem[] {
  const problemsOf = (files: readonly ValidQuery[]) => [
    ...checkCatalog(files.map(({ query }) => query)),
    ...checkAddresses(files),
  ];
  const known = new Set(problemsOf(others).map(({ file, message }) => `${file} ${message}`));
  return problemsOf([...others, added]).filter(({ file, message }) => !known.has(`${file} ${message}`));
}

/** The names of the files of SQL; a folder of such a name, and a link to one or to nothing, has none. */
function sqlFiles(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter(
    (name) =>
      name.endsWith('.sql') && statSync(join(folder, name), { throwIfNoEntry: false })?.isFile() === true,
  );
}

/** The texts of the version before this one, else of another version: all but its id. */
function otherVersion(folder: string, name: string): EarlierHeader {
  const { base, version } = parseVersionName(name);
  const others = sqlFiles(folder)
    .map((file) => ({ file, ...parseVersionName(file.slice(0, -'.sql'.length)) }))
    .filter((one) => one.base === base)
    .sort((a, b) => Number(a.version > version) - Number(b.version > version) || b.version - a.version);
  const [nearest] = others;
  if (nearest === undefined) return { descriptions: new Map() };
  const { id: _, ...texts } = earlierHeader(join(folder, nearest.file));
  return texts;
}

/** @throws ProblemError if the file has a header that cannot be read: its id would be lost */
function headerToKeep(file: string): EarlierHeader {
  const text = readFileSync(file, 'utf8');
  const problems = readHeader(file, text);
  if (/^\uFEFF?\s*\/\*---/.test(text) && !('header' in problems))
    throw new ProblemError('The id and the descriptions of the file cannot be kept', problems);
  return earlierHeader(file);
}

function earlierHeader(file: string): EarlierHeader {
  const parts = readHeader(file, readFileSync(file, 'utf8'));
  const descriptions = new Map<string, string>();
  if (!('header' in parts)) return { descriptions };
  const header = (parts.header ?? {}) as Readonly<Record<string, unknown>>;
  const collect = (data: unknown, path: string) => {
    for (const [key, value] of Object.entries((data ?? {}) as Readonly<Record<string, unknown>>)) {
      if (typeof value !== 'object' || value === null) continue;
      const described = (value as { readonly description?: unknown }).description;
      if (typeof described === 'string' && isFilledIn(described))
        descriptions.set(`${path}.${key}`, described);
      if ('values' in value) collect(value.values, `${path}.${key}.values`);
      if ('fields' in value) collect(value.fields, `${path}.${key}.fields`);
    }
  };
  collect(header.parameters, 'parameters');
  collect(header.columns, 'columns');
  const { id, description } = header;
  return {
    ...(typeof id === 'string' && { id }),
    ...(typeof description === 'string' && isFilledIn(description) && { description }),
    descriptions,
  };
}
