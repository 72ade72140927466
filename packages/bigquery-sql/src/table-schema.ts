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
