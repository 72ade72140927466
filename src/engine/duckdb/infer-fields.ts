import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import type { Field, FieldType } from '../../catalog/tables/table-schema.ts';
import type { Config } from '../../config.ts';
import { StartError } from '../../errors.ts';
import { globText } from './import/read/source-relation.ts';
import { openDatabase } from './open-database.ts';
import { scalarNames } from './wire/bigquery-type.ts';

/** The columns of a data file, as its first rows show them. */
export interface InferredFields {
  readonly fields: readonly Field[];
  /** What the author should check: types that the rows do not show. */
  readonly notes: readonly string[];
}

/** How many rows are read, however large the file is. */
const sampledRows = 20_000;

const readers: readonly (readonly [pattern: RegExp, source: (path: string) => string, isText: boolean])[] = [
  [
    /\.(?:ndjson|jsonl)(?:\.(?:gz|zst))?$/i,
    (path) =>
      `read_json(${path}, format = 'newline_delimited', sample_size = ${sampledRows}, maximum_depth = -1)`,
    true,
  ],
  [
    /\.json(?:\.(?:gz|zst))?$/i,
    (path) => `read_json(${path}, sample_size = ${sampledRows}, maximum_depth = -1)`,
    true,
  ],
  [
    /\.csv(?:\.(?:gz|zst))?$/i,
    (path) => `read_csv(${path}, header = true, delim = ',', sample_size = ${sampledRows})`,
    true,
  ],
  [/\.parquet$/i, (path) => `read_parquet(${path}, hive_partitioning = false)`, false],
];

/** @throws StartError if the file has no known format, or cannot be read */
export async function inferFields(file: string, config: Config): Promise<InferredFields> {
  const reader = readers.find(([pattern]) => pattern.test(file));
  if (reader === undefined) {
    throw fileError(
      file,
      'must end in .ndjson, .jsonl, .json, .csv (each may be followed by .gz or .zst) or .parquet',
    );
  }
  const [, source, isText] = reader;
  const database = await openDatabase(config);
  try {
    const connection = await database.connect();
    // Only the names and types: rows are read as far as the types need them.
    const statement = await connection.prepare(`SELECT * FROM ${source(globText(file))}`);
    const notes: string[] = [];
    const fields = Array.from({ length: statement.columnCount }, (_, at) =>
      fieldOf(statement.columnName(at), statement.columnType(at), { path: '', isText, notes }),
    );
    statement.destroySync();
    if (fields.length === 0) throw fileError(file, 'has no columns');
    return { fields, notes };
  } catch (error) {
    if (error instanceof StartError) throw error;
    const [message = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw fileError(file, `cannot be read: ${message.replace(/^[\w ]+ Error: /, '')}`);
  } finally {
    database.close();
  }
}

const fileError = (file: string, message: string) =>
  new StartError('The data file cannot be used', [{ file, message }]);

interface FieldContext {
  readonly path: string;
  /** True for formats without types, in which moments are texts. */
  readonly isText: boolean;
  readonly notes: string[];
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

function scalarType(path: string, type: DuckDBType, { isText, notes }: FieldContext): FieldType {
  if (type.alias === 'JSON') {
    notes.push(
      `${path} is JSON, because its rows have values of several types, or none: write STRING if they are texts`,
    );
    return 'JSON';
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
    case DuckDBTypeId.HUGEINT:
    case DuckDBTypeId.UHUGEINT:
    case DuckDBTypeId.UBIGINT:
      notes.push(`${path} is NUMERIC, because its numbers are beyond INT64`);
      return 'NUMERIC';
    case DuckDBTypeId.UTINYINT:
    case DuckDBTypeId.USMALLINT:
    case DuckDBTypeId.UINTEGER:
    case DuckDBTypeId.BIGINT:
    case DuckDBTypeId.INTEGER:
      if (momentName.test(path)) {
        notes.push(
          `${path} is INTEGER: write TIMESTAMP if it counts seconds, milliseconds or microseconds since 1970`,
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

const momentName = /(?:^|[._])(?:timestamp|time|ts|date|created|updated|\w+_(?:at|time|ts|micros|millis))$/i;

/** As `bq show` prints them. */
const legacyNames: Readonly<Record<string, FieldType>> = {
  INT64: 'INTEGER',
  FLOAT64: 'FLOAT',
  BOOL: 'BOOLEAN',
};
