import {
  call,
  caseWhen,
  castTo,
  computeFirst,
  list,
  literal,
  nullLiteral,
  operation,
  textLiteral,
  transformList,
} from '../tree/build.ts';
import type { Expression } from '../tree/nodes.ts';
import {
  arrayOf,
  describeType,
  duckdbType,
  isScalar,
  type ScalarName,
  type StructType,
  scalar,
  structOf,
  type Type,
} from '../types.ts';
import { fieldValues, structOfValues } from './struct-value.ts';
import { type Place, Unsupported } from './unsupported.ts';

/** The types to which BigQuery converts implicitly, nearest first. */
const implicitConversions: Readonly<Partial<Record<ScalarName, readonly ScalarName[]>>> = {
  INT64: ['NUMERIC', 'BIGNUMERIC', 'FLOAT64'],
  NUMERIC: ['BIGNUMERIC', 'FLOAT64'],
  BIGNUMERIC: ['FLOAT64'],
  DATE: ['DATETIME'],
  STRING: ["STRING COLLATE 'und:ci'"],
};

/** The types to which BigQuery converts string literals and STRING parameters. */
const typesOfTextLiterals: readonly ScalarName[] = ['DATE', 'DATETIME', 'TIME', 'TIMESTAMP'];

/**
 * True if a value is a literal or a parameter, which BigQuery converts more freely than other values. An array counts
 * if all its elements do.
 */
export function isCoercible(value: Expression): boolean {
  if (value.kind === 'list') return value.items.every(isCoercible);
  if (value.kind === 'parameter') return isScalar(value.type, 'STRING');
  return (
    value.kind === 'literal' && !value.hasFixedType && isScalar(value.type, 'STRING', 'INT64', 'FLOAT64')
  );
}

/** The properties of a value that decide whether it can be converted. */
interface Convertible {
  readonly type: Type;
  readonly coercible: boolean;
  /** The fields of a struct that is constructed here. */
  readonly fields?: readonly Convertible[];
  /** True for a struct of literals. */
  readonly isLiteral?: boolean;
  /** True for NULL and for a literal without the name of a type. */
  readonly isPlain?: boolean;
  /** True for `[]`. */
  readonly isEmpty?: boolean;
}

const convertible = (value: Expression): Convertible => ({
  type: value.type,
  coercible: isCoercible(value),
  isEmpty: value.kind === 'list' && value.items.length === 0,
  isPlain:
    value.type.kind === 'null' ||
    (value.kind === 'literal' && (isCoercible(value) || isScalar(value.type, 'BOOL', 'BYTES'))),
  ...(value.kind === 'struct' && {
    fields: value.fields.map((member) => convertible(member.value)),
    isLiteral: isTypedLiteral(value),
  }),
});

/** The members of a struct; undefined if it is another value. */
const membersOf = ({
  type,
  coercible,
  fields,
  isLiteral = false,
}: Convertible): readonly Convertible[] | undefined =>
  type.kind === 'struct'
    ? (fields ?? type.fields.map((member) => ({ type: member.type, coercible }))).map((member) =>
        withFixedArray(member, isLiteral),
      )
    : undefined;

/** Within a struct, an array is not converted, except for `[]` beside what is not a literal; one without a type has INT64. */
function withFixedArray(member: Convertible, isOfLiteral: boolean): Convertible {
  const { type } = member;
  if (type.kind !== 'array' || (member.isEmpty && !isOfLiteral)) return member;
  return { type: type.element.kind === 'null' ? arrayOf(scalar('INT64')) : type, coercible: false };
}

/** True if a value is a literal with a type in GoogleSQL, or a struct or an array of such literals. */
function isTypedLiteral(value: Expression): boolean {
  if (value.kind === 'list') return value.items.every(isTypedLiteral);
  if (value.kind === 'struct') return value.fields.every((member) => isTypedLiteral(member.value));
  return value.kind === 'literal' && value.value !== null;
}

/** The cost of converting a value to a type implicitly: 0 for the same type, undefined if it is impossible. */
export const distance = (from: Expression, to: Type): number | undefined => stepsTo(convertible(from), to);

function stepsTo(from: Convertible, to: Type): number | undefined {
  const { type, coercible } = from;
  if (type.kind === 'unknown' || to.kind === 'unknown') return 0;
  // Functions list their signature for BIGNUMERIC last, and a NULL chooses the first.
  if (type.kind === 'null') return isScalar(to, 'BIGNUMERIC') ? 1.1 : 1;
  if (type.kind === 'array' && to.kind === 'array') {
    if (describeType(type) === describeType(to)) return 0;
    const element = from.isEmpty ? type.element : withIntegers(type.element);
    const step = stepsTo({ type: element, coercible }, to.element);
    // Only literal arrays are converted, and those of NULL without a type.
    return coercible || step === 0 || type.element.kind === 'null' ? step : undefined;
  }
  if (type.kind === 'struct' && to.kind === 'struct') {
    if (type.fields.length !== to.fields.length) return undefined;
    const steps =
      membersOf(from)?.map((member, index) => {
        const target = to.fields[index]?.type;
        return target && stepsTo(member, target);
      }) ?? [];
    return steps.every((step) => step !== undefined) ? Math.max(0, ...steps) : undefined;
  }
  if (type.kind === 'range' && to.kind === 'range')
    return stepsTo({ type: type.element, coercible: false }, to.element) === 0 ? 0 : undefined;
  if (type.kind !== 'scalar' || to.kind !== 'scalar') return undefined;
  if (type.name === to.name) return 0;
  const step = (implicitConversions[type.name] ?? []).indexOf(to.name);
  if (step >= 0) return step + 1;
  // A FLOAT64 literal becomes NUMERIC in an expression with NUMERIC, but no function is chosen for that.
  if (coercible && type.name === 'FLOAT64' && (to.name === 'NUMERIC' || to.name === 'BIGNUMERIC')) return 20;
  return type.name === 'STRING' && coercible && typesOfTextLiterals.includes(to.name) ? 5 : undefined;
}

/** An array of NULL is one of INT64, also if they are in structs; only `[]` fits all arrays. */
function withIntegers(element: Type): Type {
  if (element.kind === 'null') return scalar('INT64');
  if (element.kind !== 'struct') return element;
  return structOf(element.fields.map((field) => ({ ...field, type: withIntegers(field.type) })));
}

/** The value converted to exactly that type. */
export function convert(from: Expression, to: Type): Expression {
  const target = duckdbType(to);
  const same = duckdbType(from.type) === target && from.type.kind !== 'null';
  if (same || from.type.kind === 'unknown' || target === undefined) return from;
  if (from.kind === 'literal' && from.value === null) return nullLiteral(to);
  if (from.type.kind === 'struct' && to.kind === 'struct') return convertStruct(from, to);
  if (from.type.kind === 'array' && to.kind === 'array') return convertArray(from, from.type.element, to);
  if (from.kind === 'literal' && isScalar(from.type, 'FLOAT64') && isScalar(to, 'NUMERIC'))
    return literal(to, from.value);
  if (isScalar(from.type, 'STRING') && isScalar(to, ...typesOfTextLiterals))
    return call(`bq."cast_${describeType(to).toLowerCase()}(x varchar)"`, [from], to);
  // Its values in DuckDB count units of 10^-38.
  if (isScalar(to, 'BIGNUMERIC')) return bigNumeric(from);
  if (isScalar(from.type, 'BIGNUMERIC')) return call('bq."cast_float64(x bignum)"', [from], to);
  return castTo(from, to);
}

/** A literal is converted by its digits. */
function bigNumeric(from: Expression): Expression {
  const isLiteral = from.kind === 'literal' && from.value !== null;
  const digits = isLiteral ? textLiteral(String(from.value)) : from;
  const source = isLiteral ? 'varchar' : isScalar(from.type, 'INT64') ? 'bigint' : 'decimal(38,9)';
  return call(`bq."cast_bignumeric(x ${source})"`, [digits], scalar('BIGNUMERIC'));
}

function convertArray(from: Expression, element: Type, to: Extract<Type, { kind: 'array' }>): Expression {
  if (from.kind === 'list')
    return list(
      from.items.map((item) => convert(item, to.element)),
      to,
    );
  if (
    element.kind === 'scalar' &&
    to.element.kind === 'scalar' &&
    !isScalar(element, 'STRING', 'BIGNUMERIC') &&
    !isScalar(to.element, 'BIGNUMERIC')
  )
    return castTo(from, to);
  return transformList(from, element, (item) => convert(item, to.element), to);
}

/** DuckDB matches struct fields by name, BigQuery by position. */
function convertStruct(from: Expression, to: StructType): Expression {
  const fieldsOf = (values: readonly Expression[]) =>
    structOfValues(
      values.map((value, index) => convert(value, to.fields[index]?.type ?? value.type)),
      to,
    );
  if (from.kind === 'struct') return fieldsOf(from.fields.map(({ value }) => value));
  if (from.type.kind !== 'struct') return castTo(from, to);
  return computeFirst([from], (value = from) =>
    caseWhen(operation('IS NOT NULL', [value]), fieldsOf(fieldValues(value).map((member) => member.value))),
  );
}

/** The common type of several values; undefined if they have none. */
export const supertype = (values: readonly Expression[]): Type | undefined =>
  commonType(values.map(convertible));

function commonType(values: readonly Convertible[]): Type | undefined {
  const known = values.filter(({ type }) => type.kind !== 'null');
  const unknownOne = known.find(({ type }) => type.kind === 'unknown');
  if (unknownOne) return unknownOne.type;
  const [first] = known;
  if (!first) return values[0]?.type;
  const candidate =
    first.type.kind === 'range'
      ? first.type
      : first.type.kind === 'scalar'
        ? scalarSupertype(known)
        : compoundSupertype(known);
  return candidate && values.every((value) => stepsTo(value, candidate) !== undefined)
    ? candidate
    : undefined;
}

const scalarSupertype = (values: readonly Convertible[]): Type | undefined =>
  // Literals take the type of the other values, such as '2024-01-01' with a DATE.
  values
    .toSorted((a, b) => Number(a.coercible) - Number(b.coercible))
    .find(({ type }) => values.every((value) => stepsTo(value, type) !== undefined))?.type;

/** The supertype of arrays or structs, member by member; fields take the names of the first value. */
function compoundSupertype(values: readonly Convertible[]): Type | undefined {
  const [first] = values;
  if (first?.type.kind === 'array') {
    const elements = values.flatMap(({ type, coercible }) =>
      type.kind === 'array' ? [{ type: type.element, coercible }] : [],
    );
    const element = elements.length === values.length ? commonType(elements) : undefined;
    return element && arrayOf(element);
  }
  if (first?.type.kind !== 'struct') return undefined;
  const all = values.map(membersOf);
  const fields = first.type.fields.flatMap(({ name }, index) => {
    const members = all.flatMap((own) => own?.[index] ?? []);
    const type = members.length === values.length ? commonType(withInteger(members)) : undefined;
    return type ? [{ name, type }] : [];
  });
  return fields.length === first.type.fields.length ? structOf(fields) : undefined;
}

/** Members of which the first is NULL, which is an INT64 in a struct unless one of the others has a type of its own. */
const withInteger = ([first, ...others]: readonly Convertible[]): readonly Convertible[] =>
  first?.type.kind === 'null' && others.every(({ isPlain }) => isPlain)
    ? [{ type: scalar('INT64'), coercible: true }, ...others]
    : [...(first ? [first] : []), ...others];

/** Like `supertype`, but throws Unsupported if the values have no common type. */
export function commonSupertype(place: Place, name: string, args: readonly Expression[]): Type {
  const type = supertype(args);
  if (type) return type;
  throw new Unsupported(
    place,
    `${name} has no common type for (${args.map((arg) => describeType(arg.type)).join(', ')}): CAST one`,
  );
}
