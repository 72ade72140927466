import fc from 'fast-check';
import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { buildCheckDocument } from '../../../../src/http/graphql/check-document.ts';
import { withoutPlainFields } from '../../../../src/http/graphql/document/plain-selections.ts';
import { buildSchema } from '../../../../src/http/graphql/schema/schema.ts';
import { randomCatalog } from '../../../support/random-catalog.ts';
import { randomOperation } from '../../../support/random-operation.ts';

const [catalog] = fc.sample(
  randomCatalog.filter(
    ({ queries }) =>
      queries.length === 3 &&
      queries[0]?.columns.slice(0, 2).every(({ fields }) => fields === undefined) === true,
  ),
  { numRuns: 1, seed: 1 },
);
if (catalog === undefined) throw new Error('no catalog');
const schema = buildSchema(catalog);
const [query] = catalog.queries;
const column = query?.columns[0]?.name ?? '';
const other = query?.columns[1]?.name ?? '__typename';

const remainder = (text: string) => withoutPlainFields(schema, text, parse(text));

describe('what is left without plain fields', () => {
  test.each([
    [
      'other columns',
      `{ logsAll { rows { ${column} } } }`,
      `{ logsAll { rows { x: ${column} __typename } } }`,
    ],
    ['other names', 'query A { logsAll { stale } }', 'query B { logsAll { again: truncated } }'],
  ])('is equal for %s', (_, one, same) => {
    expect(remainder(one)).toBeDefined();
    expect(remainder(same)).toBe(remainder(one));
  });

  test.each([
    ['arguments', '{ logsAll(p: "x") { stale } }', '{ logsAll(q: "x") { stale } }'],
    ['a field that does not exist', '{ logsAll { stale } }', '{ logsAll { stale nope } }'],
    ['directives', '{ logsAll { stale } }', '{ logsAll { stale @nope } }'],
    ['variables', 'query ($p: String) { logsAll { stale } }', '{ logsAll { stale } }'],
    ['a leaf with a selection', '{ logsAll { stale } }', '{ logsAll { stale { x } } }'],
    ['an object without a selection', '{ logsAll { rows { __typename } } }', '{ logsAll { rows } }'],
    ['an argument of a leaf', '{ logsAll { stale } }', '{ logsAll { stale(x: 1) } }'],
  ])('differs by %s', (_, one, different) => {
    expect(remainder(different)).not.toBe(remainder(one));
  });

  test.each([
    ['fragments', 'fragment F on Query { __typename } { ...F }'],
    ['inline fragments', '{ logsAll { ... { stale } } }'],
    ['several operations', 'query A { __typename } query B { __typename }'],
    ['a response key twice', `{ logsAll { rows { a: ${column} a: ${other} } } }`],
  ])('is not looked at if there are %s', (_, text) => {
    expect(remainder(text)).toBeUndefined();
  });
});

test('a check that has seen many documents finds the same errors as one that has seen none', () => {
  const seasoned = buildCheckDocument(schema, true);
  const errorsOf = (check: typeof seasoned, text: string) => {
    try {
      return check(text).errors.map((error) => JSON.stringify(error));
    } catch (error) {
      return [JSON.stringify(error)];
    }
  };
  const broken = fc
    .tuple(
      randomOperation(catalog),
      fc.nat(),
      fc.constantFrom('stale', 'nope', '$yes', '{', '}', 'rows', ':', ' ', '@skip(if: true)'),
    )
    .map(([operation, at, word]) => {
      const words = operation.query.split(' ');
      words.splice(at % words.length, 1, word);
      return words.join(' ');
    });
  const text = fc.oneof(
    broken,
    randomOperation(catalog).map((operation) => operation.query),
  );
  fc.assert(
    fc.property(text, (document) => {
      expect(errorsOf(seasoned, document)).toEqual(errorsOf(buildCheckDocument(schema, true), document));
    }),
    { numRuns: 500 },
  );
});
