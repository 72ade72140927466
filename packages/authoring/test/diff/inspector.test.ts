import { diff } from '@graphql-inspector/core';
import fc from 'fast-check';
import { buildASTSchema, type GraphQLSchema, parse, printSchema } from 'graphql';
import { expect, test } from 'vitest';
import type { Catalog, Column, SavedQuery } from 'querygate';
import { buildSchema, camelCase, graphqlNames, pascalCase } from 'querygate/catalog';
import { analyzed } from '../../../../test/support/engine-host.ts';
import { randomCatalog } from '../../../../test/support/random-catalog.ts';
import type { Parameter } from '../../src/catalog-types.ts';
import type { Change } from '../../src/diff/change.ts';
import { compareCatalogs } from '../../src/diff/compare-catalogs.ts';
import { ruleOf } from '../../src/diff/verdicts.ts';

/** A column, or a field of a record. */
type RecordField = Pick<Column, 'name' | 'type' | 'repeated' | 'required' | 'fields'>;

const plain = (name: string): fc.Arbitrary<Parameter> =>
  fc
    .record({
      type: fc.constantFrom('string', 'date', 'datetime', 'timestamp', 'integer', 'float', 'boolean'),
      repeated: fc.boolean(),
      required: fc.boolean(),
      hasDefault: fc.boolean(),
    })
    .map(({ type, required, repeated, hasDefault }) => ({
      name,
      type,
      required,
      repeated,
      default: required || !hasDefault ? undefined : defaults[type],
      example: undefined,
      description: 'P.',
    }));

const defaults = {
  string: 'a',
  date: '2026-01-31',
  datetime: '2026-01-31T12:00:00',
  timestamp: '2026-01-31',
  integer: '1',
  float: '1.5',
  boolean: 'true',
};

const values = [
  { value: '1hr', name: 'ONE_HOUR', also: ['60min'], description: 'V.' },
  { value: '1hr', name: 'HOUR', also: [], description: 'V.' },
  { value: '1day', name: 'ONE_DAY', also: [], description: 'V.' },
  { value: '7day', name: 'ONE_WEEK', also: ['1week'], description: 'V.' },
  { value: '1week', name: 'ONE_WEEK', also: [], description: 'V.' },
];

/** Each query has an enum of its own: they must be the same for all that share one. */
const enumeration = (id: string): fc.Arbitrary<Parameter> =>
  fc
    .record({
      type: fc.constantFrom('A', 'B'),
      values: fc
        .subarray(values, { minLength: 1 })
        .map((all) =>
          all.filter(
            (one, at) => all.findIndex(({ value, name }) => value === one.value || name === one.name) === at,
          ),
        ),
      unknown: fc.constantFrom('default' as const, 'refuse' as const),
      required: fc.boolean(),
    })
    .map(({ type, values, unknown, required }) => ({
      name: 'interval',
      type: 'enum' as const,
      enum: `Enum${type}${id.slice(-1)}`,
      values,
      required,
      unknown: required ? 'refuse' : unknown,
      default: required ? undefined : values[0]?.value,
      example: undefined,
      description: 'P.',
    }));

const caching = { ttlSeconds: 60, warmingSeconds: undefined, staleIfErrorSeconds: 60 };

/** With row arguments by both marks or by one of them, pages, SQL of callers, and results that can be followed. */
const further = (query: SavedQuery): fc.Arbitrary<SavedQuery> =>
  fc
    .tuple(plain('first_one'), plain('second'), enumeration(query.id))
    .chain((all) =>
      fc.record({
        parameters: fc.subarray(all),
        marks: fc.constantFrom('both', 'filter', 'order'),
        hasPages: fc.boolean(),
        isFollowed: fc.boolean(),
        querySandboxing: fc.constantFrom('enabled' as const, 'disabled' as const),
      }),
    )
    .map(({ parameters, marks, hasPages, isFollowed, querySandboxing }) => ({
      ...{ ...query, parameters, querySandboxing },
      rowArguments: marked(query.columns, query.rowArguments, marks),
      pages: hasPages ? pages : undefined,
      caching: isFollowed ? { ...caching, liveSeconds: 5 } : ('disabled' as const),
    }));

const pages: SavedQuery['pages'] = {
  keys: [{ column: 'a', type: 'integer', isNullable: false, descending: false }],
  body: { start: 0, end: 8 },
};

type RowArguments = SavedQuery['rowArguments'];

/** The marks that the columns can have. */
function marked(columns: SavedQuery['columns'], all: RowArguments, marks = 'both'): RowArguments {
  const markedBy = (key: 'filter' | 'order') =>
    columns.filter(
      ({ name, type, repeated }) =>
        (marks === 'both' || marks === key) &&
        !(repeated || type === 'record' || type === 'json') &&
        all?.[key].some((column) => column.name === name),
    );
  const [filter, order] = [markedBy('filter'), markedBy('order')];
  return filter.length + order.length === 0 ? undefined : { filter, order };
}

const catalog: fc.Arbitrary<Catalog> = randomCatalog.chain(({ queries, tables }) =>
  fc.tuple(...queries.map(further)).map((all) => ({ queries: all, tables })),
);

/** Two versions: of half of them, the second one has only some parts of another one. */
const versions: fc.Arbitrary<readonly [before: Catalog, after: Catalog]> = fc
  .tuple(catalog, catalog, fc.array(fc.nat({ max: 3 }), { minLength: 100, maxLength: 100 }), fc.boolean())
  .map(([before, after, draws, isMixed]) => [before, isMixed ? mix(before, after, draws) : after]);

/** @param draws parts are those of the other version where one of them is 3 */
function mix(before: Catalog, after: Catalog, draws: readonly number[]): Catalog {
  let drawn = 0;
  const isDrawn = () => draws[drawn++ % draws.length] === 3;
  const pick = <T>(old: T, now: T): T => (isDrawn() ? now : old);
  const nextTypes = (one: RecordField) => (isDrawn() ? { ...one, type: next[one.type] ?? one.type } : one);
  const mixFields = (old: readonly RecordField[] = [], now: readonly RecordField[] = []) =>
    pickMembers(old, now, isDrawn, (one, other) => mixTypes(one, other));
  const mixTypes = <T extends RecordField>(old: T, now: T): T => {
    const areRecords = old.fields !== undefined && now.fields !== undefined;
    const { type, fields } = areRecords
      ? { ...old, fields: mixFields(old.fields, now.fields) }
      : nextTypes(pick(old, now));
    const { fields: _, ...rest } = old;
    const [repeated, required] = [pick(old.repeated, now.repeated), pick(old.required, now.required)];
    return { ...rest, type, repeated, required, ...(fields && { fields }) } as T;
  };
  const queries = after.queries.map((now) => {
    const old = before.queries.find(({ id }) => id === now.id);
    if (old === undefined) return now;
    const columns = pickMembers(old.columns, now.columns, isDrawn, mixTypes);
    return {
      ...old,
      columns,
      rowArguments: marked(columns, pick(old.rowArguments, now.rowArguments)),
      parameters: pickMembers(old.parameters, now.parameters, isDrawn, pick),
      pages: pick(old.pages, now.pages),
      caching: pick(old.caching, now.caching),
      querySandboxing: pick(old.querySandboxing, now.querySandboxing),
    };
  });
  return { queries, tables: after.tables };
}

/** Types that are often changed to another one. */
const next: Partial<Record<Column['type'], Column['type']>> = {
  integer: 'float',
  float: 'integer',
  numeric: 'string',
  string: 'timestamp',
  timestamp: 'datetime',
  date: 'timestamp',
};

/** Members come and go where that is drawn; at least one remains of several. */
function pickMembers<T extends { readonly name: string }>(
  old: readonly T[],
  now: readonly T[],
  isDrawn: () => boolean,
  mixMembers: (old: T, now: T) => T,
): T[] {
  const isIn = (all: readonly T[], { name }: T) => all.some((one) => one.name === name);
  const all = [
    ...old.flatMap((one) => {
      const other = now.find(({ name }) => name === one.name);
      if (other !== undefined) return [mixMembers(one, other)];
      return isDrawn() ? [] : [one];
    }),
    ...now.filter((one) => !isIn(old, one) && isDrawn()),
  ];
  return all.length === 0 ? [...old] : all;
}

/** What GraphQL Inspector finds of one query by itself that breaks operations. */
async function breakingIn(before: SavedQuery, after: SavedQuery) {
  const [old, now] = [before, after].map((query) =>
    buildASTSchema(parse(printSchema(buildSchema({ queries: [query], tables: [] })))),
  ) as [GraphQLSchema, GraphQLSchema];
  const changes = await diff(old, now);
  return changes.filter(({ criticality, path }) => criticality.level === 'BREAKING' && path !== undefined);
}

/** Of types that come with the first column or parameter of all queries that needs them, or have such fields. */
const shared =
  /^(?:\w+Comparison|RowOrder|PageInfo|SqlResult|SqlColumn|Date|LocalDateTime|Endpoint\w+\.\w+)$/;

/** True if a change is about a place of the schema. */
function isAbout(
  { kind, path: [section, name = '', ...keys] }: Change,
  place: string,
  query: SavedQuery,
): boolean {
  const [field, type] = [camelCase(query.name), pascalCase(query.name)];
  const [owner = '', member = '', argument] = place.split('.');
  const isColumn = section === 'columns' && camelCase(name) === member;
  const ofColumns = (key: string) =>
    section === 'row_arguments' || (section === 'columns' && (kind === 'column-removed' || keys[0] === key));
  const suffix = owner.startsWith(type) ? owner.slice(type.length) : owner;
  if (owner === 'Subscription' && argument === undefined) return section === 'live';
  if (owner === 'Query' && argument === undefined)
    return section === { [`${field}Sql`]: 'query_sandboxing', [`${field}Connection`]: 'page' }[member];
  if (owner === 'Query' || owner === 'Subscription')
    return section === 'parameters' && camelCase(name) === argument;
  if (owner.startsWith('Enum'))
    return section === 'parameters' && name === 'interval' && (keys[0] === 'values') === (member !== '');
  const key = { Where: 'filter', OrderBy: 'order', where: 'filter', orderBy: 'order' }[argument ?? suffix];
  if (suffix === 'Result') return key === undefined ? section === 'row_arguments' : ofColumns(key);
  if (key !== undefined) return ofColumns(key) && (member === '' || section === 'row_arguments' || isColumn);
  if (suffix === 'Aggregates') return member === '' ? section === 'row_arguments' : ofColumns('aggregates');
  if (['Sums', 'Averages', 'Minimums', 'Maximums'].includes(suffix))
    return (
      (ofColumns('aggregates') || (isColumn && keys[0] === 'type')) &&
      (member === '' || section === 'row_arguments' || isColumn)
    );
  if (['Connection', 'Edge'].includes(suffix)) return section === 'page';
  expect(suffix, place).toMatch(/^Row(?:_|$)/);
  const types = owner.slice(`${type}Row`.length);
  return (
    section === 'columns' && isOfRow(kind, [name, ...keys], member === '' ? types : `${types}_${member}`)
  );
}

/** @param place in the types of rows, as in `_request_path` */
function isOfRow(kind: Change['kind'], path: readonly string[], place: string): boolean {
  const names = path.filter((_, at) => at === 0 || path[at - 1] === 'fields');
  const [column = '', ...fields] = names.flatMap((name) => graphqlNames([{ name }]));
  // Of fields with one name, those after the first have a number.
  const pattern = `^_${column}${fields.map((name) => `_${name}(?:_\\d+)?`).join('')}`;
  const changesWithin = /^(?:column-removed|column-type|column-record|field-renamed)$/.test(kind);
  return (
    /^(?:column|field)-/.test(kind) && new RegExp(`${pattern}(?:${changesWithin ? '_|' : ''}$)`).test(place)
  );
}

const compare = async (before: Catalog, after: Catalog) =>
  (await compareCatalogs({ catalog: analyzed(before), broken: [], tableProblems: [] }, analyzed(after)))
    .endpoints;

test('no comparison of GraphQL schemas finds more than the rules, or something more severe', async () => {
  await fc.assert(
    fc.asyncProperty(versions, async ([before, after]) => {
      for (const { changes } of await compare(before, after)) {
        for (const { kind, graphql, text } of changes)
          expect([kind, text, graphql]).toEqual([kind, text, ruleOf(kind).graphql]);
        expect(changes.map(({ kind }) => kind)).not.toContain('schema-changed');
      }
    }),
    { numRuns: 150 },
  );
}, 120_000);

test('what breaks operations by GraphQL Inspector is a breaking change of the same place', async () => {
  await fc.assert(
    fc.asyncProperty(versions, async ([before, after]) => {
      const endpoints = await compare(before, after);
      for (const now of after.queries) {
        const old = before.queries.find(({ id }) => id === now.id);
        if (old === undefined) continue;
        const { changes = [] } = endpoints.find(({ name }) => name === now.name) ?? {};
        const breaking = changes.filter(({ kind }) => ruleOf(kind).graphql === 'breaking');
        for (const { path = '', message } of await breakingIn(old, now)) {
          if (shared.test(path)) continue;
          const about = breaking.filter((one) => isAbout(one, path, now));
          expect(
            about.map(({ kind }) => kind),
            `${path}: ${message}`,
          ).not.toEqual([]);
        }
        for (const one of changes)
          for (const { path, level, message } of one.schema)
            if (level === 'breaking')
              expect(isAbout(one, path, now), `${one.kind} ${one.path.join('.')}, ${path}: ${message}`).toBe(
                true,
              );
      }
    }),
    { numRuns: 150 },
  );
}, 120_000);

test('a version has no changes to itself, and changes are the same in both directions', async () => {
  await fc.assert(
    fc.asyncProperty(catalog, catalog, async (one, other) => {
      const namesOf = async (a: Catalog, b: Catalog) => (await compare(a, b)).map(({ name }) => name);
      expect(await namesOf(one, structuredClone(one))).toEqual([]);
      expect(await namesOf(one, other)).toEqual(await namesOf(other, one));
    }),
    { numRuns: 50 },
  );
}, 120_000);
