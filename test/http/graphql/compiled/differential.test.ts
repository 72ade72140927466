import fc from 'fast-check';
import { execute, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import type { Catalog } from '../../../../src/catalog/saved-query.ts';
import { ColumnTexts } from '../../../../src/http/graphql/compiled/column-texts.ts';
import { prepareOperation } from '../../../../src/http/graphql/compiled/prepare-operation.ts';
import { queryOutputs } from '../../../../src/http/graphql/compiled/query-outputs.ts';
import { buildSchema } from '../../../../src/http/graphql/schema/schema.ts';
import type { CachedResult, CacheStatus } from '../../../../src/results/get-result.ts';
import { buildDocument } from '../../../../src/results/result-document.ts';
import { randomCatalog, randomRows } from '../../../support/random-catalog.ts';
import { type Operation, randomOperation } from '../../../support/random-operation.ts';

const statuses: readonly CacheStatus[] = ['HIT', 'STALE', 'MISS', 'BYPASS'];

const scenario = randomCatalog.chain((catalog) =>
  fc.record({
    catalog: fc.constant(catalog),
    rows: fc.tuple(...catalog.queries.map(randomRows)),
    operations: fc.array(randomOperation(catalog), { minLength: 20, maxLength: 20 }),
    cost: fc.option(fc.record({ bytesProcessed: fc.nat(), slotMs: fc.constant(undefined) }), {
      nil: undefined,
    }),
    status: fc.constantFrom(...statuses),
  }),
);

async function resultsOf(
  catalog: Catalog,
  rows: readonly (readonly string[])[],
  cost: unknown,
  status: CacheStatus,
) {
  const results = new Map<string, CachedResult>();
  for (const [at, query] of catalog.queries.entries()) {
    const document = await buildDocument(
      { rows: rows[at] ?? [], truncated: at === 1, ...(cost === undefined ? {} : { cost: cost as never }) },
      1_773_146_096_789,
    );
    results.set(query.id, { document, caching: query.caching, cacheStatus: status });
  }
  return results;
}

test('a compiled selection writes what the executor writes, byte for byte', async () => {
  let compiled = 0;
  const property = fc.asyncProperty(scenario, async ({ catalog, rows, operations, cost, status }) => {
    const schema = buildSchema(catalog);
    const outputs = queryOutputs(schema, catalog);
    const results = await resultsOf(catalog, rows, cost, status);
    const resultFor = (id: string) => results.get(id) as CachedResult;
    const columns = new Map([...results].map(([id, { document }]) => [id, new ColumnTexts(document)]));

    const reference = async ({ query, variables }: Operation) => {
      const asked: unknown[] = [];
      const result = await execute({
        schema,
        document: parse(query),
        variableValues: variables,
        contextValue: {
          principal: undefined,
          spend() {},
          chargeResponseBytes() {},
          answer: async (saved: { id: string }, raw: ReadonlyMap<string, unknown>) => {
            asked.push([saved.id, ...raw]);
            return resultFor(saved.id);
          },
        },
      });
      return { text: JSON.stringify(result), asked };
    };
    for (const operation of operations) {
      const document = parse(operation.query);
      if (validate(schema, document).length > 0) continue;
      const members = prepareOperation({ schema, outputs }, document, undefined)?.bind(operation.variables);
      const expected = await reference(operation);
      if (members === undefined) {
        expect(expected.text).toContain('"errors"');
        continue;
      }
      compiled += 1;
      const data = members.map((member) => {
        const start = `${JSON.stringify(member.responseKey)}:`;
        if ('text' in member) return start + member.text;
        const { id } = member.query;
        return start + member.writer.write(resultFor(id), columns.get(id) as ColumnTexts);
      });
      expect(`{"data":{${data.join(',')}}}`).toBe(expected.text);
      const bound = members.flatMap((member) =>
        'query' in member ? [[member.query.id, ...member.raw]] : [],
      );
      expect(bound).toEqual(expected.asked);
    }
  });
  await fc.assert(property, { numRuns: Number(process.env.DIFFERENTIAL_RUNS ?? 25) });
  expect(compiled).toBeGreaterThan(100);
}, 600_000);
