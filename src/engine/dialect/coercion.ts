import type { Node } from 'sql-parser-cst';
import type { Sql } from './scope.ts';
import {
  anonymousField,
  arrayOf,
  describeType,
  duckdbType,
  isScalar,
  quote,
  type ScalarName,
  structOf,
  type Type,
} from './types.ts';
import { Unsupported } from './unsupported.ts';

/** The types to which BigQuery converts implicitly, nearest first. */
const implicitConversions: Readonly<Partial<Record<ScalarName, readonly ScalarName[]>>> = {
  INT64: ['NUMERIC', 'FLOAT64', 'BIGNUMERIC'],
  NUMERIC: ['BIGNUMERIC', 'FLOAT64'],
  BIGNUMERIC: ['FLOAT64'],
  DATE: ['DATETIME'],
};

/** The types to which BigQuery converts string literals and STRING parameters. */
const typesOfTextLiterals: readonly ScalarName[] = ['DATE', 'DATETIME', 'TIME', 'TIMESTAMP'];

/** The cost of converting a value to a type implicitly: 0 for the same type, undefined if it is impossible. */
export function distance(from: Sql, to: Type): number | undefined {
  const { type } = from;
  if (type.kind === 'unknown' || to.kind === 'unknown') return 0;
  if (type.kind === 'null') return 1;
  if (type.kind === 'array' && to.kind === 'array') return arrayDistance(from, type.element, to.element);
  if (type.kind === 'struct' && to.kind === 'struct') {
    if (type.fields.length !== to.fields.length) return undefined;
    const steps = type.fields.map((field, index) => {
      const target = to.fields[index]?.type;
      return target && distance({ ...from, type: field.type }, target);
    });
    return steps.every((step) => step !== undefined) ? Math.max(0, ...steps) : undefined;
  }
  if (type.kind !== 'scalar' || to.kind !== 'scalar') return undefined;
  if (type.name === to.name) return 0;
  const step = (implicitConversions[type.name] ?? []).indexOf(to.name);
  if (step >= 0) return step + 1;
  // A FLOAT64 literal becomes NUMERIC in an expression with NUMERIC.
  if (from.coercible && type.name === 'FLOAT64' && to.name === 'NUMERIC') return 2.5;
  return type.name === 'STRING' && from.coercible && typesOfTextLiterals.includes(to.name) ? 5 : undefined;
}

/** Only literal arrays are converted. */
function arrayDistance(from: Sql, element: Type, target: Type): number | undefined {
  const step = distance({ ...from, type: element }, target);
  return from.coercible || element.kind === 'null' || step === 0 ? step : undefined;
}

/** The DuckDB text of the value converted to exactly that type. */
export function convert(from: Sql, to: Type): string {
  const target = duckdbType(to);
  const same = duckdbType(from.type) === target && from.type.kind !== 'null';
  if (same || from.type.kind === 'unknown' || target === undefined) return from.text;
  if (from.type.kind === 'struct' && to.kind === 'struct') return convertStruct(from, from.type, to);
  if (from.type.kind === 'array' && to.kind === 'array' && from.type.element.kind === 'struct') {
    const element = convert({ text: 'e', type: from.type.element }, to.element);
    return `list_transform(${from.text}, lambda e: ${element})`;
  }
  if (isScalar(from.type, 'STRING') && isScalar(to, ...typesOfTextLiterals))
    return `bq."cast_${describeType(to).toLowerCase()}(x varchar)"(${from.text})`;
  // Its DuckDB values count units of 10^-38.
  if (isScalar(to, 'BIGNUMERIC')) return `bq.cast_bignumeric(${from.text})`;
  if (isScalar(from.type, 'BIGNUMERIC')) return `bq."cast_float64(x bignum)"(${from.text})`;
  return `CAST(${from.text} AS ${target})`;
}

type Struct = Extract<Type, { kind: 'struct' }>;

/** DuckDB matches struct fields by name, BigQuery by position. */
function convertStruct(from: Sql, type: Struct, to: Struct): string {
  const values = type.fields.map((field, index) => {
    const target = to.fields[index] ?? field;
    const text = `(s).${quote(field.name || anonymousField(index))}`;
    return `${quote(target.name || anonymousField(index))} := ${convert({ text, type: field.type }, target.type)}`;
  });
  // The lambda makes DuckDB compute the struct once.
  return `list_transform([${from.text}], lambda s: CASE WHEN s IS NOT NULL THEN struct_pack(${values.join(', ')}) END)[1]`;
}

/** The common type of several values; undefined if they have none. */
export function supertype(values: readonly Sql[]): Type | undefined {
  const known = values.filter(({ type }) => type.kind !== 'null');
  const unknownOne = known.find(({ type }) => type.kind === 'unknown');
  if (unknownOne) return unknownOne.type;
  const [first] = known;
  if (!first) return values[0]?.type;
  const candidate = first.type.kind === 'scalar' ? scalarSupertype(known) : compoundSupertype(known);
  return candidate && values.every((value) => distance(value, candidate) !== undefined)
    ? candidate
    : undefined;
}

const scalarSupertype = (values: readonly Sql[]): Type | undefined =>
  // Literals take the type of the other values, such as '2024-01-01' with a DATE.
  values
    .toSorted((a, b) => Number(a.coercible ?? false) - Number(b.coercible ?? false))
    .find(({ type }) => values.every((value) => distance(value, type) !== undefined))?.type;

/** The supertype of arrays or structs, member by member; fields take the names of the first value. */
function compoundSupertype(values: readonly Sql[]): Type | undefined {
  const [first] = values;
  if (first?.type.kind === 'array') {
    const elements = values.map(
      (value) => value.type.kind === 'array' && { ...value, type: value.type.element },
    );
    const element = elements.every((candidate) => candidate !== false) ? supertype(elements) : undefined;
    return element && arrayOf(element);
  }
  if (first?.type.kind !== 'struct') return undefined;
  const fields = first.type.fields.map(({ name }, index) => {
    const members = values.map((value) => value.type.kind === 'struct' && value.type.fields[index]);
    const types = members.map((member, at) => member && { ...values[at], type: member.type });
    const type = types.every((candidate) => candidate) ? supertype(types as Sql[]) : undefined;
    return type && { name, type };
  });
  return fields.every((field) => field !== undefined) ? structOf(fields) : undefined;
}

/** Like `supertype`, but throws Unsupported if the values have no common type. */
export function commonSupertype(node: Node, name: string, args: readonly Sql[]): Type {
  const type = supertype(args);
  if (type) return type;
  throw new Unsupported(
    node,
    `${name} has no common type for (${args.map((arg) => describeType(arg.type)).join(', ')})`,
  );
}
