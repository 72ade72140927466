import fc from 'fast-check';
import { isNullableField } from '../../src/catalog/model/null-values.ts';
import {
  type Catalog,
  type Column,
  columnTypes,
  type PageKey,
  pageKeyTypes,
  type RecordField,
  type SavedQuery,
} from '../../src/catalog/model/saved-query.ts';
import type { ParameterKeyField } from '../../src/catalog/model/entity-keys.ts';
import { camelCase } from '../../src/names/graphql-names.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }).filter((value) => value.isWellFormed()),
  fc.constantFrom('', '"', '\\', '\u2028', '</script>', '__proto__', 'é', '👍'),
);

const iso = (pattern: 'date' | 'datetime') =>
  fc
    .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, pattern === 'date' ? 10 : 19));

/** A cell as the engines write it, as a JavaScript value. */
const cellOf: Readonly<Record<Column['type'], fc.Arbitrary<unknown>>> = {
  string: text,
  integer: fc.oneof(
    { weight: 8, arbitrary: fc.maxSafeInteger() },
    { weight: 8, arbitrary: fc.integer({ min: -9, max: 9 }) },
    // No type of the schema can hold them.
    fc.constantFrom<unknown>(2 ** 53, -(2 ** 63), '9007199254740993'),
  ),
  float: fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer()),
  numeric: fc.constantFrom('0', '1.5', '-99999999999999999999999999999.999999999'),
  boolean: fc.boolean(),
  // From year 1 to 9999: those before 1685 and after 2255 are beyond 2^53.
  timestamp: fc.oneof(
    fc.integer({ min: -62_135_596_800_000_000, max: Number.MAX_SAFE_INTEGER }),
    fc.constantFrom(253_402_300_800_000_000, 9_007_199_254_740_992),
  ),
  datetime: iso('datetime'),
  date: iso('date'),
  time: fc.constantFrom('00:00:00', '23:59:59.999999'),
  bytes: fc.constantFrom('', 'AAECAw=='),
  json: fc.jsonValue({ maxDepth: 2 }).filter((value) => value !== null),
  record: fc.array(fc.dictionary(fc.constantFrom('a', 'b', 'c_d'), fc.jsonValue({ maxDepth: 1 })), {
    maxLength: 3,
  }),
};

const column = (name: string): fc.Arbitrary<Column> =>
  fc
    .record({
      name: fc.constant(name),
      // Half of the columns are records: operations select fields only in these.
      type: fc.oneof(fc.constantFrom(...columnTypes), fc.constant('record' as const)),
      repeated: fc.boolean(),
      required: fc.boolean(),
      unit: fc.constant(undefined),
      description: fc.constant('A column.'),
    })
    .chain((plain) => withFields(plain, 3));

/** Among them names that are no GraphQL names, that become the same one, and that objects of JavaScript have. */
const fieldNames = ['a', 'a_b', 'aB', 'cf-ray', '1x', '__typename', 'constructor', '__proto__', 'é', 'id'];

const recordField = (name: string, levels: number): fc.Arbitrary<RecordField> =>
  fc
    .record({
      name: fc.constant(name),
      type: fc.constantFrom(...columnTypes),
      repeated: fc.boolean(),
      required: fc.boolean(),
    })
    .chain((plain) => withFields(plain, levels));

/** Some records have known fields. */
function withFields<T extends RecordField>(plain: T, levels: number): fc.Arbitrary<T> {
  if (plain.type !== 'record' || levels === 0) return fc.constant(plain);
  const fields = fc
    .subarray(fieldNames, { minLength: 1, maxLength: 5 })
    .chain((names) => fc.tuple(...names.map((name) => recordField(name, levels - 1))));
  return fc
    .option(fields, { nil: undefined, freq: 4 })
    .map((known) => (known === undefined ? plain : { ...plain, fields: known }));
}

const columnNames = [
  ...['a', 'b_c', 'count', 'timestamp', 'x1', 'event_message'],
  ...Array.from({ length: 30 }, (_, at) => `wide_${at}_column`),
];

const savedQuery = (name: string, at: number): fc.Arbitrary<SavedQuery> =>
  fc
    .oneof(
      { weight: 4, arbitrary: fc.subarray(columnNames.slice(0, 6), { minLength: 1 }) },
      fc.subarray(columnNames, { minLength: 1 }),
    )
    .chain((names) =>
      fc.tuple(...names.map(column)).map((columns) => ({
        id: `00000000-0000-4000-8000-00000000000${at}`,
        name,
        aliases: [],
        description: `The query ${name}.`,
        sql: 'select 1',
        source: { file: `${name}.sql`, line: 1 },
        maxRows: 100,
        caching: 'disabled' as const,
        warm: [],
        querySandboxing: 'disabled' as const,
        labels: [],
        parameters: [
          {
            name: 'p',
            type: 'string',
            required: false,
            default: undefined,
            example: undefined,
            description: 'P.',
          },
          {
            name: 'at_least',
            type: 'integer',
            required: false,
            default: '3',
            example: undefined,
            description: 'N.',
          },
          {
            name: 'interval',
            type: 'enum',
            enum: 'Interval',
            unknown: 'default',
            required: false,
            default: '1day',
            example: undefined,
            description: 'I.',
            values: [
              { value: '1day', also: [], name: 'ONE_DAY', description: 'A day.' },
              { value: '1hr', also: ['60min'], name: 'ONE_HOUR', description: 'An hour.' },
            ],
          },
        ] as SavedQuery['parameters'],
        tenant: undefined,
        tenantUnchecked: undefined,
        columns,
      })),
    )
    .chain((query) => {
      const comparable = query.columns.filter(
        ({ type, repeated }) => !repeated && type !== 'record' && type !== 'json',
      );
      const marked = fc.subarray(comparable, { minLength: Math.min(1, comparable.length) });
      const some = fc.record({ filter: marked, order: marked });
      return (comparable.length === 0 ? fc.constant(undefined) : fc.option(some, { nil: undefined })).map(
        (rowArguments) => ({ ...query, rowArguments }),
      );
    });

/** One to three saved queries with columns of any type, and parameters that are the same for all. */
export const randomCatalog: fc.Arbitrary<Catalog> = fc
  .tuple(savedQuery('logs.all', 1), savedQuery('usage.counts', 2), savedQuery('x', 3))
  .chain((queries) => fc.subarray(queries, { minLength: 1 }))
  .map((queries) => ({ queries, tables: [] }));

/** The entity of linked catalogs. */
export const entityName = 'Thing';

/** The same with pages of rows, with queries that are fields of an entity, and with references to it in rows. */
export const linkedCatalog: fc.Arbitrary<Catalog> = fc
  .tuple(randomCatalog, fc.boolean())
  .chain(([{ queries, tables }, hasTwoKeys]) =>
    fc
      .tuple(...queries.map((query) => linkedQuery(withKey(query), hasTwoKeys)))
      .map((linked) => ({ queries: linked, tables })),
  );

/** A query by whose last column its rows can be divided into pages. */
const withKey = (query: SavedQuery): SavedQuery => ({
  ...query,
  columns: [
    ...query.columns,
    {
      name: 'row_number',
      type: 'integer',
      repeated: false,
      required: true,
      unit: undefined,
      description: 'A number.',
    },
  ],
});

function linkedQuery(query: SavedQuery, hasTwoKeys: boolean): fc.Arbitrary<SavedQuery> {
  const single = query.columns.filter(({ repeated }) => !repeated);
  const ofPages = single.flatMap(({ name, type, required }) =>
    pageKeyTypes
      .filter((one) => one === type)
      .map((one): Omit<PageKey, 'descending'> => ({ column: name, type: one, isNullable: !required })),
  );
  const keys = fc
    .subarray(ofPages, { minLength: Math.min(1, ofPages.length) })
    .chain((some) =>
      fc.tuple(...some.map((one) => fc.boolean().map((descending): PageKey => ({ ...one, descending })))),
    );
  const named = single.filter(({ type }) => type === 'string' || type === 'integer');
  const column = named.length === 0 ? fc.constant(undefined) : fc.option(fc.constantFrom(...named));
  return fc
    .record({ keys, isField: fc.boolean(), ofList: column, reference: column })
    .map(({ keys: [first, ...others], isField, ofList, reference }): SavedQuery => {
      const id: ParameterKeyField =
        ofList == null
          ? { name: 'id', type: 'ID', parameter: 'p', column: undefined }
          : { name: 'id', type: 'ID', parameter: 'ids', column: ofList.name };
      const code: ParameterKeyField = { name: 'code', type: 'Int', parameter: 'at_least', column: undefined };
      const field = camelCase(query.name);
      const extension = { entity: entityName, field, keys: hasTwoKeys ? [[id], [code]] : [[id]] };
      const key = { name: 'id', type: 'ID', column: reference?.name ?? '' } as const;
      return {
        ...query,
        parameters: ofList == null ? query.parameters : [...query.parameters, idsParameter],
        ...(first && { pages: { keys: [first, ...others], body: { start: 0, end: query.sql.length } } }),
        federation: {
          extension: isField ? extension : undefined,
          references: reference == null ? [] : [{ field: 'thing', entity: entityName, key: [key] }],
          directives: { shareable: false, inaccessible: false, override: undefined },
        },
      };
    });
}

const idsParameter = {
  name: 'ids',
  type: 'string',
  repeated: true,
  required: false,
  default: undefined,
  example: undefined,
  description: 'Ids.',
} as const;

/** A record as the engines write it: with all of its fields; a foreign one may lack some. */
function recordOf(fields: readonly RecordField[]): fc.Arbitrary<unknown> {
  const members = fields.map((field) => {
    const value = isNullableField(field) ? fc.option(fieldValue(field), { freq: 8 }) : fieldValue(field);
    return fc.tuple(fc.constant(field.name), fc.option(value, { nil: undefined, freq: 12 }));
  });
  return fc.tuple(...members).map((entries) => {
    const record = Object.create(null) as Record<string, unknown>;
    for (const [name, value] of entries) if (value !== undefined) record[name] = value;
    return record;
  });
}

function fieldValue({ type, fields, repeated }: RecordField): fc.Arbitrary<unknown> {
  const one = fields === undefined ? cellOf[type] : recordOf(fields);
  if (!repeated || (type === 'record' && fields === undefined)) return one;
  return fc.array(fc.option(one, { freq: 8 }), { maxLength: 3 });
}

/** Rows of one query as an engine gives them: JSON text, NULL columns left out. */
export function randomRows({ columns }: SavedQuery): fc.Arbitrary<readonly string[]> {
  const cells = columns.map((column) => {
    const { name, type, repeated, required, fields } = column;
    const cell = cellOf[type];
    const plain =
      repeated && type !== 'record' ? fc.array(fc.option(cell, { freq: 8 }), { maxLength: 3 }) : cell;
    const value = fields === undefined ? plain : fieldValue(column);
    // JSON has a null of its own.
    const present = type === 'json' && !repeated ? fc.option(value, { freq: 8 }) : value;
    return fc.tuple(fc.constant(name), required ? present : fc.option(present, { nil: undefined }));
  });
  const row = fc
    .tuple(...cells)
    .map((entries) => JSON.stringify(Object.fromEntries(entries.filter(([, value]) => value !== undefined))));
  return fc.oneof(
    { weight: 5, arbitrary: fc.array(row, { maxLength: 5 }) },
    fc.array(row, { maxLength: 40 }),
  );
}
