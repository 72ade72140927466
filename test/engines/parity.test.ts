import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BoundValues } from '../../src/catalog/binding/bind.ts';
import { exampleParameters } from '../../src/catalog/binding/example-parameters.ts';
import { camelCase } from '../../src/names/graphql-names.ts';
import type { Column, SavedQuery } from '../../src/catalog/model/saved-query.ts';
import { loadAnalyzed } from '../../src/catalog-analysis/load-analyzed.ts';
import { skipsEmulator } from '../support/bigquery-emulator.ts';
import { isNightly } from '../support/nightly.ts';
import { openOnEmulator, queriesAt } from '../support/on-engines.ts';
import { randomRows } from '../support/random-rows.ts';
import { selectColumns } from '../support/select-fields.ts';
import { now, openTestApp, type Rows, type TestApp } from '../support/test-app.ts';

type Row = Record<string, unknown>;

/** The example parameters, varied by every value of every enum, by day by its ends. */
function parameterSets(query: SavedQuery): readonly BoundValues[] {
  const example = exampleParameters(query);
  const varied = query.parameters.flatMap((parameter) =>
    parameter.type === 'enum'
      ? parameter.values.map(({ value }) => ({ ...example, [parameter.name]: value }))
      : [],
  );
  if (varied.length === 0) return [example];
  return isNightly ? varied : varied.filter((_, at) => at === 0 || at === varied.length - 1);
}

/** Approximate by definition: they may differ by a tenth. */
const isQuantile = ({ name }: Column) => /^p\d+_/.test(name);

/** Rows must be equal, except for quantiles and the last digit of floats. */
function expectSame(ours: readonly Row[], theirs: readonly Row[], columns: readonly Column[]): void {
  expect(ours.length).toBe(theirs.length);
  for (const [at, row] of ours.entries()) {
    const other = theirs[at] ?? {};
    for (const column of columns) {
      const [a, b] = [row[column.name], other[column.name]];
      if (typeof a !== 'number' || typeof b !== 'number' || column.type !== 'float') expect(a).toEqual(b);
      else expect(Math.abs(a - b)).toBeLessThanOrEqual(Math.abs(b) * (isQuantile(column) ? 0.1 : 1e-12));
    }
  }
}

/** The rows of a folder's NDJSON files, so that both engines get the same ones. */
function readRows(folder: string): Rows {
  return Object.fromEntries(
    readdirSync(folder)
      .filter((file) => file.endsWith('.ndjson'))
      .map((file) => [
        basename(file, '.ndjson'),
        readFileSync(join(folder, file), 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as object),
      ]),
  );
}

describe.skipIf(skipsEmulator)('both engines over the same files', () => {
  const { queries, tables } = loadAnalyzed('queries');
  const project = queries
    .flatMap(({ parameters }) => parameters)
    .find(({ name }) => name === 'project')?.example;
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  const atNow = queriesAt(now);
  let duckdb: TestApp;
  let bigquery: TestApp;
  beforeAll(async () => {
    for (const [table, rows] of Object.entries(randomRows(tables, String(project ?? 'p'), now))) {
      writeFileSync(join(folder, `${table}.ndjson`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    }
    duckdb = await openTestApp({}, { DATA_DIR: folder, QUERIES_DIR: atNow });
    bigquery = await openOnEmulator(readRows(folder));
  });
  afterAll(async () => {
    await duckdb?.close();
    await bigquery?.close();
    rmSync(folder, { recursive: true });
    rmSync(atNow, { recursive: true });
  });

  const cases = queries.flatMap((query) =>
    parameterSets(query).map((parameters) => [query, parameters] as const),
  );

  test.each(cases.map(([query, parameters]) => [query.name, parameters, query] as const))(
    '%s with %j gives the same rows by REST and by GraphQL',
    async (name, parameters, query) => {
      const [ours, theirs] = await Promise.all([duckdb, bigquery].map((app) => app.rows(name, parameters)));
      expectSame(theirs ?? [], ours ?? [], query.columns);
      expect(Object.keys(theirs?.[0] ?? {}).sort()).toEqual(Object.keys(ours?.[0] ?? {}).sort());

      const operation = graphqlOperation(query, parameters);
      const [one, other] = await Promise.all(
        [duckdb, bigquery].map(async (app) => {
          const data = (await app.data(operation)) as Record<string, { rows: Row[] }>;
          return data[camelCase(name)]?.rows.map((row) => inColumns(query, row)) ?? [];
        }),
      );
      expectSame(other ?? [], one ?? [], query.columns);
    },
  );

  test('the example parameters find rows', async () => {
    for (const query of queries) {
      const found = await Promise.all(parameterSets(query).map((one) => bigquery.rows(query.name, one)));
      expect(found.flat().length, query.name).toBeGreaterThan(0);
    }
  });
});

/** A GraphQL row under the column names of the SQL. */
function inColumns({ columns }: SavedQuery, row: Row): Row {
  return Object.fromEntries(columns.map(({ name }) => [name, row[camelCase(name)]]));
}

function graphqlOperation(query: SavedQuery, parameters: BoundValues): string {
  const args = query.parameters
    .filter(({ name }) => parameters[name] !== '')
    .map((parameter) => {
      const value = parameters[parameter.name] ?? '';
      const found = parameter.type === 'enum' && parameter.values.find((one) => one.value === value);
      const isBare = ['integer', 'float', 'boolean'].includes(parameter.type);
      return `${camelCase(parameter.name)}: ${found ? found.name : isBare ? value : JSON.stringify(value)}`;
    });
  const argumentList = args.length === 0 ? '' : `(${args.join(', ')})`;
  return `{ ${camelCase(query.name)}${argumentList} { rows { ${selectColumns(query.columns)} } } }`;
}
