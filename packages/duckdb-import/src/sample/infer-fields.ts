import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, type DuckDBType, DuckDBTypeId, VARCHAR } from '@duckdb/node-api';
import { fileReason, lineEndProblem } from '@querygate/bigquery-sql/command';
import {
  columnsOf,
  describeWideDecimal,
  pathsBeyondInt64,
  sampledRows,
  scalarNames,
} from '@querygate/bigquery-sql/duckdb';
import { type Field, type FieldType, fileColumn, legacyNames } from '@querygate/bigquery-sql/table-schema';
import { ProblemError } from '@querygate/bigquery-sql/problem';
import { type Leaf, leavesByPath, readParquetColumns } from '../read/parquet-columns.ts';
import { checkRows, type DataRelation, fileError, relationOf } from './data-relation.ts';
import { type LongType, typesOfLongColumns, typesOfLongIntegers } from './long-integers.ts';
import { impossibleNames, nameNotes, withoutSecondPaths } from './name-notes.ts';
import { type SampledRows, sampleRows, validCsvRows, wrongShape } from './sample-rows.ts';
import { textNotes } from './text-notes.ts';
import { momentTypes, pathsOfMoments, pathsOfTexts, pathsWithoutValues } from './value-paths.ts';

/** The columns of a data file, as its first rows show them. */
export interface InferredFields {
  readonly fields: readonly Field[];
  /** Notes on types that the rows do not show, which the author should check. */
  readonly notes: readonly string[];
}

/**
 * The fields of files of one format, which may have some fields each.
 *
 * @param connection to an empty database in memory, which gets temporary tables
 * @param files paths; the first rows of each are read
 * @throws ProblemError if a file has no known format, or cannot be read
 */
export async function inferFields(
  connection: DuckDBConnection,
  files: readonly string[],
): Promise<InferredFields> {
  const { file, isText, texts } = relationOf(files);
  const scratch = mkdtempSync(join(tmpdir(), 'querygate-rows-'));
  try {
    const isCsv = texts !== undefined;
    if (isText && !isCsv)
      return await fieldsOf(connection, await sampleRows(connection, files, scratch, sampledRows), files);
    try {
      return await fieldsOf(connection, { files, notes: [] }, files);
    } catch (error) {
      if (!isCsv || error instanceof ProblemError) throw error;
      for (const one of files) {
        const problem = await lineEndProblem(one);
        if (problem !== undefined) throw fileError(one, problem);
      }
      const valid = await validCsvRows(connection, files, scratch).catch((cause: unknown) => {
        if (cause instanceof ProblemError) throw cause;
        return undefined;
      });
      if (valid === undefined) throw error;
      return await fieldsOf(connection, valid, files);
    }
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    const reason = await fileReason(error instanceof Error ? error.message : String(error));
    throw fileError(file, `cannot be read: ${reason ?? wrongShape}`);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** @param given the files as the author named them, for messages */
async function fieldsOf(
  connection: DuckDBConnection,
  sampled: SampledRows,
  given: readonly string[],
): Promise<InferredFields> {
  const { files } = sampled;
  const read = relationOf(files);
  const { hasRows, headerNotes } = await checkRows(connection, files, read, given);
  const data = read.isText && read.texts === undefined ? await storeRows(connection, read, given) : read;
  const { relation, isText, texts } = data;
  const columns = await columnsOf(connection, relation);
  const notes: string[] = [...sampled.notes];
  if (columns.length === 0) throw fileError(given[0] ?? '', 'has no fields');
  if (!hasRows) notes.push('All fields are STRING, because there are no rows that show their types');
  notes.push(...headerNotes, ...nameNotes(columns.map(({ name }) => name)));
  const leaves = isText ? [] : await leavesOfFiles(connection, files);
  const pathsOf = (isUntyped: boolean) =>
    new Set(leaves.filter(({ leaf }) => (leaf.isUntyped === true) === isUntyped).map(({ path }) => path));
  const untypedPaths = pathsOf(true).difference(pathsOf(false));
  const context = {
    path: '',
    isText,
    notes,
    misreadTypes: new Map(
      leaves.flatMap(({ path, leaf: { misreadType } }) => (misreadType ? [[path, misreadType]] : [])),
    ),
    untypedPaths,
    emptyPaths: hasRows
      ? (await pathsWithoutValues(connection, relation, columns)).union(untypedPaths)
      : new Set<string>(),
    widePaths: await pathsBeyondInt64(
      connection,
      files.map((one) => relationOf([one]).relation),
      columns,
      isText,
    ),
    longTypes:
      texts === undefined
        ? await typesOfLongIntegers(connection, relation, columns, sampled.longIntegers ?? new Map())
        : await typesOfLongColumns(connection, texts, columns),
    momentPaths: isText ? await pathsOfMoments(connection, data, columns) : new Set<string>(),
    textPaths:
      texts === undefined ? await pathsOfTexts(connection, relation, columns) : new Map<string, string>(),
  };
  const unread = await textNotes(connection, relation, columns, context.momentPaths);
  const fields = columns.map(({ name, type }) => {
    // Of CSV, DuckDB reads moments in other spellings too, which the import does not.
    const isOther = texts !== undefined && momentTypes.has(type.typeId) && !context.momentPaths.has(name);
    return fieldOf(name, isOther ? VARCHAR : type, context);
  });
  const named = fields.filter(({ name }) => name.toLowerCase() !== fileColumn);
  if (named.length < fields.length)
    notes.push(`${fileColumn} is left out: it is a column of the store; rename it in the rows`);
  const stored = withoutSecondPaths(named, notes);
  for (const [path, note] of unread) notes.push(`${/\s/.test(path) ? `\`${path}\`` : path} ${note}`);
  return { fields: stored, notes: groupNotes(notes) };
}

interface LeafOfFile {
  readonly path: string;
  readonly leaf: Leaf;
}

async function leavesOfFiles(
  connection: DuckDBConnection,
  files: readonly string[],
): Promise<readonly LeafOfFile[]> {
  const leaves: LeafOfFile[] = [];
  for (const file of files)
    for (const [path, leaf] of leavesByPath(await readParquetColumns(connection, file)))
      leaves.push({ path, leaf });
  return leaves;
}

/**
 * The rows of JSON as a table: each question about a path would detect the types of all of them again.
 *
 * @throws ProblemError if they are objects without members
 */
async function storeRows(
  connection: DuckDBConnection,
  data: DataRelation,
  given: readonly string[],
): Promise<DataRelation> {
  const only = async (relation: string) => {
    const [first, another] = await columnsOf(connection, relation);
    return another === undefined && first?.name === 'json' ? first.type : undefined;
  };
  let { relation } = data;
  // DuckDB reads rows as maps in a column `json` that have no members, or more than 200 of one type.
  if ((await only(relation))?.typeId === DuckDBTypeId.MAP) {
    relation = relation.replace(/\)$/, ', map_inference_threshold = -1)');
    if ((await only(relation))?.alias === 'JSON') throw fileError(given[0] ?? '', 'has no fields');
  }
  await connection.run(`CREATE TEMP TABLE sampled AS SELECT * FROM ${relation} LIMIT ${sampledRows}`);
  return { ...data, relation: 'sampled' };
}

/** Equal notes as one, with the paths of all its fields: a note begins with the path. */
function groupNotes(notes: readonly string[]): readonly string[] {
  const splitNote = (note: string) => /^(`[^`]*`|\S+) ([\s\S]*)$/.exec(note)?.slice(1) ?? [note, ''];
  const paths = Map.groupBy(notes, (note) => splitNote(note)[1] ?? '');
  return [...paths].map(([rest, own]) => {
    const [first = '', ...others] = own.map((note) => splitNote(note)[0] ?? '');
    const last = others.pop();
    return last === undefined
      ? `${first} ${rest}`
      : `${[first, ...others].join(', ')} and ${last}: each ${rest}`;
  });
}

interface FieldContext {
  readonly path: string;
  /** True for formats without types, in which moments are texts. */
  readonly isText: boolean;
  readonly notes: string[];
  /** Types of Parquet that DuckDB reads as others, by their paths. */
  readonly misreadTypes: ReadonlyMap<string, string>;
  /** Paths of columns of Parquet that have no type in any file: DuckDB reads integers. */
  readonly untypedPaths: ReadonlySet<string>;
  /** Paths of fields that are NULL in all rows. */
  readonly emptyPaths: ReadonlySet<string>;
  /** Paths of fields with integers beyond INT64. */
  readonly widePaths: ReadonlySet<string>;
  /** The types of fields with integers that DuckDB reads as DOUBLE, by their paths. */
  readonly longTypes: ReadonlyMap<string, LongType>;
  /** Paths of texts that are moments. */
  readonly momentPaths: ReadonlySet<string>;
  /** The type that all texts of a path look like, if it is another one. */
  readonly textPaths: ReadonlyMap<string, string>;
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
    context.notes.push(...impossibleNames(element.entryNames));
    const fields = element.entryTypes.map((entry, at) =>
      fieldOf(element.entryNames[at] ?? '', entry, { ...context, path: `${path}.` }),
    );
    return { name, type: 'RECORD', mode, fields };
  }
  return { name, type: scalarType(path, element, context), mode };
}

function scalarType(path: string, type: DuckDBType, context: FieldContext): FieldType {
  const { isText, notes, emptyPaths, untypedPaths, longTypes, misreadTypes } = context;
  const { widePaths, momentPaths, textPaths } = context;
  if (emptyPaths.has(path)) {
    const named = isText ? typeByName.find(([pattern]) => pattern.test(path))?.[1] : undefined;
    const isInteger = type.typeId === INTEGER && !untypedPaths.has(path);
    const found = named ?? (isInteger ? 'INTEGER' : 'STRING');
    notes.push(
      `${path} is ${found}${named ? ', as its name says' : ''}: the rows have no value of it, so write the type that it has`,
    );
    return found;
  }
  const misread = misreadTypes.get(path);
  if (misread !== undefined) {
    notes.push(describeWideDecimal(path, misread).replace(':', ' is BIGNUMERIC, but'));
    return 'BIGNUMERIC';
  }
  if (momentPaths.has(path)) return 'TIMESTAMP';
  if (type.alias === 'JSON') {
    // Parquet has a type for it.
    if (isText)
      notes.push(
        `${path} is JSON, because its rows have values of several types: write STRING if they are texts`,
      );
    return 'JSON';
  }
  const texts = textPaths.get(path);
  if (texts !== undefined) {
    notes.push(
      `${path} is STRING, although all its texts are ${texts}; bq show --schema prints the types of a table of BigQuery`,
    );
    return 'STRING';
  }
  if (widePaths.has(path)) {
    notes.push(`${path} is NUMERIC, because some of its numbers are beyond INT64`);
    return 'NUMERIC';
  }
  const long = longTypes.get(path);
  if (long !== undefined) {
    notes.push(`${path} is ${long.type}, because some of its numbers are beyond ${long.beyond}`);
    return long.type;
  }
  if (type.typeId === DECIMAL && (type.scale > 9 || type.width - type.scale > 29)) {
    notes.push(`${path} is BIGNUMERIC, because NUMERIC does not have all numbers of ${type}`);
    return 'BIGNUMERIC';
  }
  // A text without a zone is UTC, as the import reads it.
  if (type.typeId === TIMESTAMP || type.typeId === TIMESTAMP_NS) return isText ? 'TIMESTAMP' : 'DATETIME';
  const own = typesWithoutName.get(type.typeId);
  if (own === 'INTEGER' && momentName.test(path))
    notes.push(
      `${path} is INTEGER: write TIMESTAMP if it counts seconds, milliseconds or microseconds since 1970, and the SQL reads it as one`,
    );
  if (own === 'JSON') notes.push(`${path} is JSON, because BigQuery has no maps`);
  const name = scalarNames[type.typeId];
  if (own !== undefined) return own;
  if (name !== undefined && name !== 'INTERVAL') return legacyNames[name] ?? name;
  notes.push(`${path} is STRING, because BigQuery stores no ${type}`);
  return 'STRING';
}

const {
  BIGINT,
  DECIMAL,
  ENUM,
  HUGEINT,
  INTEGER,
  MAP,
  UBIGINT,
  UHUGEINT,
  UINTEGER,
  USMALLINT,
  UTINYINT,
  UUID,
} = DuckDBTypeId;
const { TIMESTAMP, TIMESTAMP_NS, TIMESTAMP_TZ, TIME_TZ } = DuckDBTypeId;

/** Types of DuckDB that BigQuery has by another name. */
const typesWithoutName: ReadonlyMap<DuckDBTypeId, FieldType> = new Map([
  ...[UTINYINT, USMALLINT, UINTEGER, UBIGINT, UHUGEINT, HUGEINT].map((id) => [id, 'INTEGER'] as const),
  ...[BIGINT, INTEGER].map((id) => [id, 'INTEGER'] as const),
  ...[UUID, ENUM].map((id) => [id, 'STRING'] as const),
  [TIMESTAMP_TZ, 'TIMESTAMP'],
  [TIME_TZ, 'TIME'],
  [MAP, 'JSON'],
]);

/** The types that names suggest. */
const typeByName: readonly (readonly [pattern: RegExp, type: FieldType])[] = [
  [/(?:^|[._])int(?:eger|64)?(?:_value)?$/i, 'INTEGER'],
  [/(?:^|[._])(?:float|double|numeric)(?:64)?(?:_value)?$/i, 'FLOAT'],
  [/(?:^|[._])bool(?:ean)?(?:_value)?$/i, 'BOOLEAN'],
];

const momentName = /(?:^|[._])(?:timestamp|time|ts|date|created|updated|\w+_(?:at|time|ts|micros|millis))$/i;
