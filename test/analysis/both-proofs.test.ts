import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { randomQuery } from '../../packages/bigquery-sql/test/passes/random-queries.ts';
import { tables as harnessTables } from '../../packages/bigquery-sql/test/harness.ts';
import { type Choose, chooseBy } from '../../packages/bigquery-sql/test/passes/random-queries.ts';
import { mutationsOf } from '../../src/author/mutate/mutations.ts';
import { loadCatalog } from '../../src/catalog/folder/load-catalog.ts';
import type { SavedQuery } from '../../src/catalog/model/saved-query.ts';
import { draftQuery } from '../support/queries.ts';
import { randomCatalog } from '../support/random-catalog.ts';
import { compareProofs, compared } from './both-proofs.ts';
import { queryCount, randomTenantQuery, forms, tenantTables } from './random-tenant-queries.ts';

afterAll(() => console.log('compared', JSON.stringify(compared)));

const report = (title: string) => console.log(title, JSON.stringify(compared));

/** The shipped queries, and those of the isolation test over the same tables. */
const { tables } = loadCatalog('queries');
const all = ['queries', 'test/isolation/queries'].flatMap((folder) =>
  loadCatalog(folder).queries.map((query) => ({ name: query.name, query, tables })),
);

test.each(all)('$name, and all of its mutations', ({ name, query, tables }) => {
  compareProofs(query, tables);
  compareProofs({ ...query, querySandboxing: 'enabled' }, tables);
  for (const { sql } of mutationsOf(query.sql)) {
    compareProofs({ ...query, sql }, tables);
    compareProofs({ ...query, sql, querySandboxing: 'enabled' }, tables);
  }
  report(name);
});

test('random catalogs', () => {
  fc.assert(
    fc.property(randomCatalog, ({ queries, tables }) => {
      for (const query of queries) compareProofs(query, tables);
    }),
  );
});

const tape = fc.array(fc.nat(1000), { minLength: 10, maxLength: 150, size: 'max' });
const tenantQuery = (sql: string, parameter: string, repeated: boolean): SavedQuery => ({
  ...draftQuery({
    columns: { x: 'string' },
    parameters: { [parameter]: `{ type: string, repeated: ${repeated}, description: T. }` },
    sql: 'select x from t where x in unnest(@p)',
  }),
  sql,
  tenant: { parameter, pattern: undefined },
});

describe.each(forms)('random queries with a tenant: $name', (form) => {
  test('have the same verdict', () => {
    fc.assert(
      fc.property(tape, (numbers) => {
        const query = tenantQuery(randomTenantQuery(chooseBy(numbers), form), 'p', form.isList);
        compareProofs(query, tenantTables);
        if (query.sql.startsWith('with '))
          compareProofs({ ...query, querySandboxing: 'enabled' }, tenantTables);
      }),
      { numRuns: queryCount },
    );
    report(form.name);
  }, 600_000);
});

test('random queries over records', () => {
  const filtered = (choose: Choose) =>
    randomQuery(choose).replace(
      /\bFROM logs AS (\w+)/i,
      'FROM (SELECT * FROM logs WHERE project = @p) AS $1',
    );
  fc.assert(
    fc.property(tape, fc.boolean(), (numbers, isFiltered) => {
      const choose = chooseBy(numbers);
      compareProofs(
        tenantQuery(isFiltered ? filtered(choose) : randomQuery(choose), 'p', false),
        harnessTables,
      );
    }),
    { numRuns: queryCount },
  );
  report('records');
  expect(compared.refused).toBeGreaterThan(0);
}, 600_000);
