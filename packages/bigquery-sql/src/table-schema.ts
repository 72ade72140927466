/** BigQuery's column types, by the names that `bq show --schema` prints (standard SQL names included). */
export const fieldTypes = [
  'STRING',
  'BYTES',
  'INTEGER',
  'INT64',
  'FLOAT',
  'FLOAT64',
  'NUMERIC',
  'BIGNUMERIC',
  'BOOLEAN',
  'BOOL',
  'TIMESTAMP',
  'DATE',
  'TIME',
  'DATETIME',
  'JSON',
  'RECORD',
  'STRUCT',
] as const;

/** A column type, by one of its names. */
export type FieldType = (typeof fieldTypes)[number];

/** The name that `bq show --schema` prints, by the other name of the same type. */
export const legacyNames: Readonly<Record<string, FieldType>> = {
  INT64: 'INTEGER',
  FLOAT64: 'FLOAT',
  BOOL: 'BOOLEAN',
  STRUCT: 'RECORD',
};

/** BigQuery's column types that no table of the local engine can have. */
export const absentTypes = ['GEOGRAPHY', 'RANGE', 'INTERVAL'] as const;

/** A column or nested field that local data does not have, because of its type. */
export interface AbsentField {
  readonly name: string;
  readonly type: string;
}

/** One column or nested field; only RECORD and STRUCT have `fields`. */
export interface Field {
  readonly name: string;
  readonly type: FieldType;
  readonly mode: 'NULLABLE' | 'REQUIRED' | 'REPEATED';
  readonly description?: string;
  /** The parameters of its type, as in `10, 2`: BigQuery checks them, and nothing is cut here. */
  readonly parameters?: string;
  /** How BigQuery compares a STRING, as in `und:ci`: local data is compared byte for byte. */
  readonly collation?: string;
  readonly fields?: readonly Field[];
  /** The fields of a RECORD that local data does not have, for messages. */
  readonly absent?: readonly AbsentField[];
}

/** A table that saved queries may read: its plain name and its columns. */
export interface TableSchema {
  readonly name: string;
  readonly fields: readonly Field[];
  /** The columns that local data does not have, for messages. */
  readonly absent?: readonly AbsentField[];
}

/** The column that time windows and retention use: the first TIMESTAMP that every row has. */
export const timeColumn = ({ fields }: TableSchema): string | undefined =>
  fields.find(({ type, mode }) => type === 'TIMESTAMP' && mode === 'REQUIRED')?.name;

/** The column of the store that has the number of a row's file: no column of a table may have its name. */
export const fileColumn = '#file';

/** A field of a list, by the names that lead to it. */
type NamedPath = readonly string[];

/** Two fields that a table cannot store both, because a column has the path of its field as its name. */
export interface FieldsOfOnePath {
  /** The place in the list of the field whose own name has the dot, or of the second of one name. */
  readonly at: number;
  readonly path: NamedPath;
  readonly other: NamedPath;
}

type Named = Pick<Field, 'name'> & { readonly fields?: readonly Named[] };

/** Fields of a list that have one path in any letter case, as `a.b` beside `b` in a record `a`: the first of each two fields of the list. */
export function fieldsOfOnePath(fields: readonly Named[]): readonly FieldsOfOnePath[] {
  const known = new Map<string, { readonly at: number; readonly path: NamedPath }>();
  const found = new Map<string, FieldsOfOnePath>();
  for (const [at, field] of fields.entries())
    for (const path of pathsIn(field)) {
      const key = path.join('.').toLowerCase();
      const first = known.get(key);
      if (first === undefined) known.set(key, { at, path });
      else if (first.at !== at && !found.has(`${first.at} ${at}`)) {
        const isDotted = (path[0] ?? '').length < (first.path[0] ?? '').length;
        const [own, other] = isDotted ? [first, { at, path }] : [{ at, path }, first];
        found.set(`${first.at} ${at}`, { ...own, other: other.path });
      }
    }
  return [...found.values()];
}

function* pathsIn({ name, fields = [] }: Named): Generator<NamedPath> {
  yield [name];
  for (const field of fields) for (const path of pathsIn(field)) yield [name, ...path];
}

/** A path as SQL names it. */
export const pathInSql = (path: NamedPath): string => path.map((name) => `\`${name}\``).join('.');
