import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LoopTurns, runSteps } from '../../src/concurrency/loop-turns.ts';
import { readRowRequest } from '../../src/http/rest/row-parameters.ts';
import { readRowArguments } from '../../src/http/graphql/schema/rows/row-inputs.ts';
import { EndpointRequest } from '../../src/call/endpoint-request.ts';
import { buildDocument, type ResultDocument } from '../../src/results/result-document.ts';
import { parseSelectedRows } from '../../src/row-arguments/gather-rows.ts';
import { RowTable } from '../../src/row-arguments/row-table.ts';
import { runRowTask, rowTask } from '../../src/row-arguments/row-task.ts';
import { draftQuery } from '../support/queries.ts';
import {
  type RandomCondition,
  type RandomValue,
  randomCondition,
  randomOrder,
  randomValues,
} from '../support/random-row-arguments.ts';
import { runTime } from '../support/run-time.ts';

/** `ROW_TREES=20000` for as many random conditions and orders. */
const treeCount = Number(process.env.ROW_TREES ?? 400);

const treesPerTable = 50;

const types = Object.keys(randomValues) as (keyof typeof randomValues)[];

const sqlTypes: Readonly<Record<string, string>> = {
  string: 'VARCHAR',
  integer: 'BIGINT',
  float: 'DOUBLE',
  numeric: 'DECIMAL(38, 9)',
  boolean: 'BOOLEAN',
  timestamp: 'TIMESTAMPTZ',
  datetime: 'TIMESTAMP',
  date: 'DATE',
  time: 'TIME',
  bytes: 'BLOB',
};

const query = draftQuery({
  columns: {
    ...Object.fromEntries(
      types.map((type) => [type, `{ type: ${type}, description: A., filter: true, order: true }`]),
    ),
    row: 'integer',
    record: '{ type: record, repeated: true, description: A record. }',
  },
  sql: 'select 1',
});

/** Rows with some NULLs, of few values each, so that many are equal. */
const rows = fc.array(
  fc.record(
    Object.fromEntries(
      types.map((type) => [type, fc.option(randomValues[type] as fc.Arbitrary<RandomValue>, { freq: 5 })]),
    ),
  ),
  { maxLength: 60 },
);

const tree = fc.record({
  where: fc.option(randomCondition),
  orderBy: fc.array(randomOrder, { maxLength: 3 }),
  offset: fc.option(fc.integer({ min: 0, max: 5 })),
  first: fc.option(fc.integer({ min: 0, max: 40 })),
});

type Tree = typeof tree extends fc.Arbitrary<infer T> ? T : never;

type Row = Readonly<Record<string, RandomValue | null>>;

let instance: DuckDBInstance;
let connection: DuckDBConnection;

beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  connection = await instance.connect();
  await connection.run(`SET TimeZone = 'UTC'`);
});

afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

/** As engines return rows: columns that are NULL are left out, and NaN and infinities too. */
const jsonRow = (row: Row, at: number): string =>
  `{${types
    .flatMap((type) => {
      const json = row[type]?.json;
      return json === undefined ? [] : [`"${type}":${json}`];
    })
    .concat([`"row":${at}`, `"record":[{"of":${at},"text":"} ] , \\" {"}]`])
    .join(',')}}`;

async function fill(given: readonly Row[]): Promise<void> {
  const columns = types.map((type) => `"${type}" ${sqlTypes[type]}`).join(', ');
  await connection.run(`CREATE OR REPLACE TABLE rows ("row" BIGINT, ${columns})`);
  if (given.length === 0) return;
  const values = given.map((row, at) => `(${[at, ...types.map((type) => sqlOf(row[type]))].join(', ')})`);
  await connection.run(`INSERT INTO rows VALUES ${values.join(', ')}`);
}

const sqlOf = (value: RandomValue | null | undefined): string =>
  value == null || value.json === undefined ? 'NULL' : value.sql;

async function rowsOfDuckDb({ where, orderBy, offset, first }: Tree): Promise<readonly number[]> {
  const order = [...orderBy.map(({ sql }) => sql), '"row"'].join(', ');
  const reader = await connection.runAndReadAll(
    `SELECT "row" FROM rows WHERE ${where?.sql ?? 'true'} ORDER BY ${order} LIMIT ${first ?? 'ALL'} OFFSET ${offset ?? 0}`,
  );
  return reader.getRows().map(([row]) => Number(row));
}

function restParameters({ where, orderBy, offset, first }: Tree): ReadonlyMap<string, readonly string[]> {
  const of = (name: string, text: string | undefined): [string, readonly string[]][] =>
    text === undefined || text === '' ? [] : [[name, [text]]];
  return new Map([
    ...(where === null ? [] : of('and', `(${(where as RandomCondition).rest})`)),
    ...of('order', orderBy.map(({ rest }) => rest).join(',')),
    ...of('offset', offset === null ? undefined : String(offset)),
    ...of('limit', first === null ? undefined : String(first)),
  ]);
}

const selected = (document: ResultDocument, table: RowTable, task: ReturnType<typeof rowTask>) => {
  const outcome = runSteps(runRowTask(task, table, document.encodings.identity));
  const parsed = parseSelectedRows(document, outcome).map(({ row }) => row);
  expect(parsed).toEqual(Array.from(outcome.rows));
  return parsed;
};

test('random conditions and orders give the rows of the same SQL in DuckDB, from GraphQL and from REST', async () => {
  const property = fc.asyncProperty(
    rows,
    fc.array(tree, { minLength: treesPerTable, maxLength: treesPerTable }),
    async (given, trees) => {
      await fill(given as readonly Row[]);
      const texts = (given as readonly Row[]).map(jsonRow);
      const document = await buildDocument({ rows: texts, truncated: false }, runTime(0), new LoopTurns());
      const table = new RowTable();
      for (const one of trees) {
        const { where, orderBy, offset, first } = one;
        const expected = await rowsOfDuckDb(one);
        const ofGraphql = readRowArguments(query, {
          where: (where as RandomCondition | null)?.graphql,
          orderBy: orderBy.map(({ graphql }) => graphql),
          offset,
          first,
        });
        const message = JSON.stringify([one.where?.sql, orderBy, offset, first]);
        expect(selected(document, table, rowTask(query.columns, ofGraphql)), message).toEqual(expected);
        const ofRest = readRowRequest(new EndpointRequest(query, restParameters(one)));
        if (ofRest === undefined) expect(expected).toEqual(given.map((_, at) => at));
        else expect(selected(document, table, ofRest.task), message).toEqual(expected);
      }
    },
  );
  await fc.assert(property, { numRuns: Math.ceil(treeCount / treesPerTable) });
}, 1_200_000);
