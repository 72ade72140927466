import { type DuckDBConnection, type DuckDBType, DuckDBTypeId, VARCHAR } from '@duckdb/node-api';
import { scalarNames } from '@querygate/bigquery-sql/duckdb';
import { type Field, type FieldType, legacyNames } from '@querygate/bigquery-sql/table-schema';
import { quote } from '@querygate/bigquery-sql/types';
import { StartError } from '../../errors.ts';
import { checkRows, type DataRelation, fileError, relationOf, sampledRows } from './data-relation.ts';
import { type DuckdbOptions, withDefaults } from './duckdb-options.ts';
import { openDatabase } from './open-database.ts';

/** The columns of a data file, as its first rows show them. */
export interface InferredFields {
  readonly fields: readonly Field[];
  /** What the author should check: types that the rows do not show. */
  readonly notes: readonly string[];
}

/**
 * The fields of files of one format, which may have some fields each.
 *
 * @throws StartError if a file has no known format, or cannot be read
 */
export async function inferFields(files: readonly string[], options: DuckdbOptions): Promise<InferredFields> {
  const data = relationOf(files);
  const { file, relation, isText, texts } = data;
  const database = await openDatabase(withDefaults(options));
  try {
    const connection = await database.connect();
    const hasRows = await checkRows(connection, files, data);
    const columns = await columnsOf(connection, relation);
    const notes: string[] = [];
    const [only, another] = columns;
    // DuckDB reads objects without members as a column `json` of maps.
    if (only === undefined || (!another && only.name === 'json' && only.type.typeId === DuckDBTypeId.MAP))
      throw fileError(file, 'has no fields');
    if (!hasRows) notes.push('All fields are STRING, because there are no rows that show their types');
    notes.push(...nameNotes(columns.map(({ name }) => name)));
    const emptyPaths = await pathsWithoutValues(connection, relation, columns);
    const widePaths = await pathsBeyondInt64(connection, files, columns);
    const momentPaths = isText ? await pathsOfMoments(connection, data, columns) : new Set<string>();
    const fields = columns.map(({ name, type }) => {
      // Of CSV, DuckDB reads moments in other spellings too, which the import does not.
      const isOther = texts !== undefined && momentTypes.has(type.typeId) && !momentPaths.has(name);
      return fieldOf(name, isOther ? VARCHAR : type, {
        path: '',
        isText,
        notes,
        emptyPaths,
        widePaths,
        momentPaths,
      });
    });
    return { fields, notes: groupNotes(notes) };
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw fileError(
      file,
      `cannot be read: ${reasonOf(error instanceof Error ? error.message : String(error))}`,
    );
  } finally {
    database.close();
  }
}

/** Only the names and types: rows are read as far as the types need them. */
async function columnsOf(connection: DuckDBConnection, relation: string): Promise<readonly Column[]> {
  const statement = await connection.prepare(`SELECT * FROM ${relation}`);
  const columns = Array.from({ length: statement.columnCount }, (_, at) => ({
    name: statement.columnName(at),
    type: statement.columnType(at),
  }));
  statement.destroySync();
  return columns;
}

/** What DuckDB says of a file, without its advice about options. */
function reasonOf(message: string): string {
  const [first = '', second = '', third = ''] = message.replace(/^[\w ]+ Error: /, '').split('\n');
  if (/^Error when sniffing file/.test(first))
    return 'must be UTF-8, with as many values in each line as in the header, separated by commas, and " around texts with commas';
  const line = /^CSV Error on Line: (\d+)/.exec(first)?.[1];
  if (line === undefined) return first;
  return `line ${line}: ${second.startsWith('Original Line') ? third : second}`;
}

/** What SQL makes of names that it does not read as they are. */
const nameNotes = (names: readonly string[]): readonly string[] =>
  names.flatMap((name) => {
    if (/[!"$()*,./;?@[\\\]^`{}~]/.test(name))
      return [`${JSON.stringify(name)} cannot be the name of a column in BigQuery: rename it in the rows`];
    return /^[a-z_]\w*$/i.test(name)
      ? []
      : [`${JSON.stringify(name)} is written in backquotes in SQL: \`${name}\``];
  });

/** Equal notes as one, with the paths of all its fields: a note begins with the path. */
function groupNotes(notes: readonly string[]): readonly string[] {
  const splitNote = (note: string) => /^(\S+) ([\s\S]*)$/.exec(note)?.slice(1) ?? [note, ''];
  const paths = Map.groupBy(notes, (note) => splitNote(note)[1] ?? '');
  return [...paths].map(([rest, own]) => {
    const [first = '', ...others] = own.map((note) => splitNote(note)[0] ?? '');
    const last = others.pop();
    return last === undefined
      ? `${first} ${rest}`
      : `${[first, ...others].join(', ')} and ${last}: each ${rest}`;
  });
}

const momentTypes: ReadonlySet<DuckDBTypeId> = new Set([DuckDBTypeId.TIMESTAMP, DuckDBTypeId.TIMESTAMP_TZ]);

interface FieldContext {
  readonly path: string;
  /** True for formats without types, in which moments are texts. */
  readonly isText: boolean;
  readonly notes: string[];
  /** Paths of fields that are NULL in all rows. */
  readonly emptyPaths: ReadonlySet<string>;
  /** Paths of fields with integers beyond INT64. */
  readonly widePaths: ReadonlySet<string>;
  /** Paths of texts that are moments. */
  readonly momentPaths: ReadonlySet<string>;
}

function fieldOf(name: string, type: DuckDBType, context: FieldContext): Field {
  const path = `${context.path}${name}`;
  const isList = type.typeId === DuckDBTypeId.LIST;
  const element = isList ? type.valueType : type;
  // BigQuery has no arrays of arrays.
  if (isList && element.typeId === DuckDBTypeId.LIST) {
    context.notes.push(`${path} is JSON, because BigQuery has no arrays of arrays`);
    return { name, type: 'JSON', mode: 'NULLABLE' };
  }
  const mode = isList ? 'REPEATED' : 'NULLABLE';
  if (element.typeId === DuckDBTypeId.STRUCT) {
    const fields = element.entryTypes.map((entry, at) =>
      fieldOf(element.entryNames[at] ?? '', entry, { ...context, path: `${path}.` }),
    );
    return { name, type: 'RECORD', mode, fields };
  }
  return { name, type: scalarType(path, element, context), mode };
}

function scalarType(path: string, type: DuckDBType, context: FieldContext): FieldType {
  const { isText, notes, emptyPaths, widePaths, momentPaths } = context;
  if (emptyPaths.has(path)) {
    const named = typeByName.find(([pattern]) => pattern.test(path))?.[1];
    const found = named ?? 'STRING';
    notes.push(
      `${path} is ${found}${named ? ', as its name says' : ''}: the rows have no value of it, so write the type that it has`,
    );
    return found;
  }
  if (momentPaths.has(path)) return 'TIMESTAMP';
  if (type.alias === 'JSON') {
    notes.push(
      `${path} is JSON, because its rows have values of several types: write STRING if they are texts`,
    );
    return 'JSON';
  }
  if (widePaths.has(path)) {
    notes.push(`${path} is NUMERIC, because some of its numbers are beyond INT64`);
    return 'NUMERIC';
  }
  switch (type.typeId) {
    case DuckDBTypeId.TIMESTAMP:
      // A text without a zone is UTC, as the import reads it.
      return isText ? 'TIMESTAMP' : 'DATETIME';
    case DuckDBTypeId.TIMESTAMP_TZ:
    case DuckDBTypeId.TIMESTAMP_NS:
    case DuckDBTypeId.TIMESTAMP_MS:
    case DuckDBTypeId.TIMESTAMP_S:
      return 'TIMESTAMP';
    case DuckDBTypeId.UTINYINT:
    case DuckDBTypeId.USMALLINT:
    case DuckDBTypeId.UINTEGER:
    case DuckDBTypeId.UBIGINT:
    case DuckDBTypeId.UHUGEINT:
    case DuckDBTypeId.HUGEINT:
    case DuckDBTypeId.BIGINT:
    case DuckDBTypeId.INTEGER:
      if (momentName.test(path)) {
        notes.push(
          `${path} is INTEGER: write TIMESTAMP if it counts seconds, milliseconds or microseconds since 1970, and the SQL reads it as one`,
        );
      }
      return 'INTEGER';
    case DuckDBTypeId.UUID:
    case DuckDBTypeId.ENUM:
      return 'STRING';
    case DuckDBTypeId.MAP:
      notes.push(`${path} is JSON, because BigQuery has no maps`);
      return 'JSON';
    default: {
      const name = scalarNames[type.typeId];
      if (name === undefined || name === 'INTERVAL') {
        notes.push(`${path} is STRING, because BigQuery stores no ${type}`);
        return 'STRING';
      }
      return legacyNames[name] ?? name;
    }
  }
}

/** What names say of types. */
const typeByName: readonly (readonly [pattern: RegExp, type: FieldType])[] = [
  [/(?:^|[._])int(?:eger|64)?(?:_value)?$/i, 'INTEGER'],
  [/(?:^|[._])(?:float|double|numeric)(?:64)?(?:_value)?$/i, 'FLOAT'],
  [/(?:^|[._])bool(?:ean)?(?:_value)?$/i, 'BOOLEAN'],
];

const momentName = /(?:^|[._])(?:timestamp|time|ts|date|created|updated|\w+_(?:at|time|ts|micros|millis))$/i;

interface Column {
  readonly name: string;
  readonly type: DuckDBType;
}

/** The paths of the JSON fields that have no value in the first rows: their type is not known. */
async function pathsWithoutValues(
  connection: DuckDBConnection,
  relation: string,
  columns: readonly Column[],
): Promise<ReadonlySet<string>> {
  const values = sampledValues(relation, columns, ({ alias }) => alias === 'JSON');
  return pathsWhere(
    connection,
    values,
    "count(*) FILTER (v IS NOT NULL AND CAST(v AS VARCHAR) <> 'null') = 0",
  );
}

const wideTypes: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.HUGEINT,
]);

/**
 * The paths of integers that do not all fit INT64. The type alone does not say it: it is HUGEINT, too, where JSON has
 * integers of both signs, and Parquet has unsigned columns of small numbers.
 */
async function pathsBeyondInt64(
  connection: DuckDBConnection,
  files: readonly string[],
  columns: readonly Column[],
): Promise<ReadonlySet<string>> {
  const isWide = ({ typeId }: DuckDBType) => wideTypes.has(typeId);
  const found = new Set<string>();
  if (sampledValues('', columns, isWide).length === 0) return found;
  // The types of several files are those of the first rows of each.
  for (const file of files) {
    const { relation, isText } = relationOf([file]);
    const values = sampledValues(relation, await columnsOf(connection, relation), isWide, isText);
    const condition = `coalesce(max(v) > ${maxInt64} OR min(v) < ${-maxInt64 - 1n}, false)`;
    for (const path of await pathsWhere(connection, values, condition)) found.add(path);
  }
  return found;
}

const maxInt64 = 2n ** 63n - 1n;

/**
 * The paths of texts that are all moments, as the import reads them: ISO 8601, with a fraction of a second or without and in any
 * zone, which DuckDB detects only if all have the same parts; and `2026-01-31 12:00:00.5 UTC`, as BigQuery exports them.
 */
async function pathsOfMoments(
  connection: DuckDBConnection,
  { relation, texts }: DataRelation,
  columns: readonly Column[],
): Promise<ReadonlySet<string>> {
  const isText = ({ alias, typeId }: DuckDBType) =>
    (alias !== 'JSON' && typeId === DuckDBTypeId.VARCHAR) || (texts !== undefined && momentTypes.has(typeId));
  const pattern = String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d(:?\d\d)?| UTC)?`;
  return pathsWhere(
    connection,
    sampledValues(texts ?? relation, columns, isText),
    `coalesce(bool_and(regexp_full_match(v, '${pattern}')), false)`,
  );
}

/** @param condition over the column `v` of all values, as an aggregate */
async function pathsWhere(
  connection: DuckDBConnection,
  values: readonly ValuesOfPath[],
  condition: string,
): Promise<ReadonlySet<string>> {
  if (values.length === 0) return new Set();
  const conditions = values.map(({ query }) => `(SELECT ${condition} FROM (${query}))`);
  const reader = await connection.runAndReadAll(`SELECT ${conditions.join(', ')}`);
  const [holds = []] = reader.getRows();
  return new Set(values.flatMap(({ path }, at) => (holds[at] === true ? [path] : [])));
}

interface ValuesOfPath {
  readonly path: string;
  /** Returns the values as the column `v`. */
  readonly query: string;
}

type TypeTest = (type: DuckDBType) => boolean;

/** The values of the first rows, or of all, of the fields whose type passes a test. */
const sampledValues = (
  relation: string,
  columns: readonly Column[],
  test: TypeTest,
  isSampled = true,
): readonly ValuesOfPath[] =>
  columns.flatMap(({ name, type }) => {
    const rows = `SELECT * FROM ${relation}${isSampled ? ` LIMIT ${sampledRows}` : ''}`;
    const query = `SELECT ${quote(name)} AS v FROM (${rows})`;
    return valuesOf({ path: name, query }, type, test);
  });

function valuesOf(values: ValuesOfPath, type: DuckDBType, test: TypeTest): readonly ValuesOfPath[] {
  if (test(type)) return [values];
  const { path, query } = values;
  if (type.typeId === DuckDBTypeId.LIST)
    return valuesOf({ path, query: `SELECT unnest(v) AS v FROM (${query})` }, type.valueType, test);
  if (type.typeId !== DuckDBTypeId.STRUCT) return [];
  return type.entryTypes.flatMap((entry, at) => {
    const name = type.entryNames[at] ?? '';
    const own = `SELECT v.${quote(name)} AS v FROM (${query})`;
    return valuesOf({ path: `${path}.${name}`, query: own }, entry, test);
  });
}
