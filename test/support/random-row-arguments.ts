import fc from 'fast-check';
import type { Column } from '../../src/catalog/model/saved-query.ts';

type Type = Column['type'];

/** A value as callers write it, as SQL writes it, and as rows have it; undefined in rows for what JSON cannot have. */
export interface RandomValue {
  readonly text: string;
  readonly sql: string;
  readonly json: string | undefined;
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

const ofText =
  (type: string, json = (text: string) => JSON.stringify(text)) =>
  (text: string) => ({
    text,
    sql: `${quoted(text)}::${type}`,
    json: json(text),
  });

const pad = (value: number, length = 2) => String(value).padStart(length, '0');

const dates = fc
  .tuple(
    fc.constantFrom(1, 999, 1583, 1969, 1970, 2026, 9999),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 28 }),
  )
  .map(([year, month, day]) => `${pad(year, 4)}-${pad(month)}-${pad(day)}`);

const fraction = fc.constantFrom('', '.5', '.000001', '.123456', '.1');

const times = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom(0, 30, 59), fc.constantFrom(0, 1, 59), fraction)
  .map(([hour, minute, second, part]) => `${pad(hour)}:${pad(minute)}:${pad(second)}${part}`);

/** Text with what orders differ in: surrogate pairs, other planes, case, composed letters, and what LIKE takes for itself. */
const letters = fc.constantFrom(
  ...['a', 'A', 'b', 'ab', 'é', 'e\u0301', 'ß', 'Z', ' ', '%', '_', '\\', '"', "'", ',', '(', ')', '.', '*'],
  ...['\u{1F44D}', '\uFFFD', '\uE000', '\uD7FF', '\u{10FFFF}', '中', '0', '10', '9', 'null', '\n'],
);

const microsOf = (text: string) =>
  BigInt(Date.parse(`${text.slice(0, 19)}Z`)) * 1000n + BigInt((text.split('.')[1] ?? '').padEnd(6, '0'));

/** Values of each type. */
export const randomValues: Partial<Record<Type, fc.Arbitrary<RandomValue>>> = {
  string: fc
    .array(letters, { maxLength: 4 })
    .map((parts) => parts.join(''))
    .map(ofText('VARCHAR')),
  integer: fc
    .oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(9007199254740991, -9007199254740991, 400, 500))
    .map((value) => ({ text: String(value), sql: `${value}::BIGINT`, json: String(value) })),
  float: fc
    .oneof(
      fc.constantFrom(0, -0, 0.1, -0.5, 1e300, -1e-300, 2, 10),
      fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY),
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -2, max: 2 }),
    )
    .map((value) => ({
      text: String(value),
      sql: `${quoted(Object.is(value, -0) ? '-0.0' : String(value))}::DOUBLE`,
      json: Number.isFinite(value) ? (Object.is(value, -0) ? '-0.0' : String(value)) : undefined,
    })),
  numeric: fc
    .constantFrom(
      '0',
      '0.1',
      '-0.1',
      '1',
      '10',
      '9',
      '99999999999999999999999999999.999999999',
      '-0.000000001',
      '1.5',
    )
    .map(ofText('DECIMAL(38, 9)')),
  boolean: fc.boolean().map((value) => ({ text: String(value), sql: String(value), json: String(value) })),
  timestamp: fc.tuple(dates, times).map(([date, time]) => {
    const text = `${date}T${time}`;
    return {
      text: `${text}Z`,
      sql: `${quoted(`${date} ${time}+00`)}::TIMESTAMPTZ`,
      json: String(microsOf(text)),
    };
  }),
  datetime: fc.tuple(dates, times).map(([date, time]) => ofText('TIMESTAMP')(`${date}T${time}`)),
  date: dates.map(ofText('DATE')),
  time: times.map(ofText('TIME')),
  bytes: fc.array(fc.constantFrom(0, 65, 127, 128, 255), { maxLength: 3 }).map((bytes) => {
    const text = Buffer.from(bytes).toString('base64');
    return { text, sql: `from_base64(${quoted(text)})`, json: JSON.stringify(text) };
  }),
};

/** A condition as GraphQL takes it, as REST does in a tree, and as SQL. */
export interface RandomCondition {
  readonly graphql: Readonly<Record<string, unknown>>;
  readonly rest: string;
  readonly sql: string;
}

const restQuoted = (text: string) => `"${text.replaceAll(/["\\]/g, (one) => `\\${one}`)}"`;

const sqlOperators = { eq: '=', ne: '<>', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const;

const sqlPattern = (text: string) => `${quoted(text)} ESCAPE '\\'`;

/** Finite values only: no caller can write another one. */
const valuesOf = (type: Type) =>
  (randomValues[type] ?? fc.constant({ text: '', sql: '', json: undefined })).filter(
    ({ json }) => json !== undefined,
  );

/** Comparisons of one column of the type, whose name is the type. */
function comparison(type: Type): fc.Arbitrary<RandomCondition> {
  const column = `"${type}"`;
  const plain = fc
    .tuple(fc.constantFrom(...Object.entries(sqlOperators)), valuesOf(type))
    .map(([[name, operator], { text, sql }]) => ({
      graphql: { [type]: { [name]: text } },
      rest: `${type}.${name}.${restQuoted(text)}`,
      sql: `${column} ${operator} ${sql}`,
    }));
  const isNull = fc.boolean().map((is) => ({
    graphql: { [type]: { isNull: is } },
    rest: `${type}.is.${is ? 'null' : 'not_null'}`,
    sql: `${column} IS ${is ? '' : 'NOT '}NULL`,
  }));
  const list = fc.array(valuesOf(type), { maxLength: 4 }).map((values) => ({
    graphql: { [type]: { in: values.map(({ text }) => text) } },
    rest: `${type}.in.(${values.map(({ text }) => restQuoted(text)).join(',')})`,
    sql: values.length === 0 ? 'false' : `${column} IN (${values.map(({ sql }) => sql).join(', ')})`,
  }));
  if (type !== 'string') return fc.oneof({ weight: 3, arbitrary: plain }, isNull, list);
  const like = fc
    .array(
      fc.oneof(
        fc.constantFrom('%', '_', '\\%', '\\_', '\\\\'),
        letters.filter((one) => one !== '\\'),
      ),
      {
        maxLength: 5,
      },
    )
    .map((parts) => parts.join(''))
    .map((pattern) => ({
      graphql: { string: { like: pattern } },
      // An asterisk would be a percent sign there.
      rest: `string.like.${restQuoted(pattern.replaceAll('*', '\\*'))}`,
      sql: `"string" LIKE ${sqlPattern(pattern)}`,
    }));
  return fc.oneof({ weight: 3, arbitrary: plain }, isNull, list, { weight: 2, arbitrary: like });
}

/** Trees of conditions. */
export const randomCondition: fc.Arbitrary<RandomCondition> = fc.letrec<{ tree: RandomCondition }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(...(Object.keys(randomValues) as Type[])).chain(comparison),
    fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('tree'), { minLength: 1, maxLength: 3 }))
      .map(([kind, members]) => ({
        graphql: { [kind]: members.map(({ graphql }) => graphql) },
        rest: `${kind}(${members.map(({ rest }) => rest).join(',')})`,
        sql: `(${members.map(({ sql }) => `(${sql})`).join(` ${kind} `)})`,
      })),
    tie('tree').map(({ graphql, rest, sql }) => ({
      graphql: { not: graphql },
      rest: `not.${rest}`,
      sql: `NOT (${sql})`,
    })),
  ),
})).tree;

export interface RandomOrder {
  readonly graphql: Readonly<Record<string, string>>;
  readonly rest: string;
  readonly sql: string;
}

/** Keys with the places of NULL that BigQuery gives them, or others. */
export const randomOrder: fc.Arbitrary<RandomOrder> = fc
  .tuple(fc.constantFrom(...Object.keys(randomValues)), fc.boolean(), fc.constantFrom(undefined, true, false))
  .map(([type, descending, nullsFirst]) => {
    const direction = descending ? 'desc' : 'asc';
    const first = nullsFirst ?? !descending;
    const isUsual = first === !descending;
    return {
      graphql: {
        [type]: `${direction.toUpperCase()}${isUsual ? '' : `_NULLS_${first ? 'FIRST' : 'LAST'}`}`,
      },
      rest: `${type}.${direction}${nullsFirst === undefined ? '' : `.nulls${first ? 'first' : 'last'}`}`,
      sql: `"${type}" ${direction} NULLS ${first ? 'FIRST' : 'LAST'}`,
    };
  });
