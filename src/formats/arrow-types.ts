import { splitList, splitObject, textOf, type ExactJson, parseExact } from '@querygate/text';
import * as arrow from '@uwdata/flechette';
import { parseTimestamp } from '../files/timestamps.ts';
import { decimalDigits, type ScalarShape, type Shape } from './shape.ts';

/** How values of a shape become Arrow. */
export interface ArrowType {
  /** As the schema names it. */
  readonly type: arrow.DataType;
  /** The type with the same layout that the values are built with: the library takes timestamps in milliseconds only. */
  readonly builtAs: arrow.DataType;
  readonly metadata: Map<string, string> | null;
  /**
   * The value of a JSON text as the library takes it; null for NULL. Only scalars are parsed: JSON keeps its spelling,
   * however deep it is. @throws TypeError if it is not of the shape
   */
  readonly read: (json: string | undefined) => unknown;
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
  const { type, builtAs = type, read } = scalars[kind];
  return { type, builtAs, read: orNull(read), metadata: kind === 'json' ? jsonMetadata : null };
}

const orNull = (read: (json: string) => unknown) => (json: string | undefined) =>
  json === undefined || json === 'null' ? null : read(json);

function listType(element: ArrowType): ArrowType {
  return {
    type: arrow.list(arrow.field('item', element.type, true, element.metadata)),
    builtAs: arrow.list(element.builtAs),
    metadata: null,
    read: orNull((json) => {
      if (!json.startsWith('[')) throw unexpected('a list');
      return splitList(json).map(element.read);
    }),
  };
}

function structType(fields: readonly (ArrowType & { readonly name: string })[]): ArrowType {
  const places = new Map(fields.map(({ name }, at) => [name, at]));
  return {
    type: arrow.struct(fields.map(({ name, type, metadata }) => arrow.field(name, type, true, metadata))),
    builtAs: arrow.struct(fields.map(({ name, builtAs }) => arrow.field(name, builtAs))),
    metadata: null,
    read: orNull((json) => {
      if (!json.startsWith('{')) throw unexpected('an object');
      const members = splitObject(json, places, fields.length);
      // Without a prototype: the library would read a member named `constructor` from it.
      const object = Object.create(null) as Record<string, unknown>;
      for (const [at, { name, read }] of fields.entries()) object[name] = read(members[at]);
      return object;
    }),
  };
}

/** @see https://arrow.apache.org/docs/format/CanonicalExtensions.html#json */
const jsonMetadata = new Map([
  ['ARROW:extension:name', 'arrow.json'],
  ['ARROW:extension:metadata', ''],
]);

interface Scalar extends Pick<ArrowType, 'type'> {
  readonly builtAs?: arrow.DataType;
  /** Of a value that is not NULL. @throws TypeError if it is not of the type */
  readonly read: (json: string) => unknown;
}

const micros = arrow.TimeUnit.MICROSECOND;
const { precision, scale } = decimalDigits;

const scalars: Readonly<Record<ScalarShape, Scalar>> = {
  string: { type: arrow.utf8(), read: (json) => (json.startsWith('"') ? textOf(json) : json) },
  integer: { type: arrow.int64(), read: parsed(toBigInt) },
  float: { type: arrow.float64(), read: parsed(Number) },
  decimal: { type: arrow.decimal128(precision, scale), read: parsed((value) => unscaled(String(value))) },
  boolean: { type: arrow.bool(), read: parsed((value) => value === true) },
  timestamp: {
    type: arrow.timestamp(micros, 'UTC'),
    builtAs: arrow.int64(),
    read: parsed(toBigInt),
  },
  datetime: {
    type: arrow.timestamp(micros, null),
    builtAs: arrow.int64(),
    read: parsed((value) => microsOf(`${value}Z`)),
  },
  date: {
    type: arrow.dateDay(),
    read: parsed((value) => Date.parse(`${value}T00:00:00Z`)),
  },
  time: {
    type: arrow.timeMicrosecond(),
    read: parsed((value) => microsOf(`1970-01-01T${value}Z`)),
  },
  bytes: { type: arrow.binary(), read: parsed((value) => Buffer.from(String(value), 'base64')) },
  json: { type: arrow.utf8(), read: (json) => json },
};

function parsed(convert: (value: ExactJson) => unknown): Scalar['read'] {
  return (json) => convert(parseExact(json));
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
