import { type Decimal, foldName } from '@querygate/text';
import type { AbsentField, Field, FieldType } from './table-schema.ts';

/** The types of BigQuery that have no parts. */
export type ScalarName =
  | 'INT64'
  | 'FLOAT64'
  | 'NUMERIC'
  | 'BIGNUMERIC'
  | 'BOOL'
  | 'STRING'
  | 'BYTES'
  | 'DATE'
  | 'TIME'
  | 'DATETIME'
  | 'TIMESTAMP'
  | 'INTERVAL'
  | 'JSON'
  | CollatedName;

/** A text that is compared without case. It is a type of its own, so that nothing takes it for a STRING. */
export type CollatedName = "STRING COLLATE 'und:ci'";

/** A BigQuery type. `null` is the type of a bare NULL. `unknown` fits everywhere: it never causes an error. */
export type Type =
  | { readonly kind: 'scalar'; readonly name: ScalarName }
  | { readonly kind: 'array'; readonly element: Type }
  | {
      readonly kind: 'struct';
      readonly fields: readonly Column[];
      /** The fields that local data does not have, for messages. */
      readonly absent?: readonly AbsentField[];
    }
  | { readonly kind: 'range'; readonly element: Type }
  | { readonly kind: 'null' }
  | { readonly kind: 'unknown' };

/** The types that a parameter, or an element of a list, can have. */
export const parameterTypes = [
  'STRING',
  'INT64',
  'FLOAT64',
  'NUMERIC',
  'BIGNUMERIC',
  'BOOL',
  'DATE',
  'DATETIME',
  'TIMESTAMP',
] as const satisfies readonly ScalarName[];

/** A type that a parameter can have. */
export type ParameterType = (typeof parameterTypes)[number];

/** The properties of a declared parameter that a query needs to know. */
export interface TypedParameter {
  readonly name: string;
  /** The type as which its value is bound; STRING by default. */
  readonly bind?: ParameterType;
  /** True for a list, which is bound as an ARRAY. */
  readonly repeated?: boolean;
}

/** A table's column or a struct's field. Anonymous fields have the name ''. */
export interface Column {
  readonly name: string;
  readonly type: Type;
}

/** A type that fits everywhere. */
export const unknown: Type = { kind: 'unknown' };
/** The type of a bare NULL. */
export const nullType: Type = { kind: 'null' };
/** A type without parts. */
export const scalar = (name: ScalarName): Type => ({ kind: 'scalar', name });
/** An ARRAY. */
export const arrayOf = (element: Type): Type => ({ kind: 'array', element });
/** A RANGE. */
export const rangeOf = (element: Type): Type => ({ kind: 'range', element });
/** The type of a STRUCT. */
export type StructType = Extract<Type, { kind: 'struct' }>;
/** A STRUCT. */
export const structOf = (fields: readonly Column[]): StructType => ({ kind: 'struct', fields });

/** True if a type is one of these. */
export const isScalar = (type: Type, ...names: readonly ScalarName[]): boolean =>
  type.kind === 'scalar' && names.includes(type.name);

/** The type in BigQuery's syntax, for messages. */
export function describeType(type: Type): string {
  switch (type.kind) {
    case 'scalar':
      return type.name;
    case 'array':
      return `ARRAY<${describeType(type.element)}>`;
    case 'struct':
      return `STRUCT<${type.fields.map((field) => `${field.name} ${describeType(field.type)}`.trim()).join(', ')}>`;
    case 'range':
      return `RANGE<${describeType(type.element)}>`;
    case 'null':
      return 'NULL';
    case 'unknown':
      return 'unknown type';
  }
}

/** The type that a value has for the readers of a query: a NULL that nothing gives a type is INT64. */
export function typedNulls(type: Type): Type {
  switch (type.kind) {
    case 'null':
      return scalar('INT64');
    case 'array':
      return arrayOf(typedNulls(type.element));
    case 'struct':
      return { ...type, fields: type.fields.map((field) => ({ ...field, type: typedNulls(field.type) })) };
    default:
      return type;
  }
}

/** The same type, with STRING for texts that have a collation. */
export function withoutCollation(type: Type): Type {
  switch (type.kind) {
    case 'scalar':
      return isScalar(type, "STRING COLLATE 'und:ci'") ? scalar('STRING') : type;
    case 'array':
      return arrayOf(withoutCollation(type.element));
    case 'struct':
      return {
        ...type,
        fields: type.fields.map((field) => ({ ...field, type: withoutCollation(field.type) })),
      };
    default:
      return type;
  }
}

const duckdbScalars: Readonly<Record<ScalarName, string>> = {
  INT64: 'BIGINT',
  FLOAT64: 'DOUBLE',
  NUMERIC: 'DECIMAL(38,9)',
  BIGNUMERIC: 'BIGNUM',
  BOOL: 'BOOLEAN',
  STRING: 'VARCHAR',
  BYTES: 'BLOB',
  DATE: 'DATE',
  TIME: 'TIME',
  DATETIME: 'TIMESTAMP',
  TIMESTAMP: 'TIMESTAMPTZ',
  INTERVAL: 'INTERVAL',
  JSON: 'JSON',
  "STRING COLLATE 'und:ci'": 'VARCHAR',
};

/** The names of the types that have no parts. */
export const scalarNames = Object.keys(duckdbScalars) as readonly ScalarName[];

/** The DuckDB type that holds values of a BigQuery type; undefined if any part of the type is unknown. */
export function duckdbType(type: Type): string | undefined {
  switch (type.kind) {
    case 'scalar':
      return duckdbScalars[type.name];
    case 'array': {
      const element = duckdbType(type.element);
      return element && `${element}[]`;
    }
    case 'struct': {
      const names = storedFields(type.fields);
      const fields = type.fields.map((field, index) => {
        const fieldType = duckdbType(field.type);
        return fieldType && `${quote(names[index] ?? '')} ${fieldType}`;
      });
      return fields.includes(undefined) ? undefined : `STRUCT(${fields.join(', ')})`;
    }
    case 'range': {
      const element = duckdbType(type.element);
      // An unbounded side is an infinite value.
      return element && `STRUCT("_range_start" ${element}, "_range_end" ${element})`;
    }
    default:
      return undefined;
  }
}

/**
 * DuckDB's names of the fields of a STRUCT. It can't mix named and anonymous fields, nor has two of one name: anonymous ones,
 * and further ones of a name, are named by their position.
 */
export function storedFields(fields: readonly { readonly name: string }[]): readonly string[] {
  const used = new Set(['']);
  return fields.map(({ name }, index) => {
    const isNew = !used.has(foldName(name));
    used.add(foldName(name));
    return isNew ? name : `_field_${index + 1}`;
  });
}

/** A name as DuckDB's SQL quotes it. */
export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const scalarOfField: Readonly<Record<Exclude<FieldType, 'RECORD' | 'STRUCT'>, ScalarName>> = {
  STRING: 'STRING',
  BYTES: 'BYTES',
  INTEGER: 'INT64',
  INT64: 'INT64',
  FLOAT: 'FLOAT64',
  FLOAT64: 'FLOAT64',
  NUMERIC: 'NUMERIC',
  BIGNUMERIC: 'BIGNUMERIC',
  BOOLEAN: 'BOOL',
  BOOL: 'BOOL',
  TIMESTAMP: 'TIMESTAMP',
  DATE: 'DATE',
  TIME: 'TIME',
  DATETIME: 'DATETIME',
  JSON: 'JSON',
};

/** The columns of a table's schema, nested records included. */
export function columnsOf(fields: readonly Field[]): readonly Column[] {
  return fields.map((field) => {
    const single =
      field.type === 'RECORD' || field.type === 'STRUCT'
        ? { ...structOf(columnsOf(field.fields ?? [])), ...(field.absent && { absent: field.absent }) }
        : scalar(scalarOfField[field.type]);
    return { name: field.name, type: field.mode === 'REPEATED' ? arrayOf(single) : single };
  });
}

/** True if two names are the same, as `foldName` says. One is compared with those of all columns: most differ at once. */
export const sameName = (a: string, b: string): boolean =>
  a.length === b.length && a.toLowerCase() === b.toLowerCase() && (a === b || foldName(a) === foldName(b));

/** The type of a parameter by its name, which has no case in SQL. Undeclared ones are STRING. */
export const parameterTypeIn =
  (parameters: readonly TypedParameter[] = []) =>
  (name: string): Type => {
    const { bind = 'STRING', repeated } = parameters.find((one) => sameName(one.name, name)) ?? {};
    return repeated ? arrayOf(scalar(bind)) : scalar(bind);
  };

/** The digits of a NUMERIC. */
export const numericDigits: Decimal = { whole: 29, fraction: 9 };

/**
 * The types that are exact decimals. A BIGNUMERIC of 39 digits before the point is not always one, so it has 38 here.
 *
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/data-types#decimal_types
 */
const decimals: Partial<Record<ParameterType, Decimal>> = {
  NUMERIC: numericDigits,
  BIGNUMERIC: { whole: 38, fraction: 38 },
};

/** The digits of an exact decimal type; undefined for other types. */
export const decimalOf = (bind: ParameterType | undefined): Decimal | undefined => bind && decimals[bind];
