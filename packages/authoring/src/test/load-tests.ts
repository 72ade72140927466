import { sameName } from '@querygate/bigquery-sql/types';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { undefinedOrders } from '@querygate/bigquery-sql/analysis';
import { type Problem, ProblemError, type Source } from '@querygate/bigquery-sql/problem';
import type { Field, TableSchema } from '@querygate/bigquery-sql/table-schema';
import { decodeUtf8, didYouMean, listShort, NotUtf8 } from '@querygate/text';
import type { Catalog, Fixtures, SavedQuery } from 'querygate';
import {
  assertionProblems,
  type Dialect,
  describeIssue,
  parseAssertions,
  parseTimestamp,
  problem,
  readFolder,
  readParts,
  readYaml,
  schemaProblems,
} from 'querygate/catalog';
import type { Assertion, FolderParts, SchemaProblem, YamlData } from '../catalog-types.ts';
import type { Workspace } from '../workspace.ts';
import { type TestFileData, testFileSchema } from './test-schema.ts';

type FixtureRow = Readonly<Record<string, unknown>>;

type Path = readonly (string | number)[];

/** The keys that a file sets for all of its tests, and a test for itself. */
type SharedKeys = Pick<TestFileData, 'approximate' | 'parameters' | 'tables'>;

export interface QueryTest {
  readonly name: string;
  /** Its place in the list of its file. */
  readonly at: number;
  /** From 1. */
  readonly line: number;
  readonly now: Date;
  readonly tenant: string | undefined;
  /** Columns whose values may differ between engines. */
  readonly approximate: readonly string[];
  /** Columns with arrays whose order the SQL does not say, in lower case, with the paths of the arrays. */
  readonly unordered: ReadonlyMap<string, ReadonlySet<string>>;
  readonly parameters: Readonly<Record<string, readonly string[]>>;
  readonly tables: Fixtures;
  readonly expect: TestFileData['tests'][number]['expect'];
  /** The ASSERT statements that it expects to hold. */
  readonly asserts: readonly Assertion[];
}

export interface TestFile {
  readonly file: string;
  readonly query: SavedQuery;
  readonly tests: readonly QueryTest[];
}

/** The time of tests that give none: it is the same in every run. */
const defaultNow = '2026-01-31T12:00:00Z';

export const testsFolder = (queriesDir: string): string => join(queriesDir, 'tests');

/**
 * Loads the tests of saved queries: `tests/<name>.yaml` in the queries folder.
 *
 * @param names of saved queries; empty for all
 * @param checks the names of the files of checks, for messages
 * @throws ProblemError with the problems of all files
 */
export function loadTests(
  catalog: Catalog,
  { queriesDir, engine }: Pick<Workspace, 'queriesDir' | 'engine'>,
  names: readonly string[],
  checks: readonly string[] = [],
): readonly TestFile[] {
  const context = { ...catalog, dialect: engine, link: onceLink(queriesDir) };
  const folder = testsFolder(queriesDir);
  const known = catalog.queries.map(({ name }) => name);
  const unknownQuery = (name: string) => `no saved query is named ${name}${meantName(name, known, checks)}`;
  const problems: Problem[] = names
    .filter((name) => !known.includes(name))
    .map((name) => ({ message: unknownQuery(name) }));
  const files: TestFile[] = [];
  const found = existsSync(folder) ? readdirSync(folder).filter((file) => /^[^.].*\.ya?ml$/.test(file)) : [];
  if (names.length === 0) problems.push(...unreadTests(folder, found));
  for (const name of found.sort()) {
    const file = join(folder, name);
    const queryName = name.replace(/\.ya?ml$/, '');
    if (names.length > 0 && !names.includes(queryName)) continue;
    const query = catalog.queries.find((one) => one.name === queryName);
    if (query === undefined) {
      problems.push({ file, message: unknownQuery(queryName) });
      continue;
    }
    const parsed = parseTests(file, query, context);
    if (Array.isArray(parsed)) problems.push(...parsed);
    else files.push(parsed as TestFile);
  }
  for (const name of names.filter((one) => known.includes(one))) {
    if (!found.includes(`${name}.yaml`) && !found.includes(`${name}.yml`))
      problems.push({
        file: join(folder, `${name}.yaml`),
        message: 'does not exist: the query has no tests; --update writes a first one',
      });
  }
  if (problems.length > 0) throw new ProblemError('The tests have problems', problems);
  return files;
}

/** The end of a message about a name that neither a query nor a file of checks has. */
function meantName(name: string, queries: readonly string[], checks: readonly string[]): string {
  // The path of a file, as a shell completes it.
  const path = name.replace(/\/$/, '').replace(/\.(?:sql|ya?ml)$/, '');
  const exact = [path, `checks/${path}`, path.replace(/^.*\//, '')].find((one) =>
    [...checks, ...queries].includes(one),
  );
  if (exact !== undefined) return `; did you mean ${exact}?`;
  const inside = checks.filter((one) => one.startsWith(`${path}/`));
  return inside.length > 0
    ? `; the files of checks there are ${listShort(inside)}`
    : didYouMean(name, [...queries, ...checks]);
}

/** Tests that never run would pass. */
function unreadTests(folder: string, found: readonly string[]): readonly Problem[] {
  const all = existsSync(folder) ? filesBelow(folder) : [];
  return all
    .map((path) => relative(folder, path))
    .filter((path) => /\.ya?ml$/i.test(path) && !/(?:^|[\\/])\./.test(path) && !found.includes(path))
    .map((path) => ({
      file: join(folder, path),
      message: /\.ya?ml$/.test(path)
        ? `is not read: only files of ${folder} itself are tests`
        : 'is not read: its name must end with .yaml, in lower case',
    }));
}

/** The files of a folder, and of those inside. Links to folders are not entered: they may be loops. */
const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });

/** The tables, the parts and the dialect of a folder. */
interface TestContext {
  readonly tables: readonly TableSchema[];
  readonly dialect: Dialect;
  readonly link: FolderParts['link'];
}

/** Reads the parts of a folder when they are first needed. */
function onceLink(folder: string): FolderParts['link'] {
  let parts: FolderParts | undefined;
  return (query) => {
    parts ??= readParts(folder, readFolder(folder));
    return parts.link(query);
  };
}

function parseTests(file: string, query: SavedQuery, context: TestContext): TestFile | readonly Problem[] {
  const { tables } = context;
  const text = textOf(file);
  if (typeof text !== 'string') return [{ ...text, file, message: text.message }];
  const yaml = readTests(text, query, tables);
  if ('problems' in yaml) return yaml.problems.map((problem) => ({ file, ...problem }));
  const parsed = testFileSchema.safeParse(yaml.data, { error: describeIssue });
  const problems = parsed.success ? checkNames(parsed.data, query, tables) : schemaProblems(parsed.error);
  if (!parsed.success || problems.length > 0)
    return problems.map(({ path, message }) => ({ file, line: yaml.lineOf(path), message }));
  const { tests, ...shared } = parsed.data;
  const { arrays: unordered } = undefinedOrders(query.sql);
  const asserts = tests.map(({ expect }, at) => {
    const line = firstLineOf(text, yaml.lineOf(['tests', at, 'expect', 'asserts']));
    return parseAsserts(expect?.asserts, { file, line }, query, context);
  });
  const wrong = asserts.flatMap((one) => one.problems);
  if (wrong.length > 0) return wrong;
  return {
    file,
    query,
    tests: tests.map((test, at) => ({
      ...toTest(file, shared, test, at, yaml),
      unordered,
      asserts: asserts[at]?.assertions ?? [],
    })),
  };
}

/** The content of a file of tests, not validated yet. @param tables without them, the texts in rows of tables may be numbers */
export const readTests = (
  text: string,
  query: Pick<SavedQuery, 'columns'>,
  tables: readonly TableSchema[] = [],
): ReturnType<typeof readYaml> =>
  readYaml(text, 'yaml', {
    isText: (path, written) => isText(path, written, query, tables),
    isExact: (path) => isExact(path, tables),
  });

function textOf(file: string): string | Pick<Problem, 'line' | 'message'> {
  try {
    return decodeUtf8(readFileSync(file));
  } catch (error) {
    if (error instanceof NotUtf8) return error;
    return { message: `cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
}

/** The first line of a value, which follows its key if it is a block of lines. */
const firstLineOf = (text: string, keyLine: number): number =>
  /:\s*[|>][-+\d]*\s*(?:#.*)?$/.test(text.split(/\r?\n/)[keyLine - 1] ?? '') ? keyLine + 1 : keyLine;

function parseAsserts(
  text: string | undefined,
  source: Source,
  { name, parameters }: SavedQuery,
  { tables, dialect, link }: TestContext,
): ReturnType<typeof parseAssertions> {
  if (text === undefined) return { assertions: [], problems: [] };
  const { assertions, problems } = parseAssertions({ name: `tests/${name}`, source, text, parameters, link });
  const found = [...problems, ...assertionProblems(assertions, tables, dialect)];
  // The columns of YAML are others.
  const ofFile = found.map(({ column, ...problem }) =>
    problem.file === source.file || column === undefined ? problem : { ...problem, column },
  );
  return { assertions, problems: ofFile };
}

function toTest(
  file: string,
  data: Omit<TestFileData, 'tests'>,
  test: TestFileData['tests'][number],
  at: number,
  yaml: YamlData,
): Omit<QueryTest, 'unordered' | 'asserts'> {
  const tables = Object.entries({ ...data.tables, ...test.tables });
  return {
    name: test.name,
    at,
    line: yaml.lineOf(['tests', at, 'name']),
    now: momentOf(test.now ?? data.now ?? defaultNow),
    tenant: test.tenant ?? data.tenant,
    approximate: test.approximate ?? data.approximate ?? [],
    parameters: {
      ...parameterTexts(data.parameters),
      ...parameterTexts(test.parameters),
    },
    tables: Object.fromEntries(
      tables.map(([name, rows]) => [
        name,
        Array.isArray(rows) ? { rows: rows.map(withRawIntegers) } : { file: join(dirname(file), rows.file) },
      ]),
    ),
    expect: test.expect,
  };
}

/** Integers beyond 2^53 in a form that JSON.stringify writes with all digits. */
function withRawIntegers<Value>(value: Value): Value {
  if (typeof value === 'bigint') return JSON.rawJSON(String(value)) as Value;
  if (Array.isArray(value)) return value.map(withRawIntegers) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, withRawIntegers(member)]);
  return Object.fromEntries(members) as Value;
}

/** Without a zone it is UTC, and not the time of this machine. */
const momentOf = (text: string): Date => new Date(parseTimestamp(text) ?? text);

const parameterTexts = (given: TestFileData['parameters'] = {}): QueryTest['parameters'] =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, [value].flat().map(String)]));

/**
 * True for the paths of values that are texts, which are read as they are written: `1.10` is not 1.1. A caller sends the
 * values of parameters so.
 */
function isText(
  path: readonly PropertyKey[],
  written: string,
  { columns }: Pick<SavedQuery, 'columns'>,
  tables: readonly TableSchema[],
) {
  const [key, ...rest] = keysOf(path);
  if (key === 'parameters') return rest.length > 0;
  if (key === 'tables') return isTextOf(typeInTable(rest, tables), written);
  const [rows, , ...inner] = rest;
  return key === 'expect' && rows === 'rows' && isTextOf(typeAt(inner, columns), written);
}

/** True for the paths of values whose integers have any number of digits. */
function isExact(path: readonly PropertyKey[], tables: readonly TableSchema[]): boolean {
  const [key, ...rest] = keysOf(path);
  return key === 'tables' ? typeInTable(rest, tables) === 'JSON' : key === 'expect' && rest[0] === 'rows';
}

/** The path within a file or a test, which have the same keys. */
const keysOf = (path: readonly PropertyKey[]) => (path[0] === 'tests' ? path.slice(2) : path);

/** A decimal may have more digits than a number; 0x1F is no decimal. */
const isTextOf = (type: string | undefined, written: string): boolean =>
  type === 'STRING' ||
  (['NUMERIC', 'BIGNUMERIC'].includes(type ?? '') && /^[-+]?[\d.]+(?:e[-+]?\d+)?$/i.test(written));

/** A field of a table, or a column of a query. */
interface TypedField {
  readonly name: string;
  readonly type: string;
  readonly fields?: readonly TypedField[] | undefined;
}

const typeInTable = ([table, , ...path]: readonly PropertyKey[], tables: readonly TableSchema[]) =>
  typeAt(path, tables.find(({ name }) => name === table)?.fields);

/** @param path names of fields, and places in lists @returns the type in upper case, also of the values within JSON */
function typeAt(path: readonly PropertyKey[], fields: readonly TypedField[] = []): string | undefined {
  const [name, ...inner] = path.filter((part) => typeof part === 'string');
  const field = fields.find((one) => sameName(one.name, name ?? ''));
  const type = field?.type.toUpperCase();
  return inner.length > 0 && type !== 'JSON' ? typeAt(inner, field?.fields) : type;
}

/** Misspelled names of tables, fields, parameters and columns: their values would be ignored. */
function checkNames(
  data: TestFileData,
  query: SavedQuery,
  tables: readonly TableSchema[],
): readonly SchemaProblem[] {
  const columns = query.columns.map(({ name }) => name);
  const checkShared = (part: SharedKeys, path: Path) => [
    ...unknownNames(part.approximate ?? [], columns, [...path, 'approximate'], 'column'),
    ...checkTables(part.tables, [...path, 'tables'], tables),
    ...checkParameters(part.parameters, [...path, 'parameters'], query),
  ];
  const own = data.tests.flatMap((test, at) => [
    ...checkShared(test, ['tests', at]),
    ...(test.expect?.rows ?? []).flatMap((row, rowAt) => {
      const path = ['tests', at, 'expect', 'rows', rowAt];
      return [...unknownNames(Object.keys(row), columns, path, 'column'), ...infiniteNumbers(row, path)];
    }),
  ]);
  const names = data.tests.map(({ name }) => name);
  const twins = names.flatMap((name, at) =>
    names.indexOf(name) < at ? [problem(['tests', at, 'name'], 'another test has this name')] : [],
  );
  return [...oneForCause([...checkShared(data, []), ...own]), ...twins];
}

/** A column that was renamed is wrong in each row of each test: it is one problem, where it occurs first. */
function oneForCause(problems: readonly SchemaProblem[]): readonly SchemaProblem[] {
  const causes = Map.groupBy(problems, ({ message }) => message.slice(message.indexOf(': ')));
  return [...causes.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const message =
      others.length === 0 ? first.message : `${first.message} (${others.length + 1} times in this file)`;
    return [{ ...first, message }];
  });
}

/** Parameters that the query does not declare may be sent: they are ignored. Here they are mistakes. */
const checkParameters = (given: object | undefined, path: Path, query: SavedQuery) =>
  unknownNames(
    Object.keys(given ?? {}),
    query.parameters.map(({ name }) => name),
    path,
    'parameter',
  );

function checkTables(
  given: TestFileData['tables'],
  path: Path,
  tables: readonly TableSchema[],
): readonly SchemaProblem[] {
  const names = tables.map(({ name }) => name);
  return Object.entries(given ?? {}).flatMap(([name, rows]) => {
    const table = tables.find((one) => one.name === name);
    if (table === undefined) return unknownNames([name], names, path, 'table');
    if (!Array.isArray(rows)) return [];
    return rows.flatMap((row, at) => [
      ...checkFields(row, table.fields, [...path, name, at]),
      ...infiniteNumbers(row, [...path, name, at]),
    ]);
  });
}

/** Numbers that YAML has, and neither the rows of a table nor those of a result. */
function infiniteNumbers(value: unknown, path: Path): readonly SchemaProblem[] {
  if (typeof value === 'number')
    return Number.isFinite(value) ? [] : [problem(path, `${value} is null in JSON: write null`)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => infiniteNumbers(inner, [...path, name]));
}

function checkFields(row: FixtureRow, fields: readonly Field[], path: Path): readonly SchemaProblem[] {
  const names = fields.map(({ name }) => name);
  return Object.entries(row).flatMap(([name, value]) => {
    const field = fields.find((one) => sameName(one.name, name));
    if (field === undefined) return unknownNames([name], names, path, 'field');
    const own = [...path, name];
    const isLong = Number.isInteger(value) && !Number.isSafeInteger(value) && !field.type.startsWith('FLOAT');
    if (isLong) return [problem(own, 'numbers beyond 2^53 must be in quotes, or they are rounded')];
    const { fields: inner } = field;
    if (inner === undefined) return [];
    const records: readonly unknown[] = Array.isArray(value) ? value : [value];
    return records.flatMap((record, at) =>
      typeof record === 'object' && record !== null
        ? checkFields(record as FixtureRow, inner, Array.isArray(value) ? [...own, at] : own)
        : [],
    );
  });
}

const unknownNames = (
  given: readonly string[],
  names: readonly string[],
  path: Path,
  what: string,
): readonly SchemaProblem[] =>
  given
    .filter((name) => !names.includes(name))
    .map((name) => problem([...path, name], `no ${what} is named ${name}${didYouMean(name, names)}`));
