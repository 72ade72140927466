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

/** What BigQuery converts without being told to, nearest first. */
const implicitConversions: Readonly<Partial<Record<ScalarName, readonly ScalarName[]>>> = {
  INT64: ['NUMERIC', 'FLOAT64', 'BIGNUMERIC'],
  NUMERIC: ['BIGNUMERIC', 'FLOAT64'],
  BIGNUMERIC: ['FLOAT64'],
  DATE: ['DATETIME'],
};

/** What a string literal or a STRING parameter may stand for. */
const typesOfTextLiterals: readonly ScalarName[] = ['DATE', 'DATETIME', 'TIME', 'TIMESTAMP'];

/** How far a value is from a type: 0 the same, more where it is converted, undefined where it can't be. */
export function distance(from: Sql, to: Type): number | undefined {
  const { type } = from;
  if (type.kind === 'unknown' || to.kind === 'unknown') return 0;
  if (type.kind === 'null') return 1;
  if (type.kind === 'array' && to.kind === 'array') return arrayDistance(from, type.element, to.element);
  if (type.kind === 'struct' && to.kind === 'struct') {
    if (type.fields.length !== to.fields.length) return undefined;
    const steps = type.fields.map((field, index) => {
      const wanted = to.fields[index]?.type;
      return wanted && distance({ ...from, type: field.type }, wanted);
    });
    return steps.every((step) => step !== undefined) ? Math.max(0, ...steps) : undefined;
  }
  if (type.kind !== 'scalar' || to.kind !== 'scalar') return undefined;
  if (type.name === to.name) return 0;
  const step = (implicitConversions[type.name] ?? []).indexOf(to.name);
  if (step >= 0) return step + 1;
  // A FLOAT64 literal is a NUMERIC beside NUMERICs.
  if (from.coercible && type.name === 'FLOAT64' && to.name === 'NUMERIC') return 2.5;
  return type.name === 'STRING' && from.coercible && typesOfTextLiterals.includes(to.name) ? 5 : undefined;
}

/** Arrays are converted only where they are literals. */
function arrayDistance(from: Sql, element: Type, wanted: Type): number | undefined {
  const step = distance({ ...from, type: element }, wanted);
  return from.coercible || element.kind === 'null' || step === 0 ? step : undefined;
}

/** The value as DuckDB text of exactly that type. */
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
  return `CAST(${from.text} AS ${target})`;
}

type Struct = Extract<Type, { kind: 'struct' }>;

/** DuckDB casts structs by the names of their fields, BigQuery by their order. */
function convertStruct(from: Sql, type: Struct, to: Struct): string {
  const values = type.fields.map((field, index) => {
    const wanted = to.fields[index] ?? field;
    const text = `(s).${quote(field.name || anonymousField(index))}`;
    return `${quote(wanted.name || anonymousField(index))} := ${convert({ text, type: field.type }, wanted.type)}`;
  });
  // A lambda, so that the struct is computed once.
  return `list_transform([${from.text}], lambda s: CASE WHEN s IS NOT NULL THEN struct_pack(${values.join(', ')}) END)[1]`;
}

/** The type that values of several branches have together; undefined where there is none. */
export function supertype(values: readonly Sql[]): Type | undefined {
  const known = values.filter(({ type }) => type.kind !== 'null');
  const unknownOne = known.find(({ type }) => type.kind === 'unknown');
  if (unknownOne) return unknownOne.type;
  const [first] = known;
  if (!first) return values[0]?.type;
  const candidate = first.type.kind === 'scalar' ? scalarOver(known) : compoundOver(known);
  return candidate && values.every((value) => distance(value, candidate) !== undefined)
    ? candidate
    : undefined;
}

const scalarOver = (values: readonly Sql[]): Type | undefined =>
  // A literal follows the values around it: '2024-01-01' beside a DATE.
  values
    .toSorted((a, b) => Number(a.coercible ?? false) - Number(b.coercible ?? false))
    .find(({ type }) => values.every((value) => distance(value, type) !== undefined))?.type;

/** Arrays and structs, member by member; fields are named by the first that names them. */
function compoundOver(values: readonly Sql[]): Type | undefined {
  const [first] = values;
  if (first?.type.kind === 'array') {
    const elements = values.map(
      (value) => value.type.kind === 'array' && { ...value, type: value.type.element },
    );
    const element = elements.every((one) => one !== false) ? supertype(elements) : undefined;
    return element && arrayOf(element);
  }
  if (first?.type.kind !== 'struct') return undefined;
  const fields = first.type.fields.map(({ name }, index) => {
    const members = values.map((value) => value.type.kind === 'struct' && value.type.fields[index]);
    const types = members.map((member, at) => member && { ...values[at], type: member.type });
    const type = types.every((one) => one) ? supertype(types as Sql[]) : undefined;
    return type && { name, type };
  });
  return fields.every((field) => field !== undefined) ? structOf(fields) : undefined;
}

export function requireInt(node: Node, { type }: Sql): void {
  if (type.kind !== 'unknown' && type.kind !== 'null' && !isScalar(type, 'INT64'))
    throw new Unsupported(node, `INT64 is wanted here, not ${describeType(type)}`);
}
