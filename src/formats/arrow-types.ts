import * as arrow from '@uwdata/flechette';
import { parseTimestamp } from '../files/timestamps.ts';
import { type ExactJson, exactText, isList } from './exact-json.ts';
import { decimalDigits, type ScalarShape, type Shape } from './shape.ts';

/** How values of a shape become Arrow. */
export interface ArrowType {
  /** As the schema names it. */
  readonly type: arrow.DataType;
  /** The type with the same layout that the values are built with: the library takes timestamps in milliseconds only. */
  readonly builtAs: arrow.DataType;
  readonly metadata: Map<string, string> | null;
  /** The value as the library takes it. @throws TypeError if it is not of the shape */
  readonly toArrow: (value: ExactJson) => unknown;
}

export function arrowType(shape: Shape): ArrowType {
  switch (shape.kind) {
    case 'list':
      return listType(arrowType(shape.element));
    case 'struct':
      return structType(shape.fields.map(({ name, shape: inner }) => ({ name, ...arrowType(inner) })));
    default:
      return scalarType(shape.kind);
  }
}

function scalarType(kind: ScalarShape): ArrowType {
  const { type, builtAs = type, toArrow } = scalars[kind];
  return { type, builtAs, toArrow, metadata: kind === 'json' ? jsonMetadata : null };
}

function listType(element: ArrowType): ArrowType {
  return {
    type: arrow.list(arrow.field('item', element.type, true, element.metadata)),
    builtAs: arrow.list(element.builtAs),
    metadata: null,
    toArrow(value) {
      if (value === null) return null;
      if (!isList(value)) throw unexpected('a list');
      return value.map(element.toArrow);
    },
  };
}

function structType(fields: readonly (ArrowType & { readonly name: string })[]): ArrowType {
  return {
    type: arrow.struct(fields.map(({ name, type, metadata }) => arrow.field(name, type, true, metadata))),
    builtAs: arrow.struct(fields.map(({ name, builtAs }) => arrow.field(name, builtAs))),
    metadata: null,
    toArrow(value) {
      if (value === null) return null;
      if (typeof value !== 'object' || isList(value)) throw unexpected('an object');
      // Without a prototype: the library would read a member named `constructor` from it.
      const object = Object.create(null) as Record<string, unknown>;
      for (const { name, toArrow } of fields) {
        object[name] = Object.hasOwn(value, name) ? toArrow(value[name] ?? null) : null;
      }
      return object;
    },
  };
}

/** @see https://arrow.apache.org/docs/format/CanonicalExtensions.html#json */
const jsonMetadata = new Map([
  ['ARROW:extension:name', 'arrow.json'],
  ['ARROW:extension:metadata', ''],
]);

type Scalar = Pick<ArrowType, 'type' | 'toArrow'> & { readonly builtAs?: arrow.DataType };

const micros = arrow.TimeUnit.MICROSECOND;
const { precision, scale } = decimalDigits;

const scalars: Readonly<Record<ScalarShape, Scalar>> = {
  string: { type: arrow.utf8(), toArrow: orNull(String) },
  integer: { type: arrow.int64(), toArrow: orNull(toBigInt) },
  float: { type: arrow.float64(), toArrow: orNull(Number) },
  decimal: { type: arrow.decimal128(precision, scale), toArrow: orNull((value) => unscaled(String(value))) },
  boolean: { type: arrow.bool(), toArrow: orNull((value) => value === true) },
  timestamp: {
    type: arrow.timestamp(micros, 'UTC'),
    builtAs: arrow.int64(),
    toArrow: orNull(toBigInt),
  },
  datetime: {
    type: arrow.timestamp(micros, null),
    builtAs: arrow.int64(),
    toArrow: orNull((value) => microsOf(`${value}Z`)),
  },
  date: {
    type: arrow.dateDay(),
    toArrow: orNull((value) => Date.parse(`${value}T00:00:00Z`)),
  },
  time: {
    type: arrow.timeMicrosecond(),
    toArrow: orNull((value) => microsOf(`1970-01-01T${value}Z`)),
  },
  bytes: { type: arrow.binary(), toArrow: orNull((value) => Buffer.from(String(value), 'base64')) },
  json: { type: arrow.utf8(), toArrow: orNull(exactText) },
};

function orNull<T>(convert: (value: Exclude<ExactJson, null>) => T) {
  return (value: ExactJson): T | null => (value === null ? null : convert(value));
}

function toBigInt(value: ExactJson): bigint {
  if (typeof value === 'bigint') return value;
  // As in 1e3. In the rows of a caller's SQL, integers beyond 2^53 are text.
  if (typeof value === 'number' || typeof value === 'string') return BigInt(value);
  throw unexpected('an integer');
}

/** The digits of a NUMERIC as an integer, with all places behind the point. */
function unscaled(numeral: string): bigint {
  const [whole = '', fraction = ''] = numeral.split('.');
  return BigInt(whole + fraction.padEnd(scale, '0'));
}

/** @param text ISO 8601 in UTC */
function microsOf(text: string): bigint {
  const canonical = parseTimestamp(text);
  if (canonical === undefined) throw unexpected('a date and a time');
  const seconds = Date.parse(`${canonical.slice(0, 19)}Z`) / 1000;
  return BigInt(seconds) * 1_000_000n + BigInt(canonical.slice(20, 26));
}

const unexpected = (expected: string) => new TypeError(`a cell that is not ${expected}`);
