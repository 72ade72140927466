import type { Field } from '@querygate/bigquery-sql/table-schema';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildAnalyze } from '../../src/catalog-analysis/analyze-catalog.ts';
import { bind, plainParameters } from '../../src/catalog/binding/bind.ts';
import { bindTenants } from '../../src/catalog/binding/bind-tenant.ts';
import { loadCatalog } from '../../src/catalog/folder/load-catalog.ts';
import { cacheKey, parseCacheKey } from '../../src/results/cache-key.ts';
import { draftQuery } from '../support/queries.ts';

describe('a cache key', () => {
  const { queries } = loadCatalog('queries');
  const drafts = [
    draftQuery({
      name: 'a',
      columns: { x: 'string' },
      parameters: { p: 'string', q: 'string' },
      sql: 'select @p as x where @q = @q',
    }),
    draftQuery({
      name: 'b',
      columns: { x: 'string' },
      parameters: { q: 'string', p: 'string' },
      sql: 'select @p as x where @q = @q',
    }),
    draftQuery({ name: 'c', columns: { x: 'string' }, parameters: { p: 'string' }, sql: 'select @p as x' }),
    draftQuery({ name: 'd', columns: { x: 'string' }, sql: "select '' as x" }),
    draftQuery({
      name: 'e',
      columns: { x: 'string' },
      parameters: {
        p: "{ type: string, repeated: true, default: ['a'], description: P. }",
        q: 'string',
      },
      sql: 'select @p[0] as x where @q = @q',
    }),
  ];
  const catalog = { queries: [...queries, ...drafts], tables: [] };
  const nasty = fc.constantFrom(
    '',
    '"',
    '","',
    '\\',
    '\\"',
    '[',
    ']',
    '],["',
    'null',
    'a","b',
    "'",
    '\u2028',
    'a',
    'b',
  );
  const text = fc
    .oneof(
      nasty,
      fc.tuple(nasty, nasty).map((parts) => parts.join('')),
      fc.string({ unit: 'grapheme', maxLength: 4 }),
    )
    .filter((value) => !value.includes('\0'));
  const boundQuery = fc
    .tuple(fc.constantFrom(...drafts), text, text, fc.array(text.filter((item) => item !== '')))
    .map(([query, p, q, list]) => {
      const isList = query.parameters.some(({ repeated }) => repeated);
      return bind(query, plainParameters({ p: isList ? list : p, q, undeclared: `${p}${q}` }));
    });

  const effective = ({ query, parameters }: ReturnType<typeof bind>) =>
    [query.id, query.parameters.map(({ name }) => [name, parameters[name]])] as const;

  test('is equal exactly when the effective parameters of the same query are', () => {
    fc.assert(
      fc.property(boundQuery, boundQuery, (one, other) => {
        const isSame = JSON.stringify(effective(one)) === JSON.stringify(effective(other));
        expect(cacheKey(one) === cacheKey(other)).toBe(isSame);
      }),
      { numRuns: 5_000 },
    );
  });

  test('can be parsed to its bound query, and no other text can', () => {
    fc.assert(
      fc.property(boundQuery, text, (bound, more) => {
        const key = cacheKey(bound);
        expect(parseCacheKey(catalog, key)).toEqual(bound);
        if (more !== '') expect(parseCacheKey(catalog, `${key}${more}`)).toBeUndefined();
      }),
    );
  });

  test.each([
    ['an object whose text is not a text', '{"toString":1,"valueOf":1}'],
    ['lists in lists', `${'['.repeat(7_000)}${']'.repeat(7_000)}`],
  ])('whose value is %s is not one', (_, value) => {
    const bound = bind(drafts[0] as (typeof drafts)[number], plainParameters({ p: 'mark', q: 'b' }));
    const key = cacheKey(bound);
    expect(parseCacheKey({ queries: drafts, tables: [] }, key)).toEqual(bound);
    expect(parseCacheKey({ queries: drafts, tables: [] }, key.replace('"mark"', value))).toBeUndefined();
  });

  test('of a tenant contains what is executed, and can be parsed to that', () => {
    const usage = queries.find(({ tenant }) => tenant?.pattern !== undefined);
    if (usage === undefined) throw new Error('no shipped query has a tenant_pattern');
    const raw = (project: string) => plainParameters({ project, interval: 'daily' });
    fc.assert(
      fc.property(
        text.filter((project) => project !== ''),
        (project) => {
          const bound = bindTenants(usage, raw(project), [project]);
          const executed = bound.parameters.project ?? '';
          expect(executed).toMatch(/^\^https\?:/);
          expect(cacheKey(bound)).toBe(cacheKey(bind(usage, raw(String(executed)))));
          expect(parseCacheKey(catalog, cacheKey(bound))).toEqual(bound);
        },
      ),
    );
  });
});

test('a key changes with the schema of a table that the query reads, and with no other', () => {
  const field = (type: 'STRING' | 'TIMESTAMP', description: string) => [
    { name: 'day', type, mode: 'NULLABLE' as const, description },
  ];
  const analyze = buildAnalyze();
  const keys = (own: Field[], other: Field[], sql = "SELECT FORMAT('%T', day) AS x FROM Events") => {
    const tables = [
      { name: 'events', fields: own },
      { name: 'others', fields: other },
    ];
    const { queries } = analyze({ queries: [draftQuery({ columns: { x: 'string' }, sql })], tables });
    return queries.map((query) => cacheKey(bind(query, plainParameters({}))));
  };
  const [text, time] = [field('STRING', 'A day.'), field('TIMESTAMP', 'A day.')];
  expect(keys(text, text)).toEqual(keys(field('STRING', 'Another text.'), time));
  expect(keys(text, text)).not.toEqual(keys(time, text));
  for (const all of [
    'SELECT day AS x FROM `other*`',
    'SELECT table_name AS x FROM INFORMATION_SCHEMA.COLUMNS',
  ])
    expect(keys(text, text, all)).not.toEqual(keys(text, time, all));
});
