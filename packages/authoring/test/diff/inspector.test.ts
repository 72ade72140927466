import { analyzed } from '../../../../test/support/engine-host.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Catalog } from 'querygate';
import type { Parameter } from '../../src/catalog-types.ts';
import { compareCatalogs } from '../../src/diff/compare-catalogs.ts';
import { ruleOf } from '../../src/diff/verdicts.ts';
import { randomCatalog } from '../../../../test/support/random-catalog.ts';

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
const enumeration = (at: number): fc.Arbitrary<Parameter> =>
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
      enum: `Enum${type}${at}`,
      values,
      required,
      unknown: required ? 'refuse' : unknown,
      default: required ? undefined : values[0]?.value,
      example: undefined,
      description: 'P.',
    }));

const catalog: fc.Arbitrary<Catalog> = randomCatalog.chain(({ queries, tables }) =>
  fc
    .tuple(
      ...queries.map((query, at) =>
        fc
          .tuple(
            plain('first_one'),
            plain('second'),
            enumeration(at),
            fc.constantFrom('enabled' as const, 'disabled' as const),
          )
          .chain(([first, second, third, querySandboxing]) =>
            fc
              .subarray([first, second, third])
              .map((parameters) => ({ ...query, parameters, querySandboxing })),
          ),
      ),
    )
    .map((all) => ({ queries: all, tables })),
);

test('no comparison of GraphQL schemas finds more than the rules, or something more severe', async () => {
  await fc.assert(
    fc.asyncProperty(catalog, catalog, async (before, after) => {
      const { endpoints } = await compareCatalogs(
        { catalog: analyzed(before), broken: [], tableProblems: [] },
        analyzed(after),
      );
      for (const { changes } of endpoints)
        for (const { kind, graphql, text } of changes)
          expect([kind, text, graphql]).toEqual([kind, text, ruleOf(kind).graphql]);
      for (const { changes } of endpoints)
        expect(changes.map(({ kind }) => kind)).not.toContain('schema-changed');
    }),
    { numRuns: 150 },
  );
}, 120_000);

test('a version has no changes to itself, and changes are the same in both directions', async () => {
  await fc.assert(
    fc.asyncProperty(catalog, catalog, async (one, other) => {
      const namesOf = async (a: Catalog, b: Catalog) =>
        (
          await compareCatalogs({ catalog: analyzed(a), broken: [], tableProblems: [] }, analyzed(b))
        ).endpoints.map(({ name }) => name);
      expect(await namesOf(one, structuredClone(one))).toEqual([]);
      expect(await namesOf(one, other)).toEqual(await namesOf(other, one));
    }),
    { numRuns: 50 },
  );
}, 120_000);
