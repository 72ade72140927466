import {
  type DuckDBConnection,
  DuckDBListValue,
  DuckDBTimestampTZValue,
  type DuckDBType,
  type DuckDBValue,
  type Json,
} from '@duckdb/node-api';
import { expect } from 'vitest';
import { type Compiled, compile } from '../src/compile.ts';
import { shreddedColumns, storedColumns } from '../src/duckdb/layout/shredded-columns.ts';
import { describeSource } from '../src/duckdb/layout/stored-value.ts';
import {
  boundRelation,
  customPlan,
  genericPlan,
  type Plan,
  type PlannedColumn,
  printPlan,
} from '../src/duckdb/plan.ts';
import { parseMicros, type RunValues } from '../src/passes/constants/time-values.ts';
import { duckdbText } from '../src/passes/duckdb-text.ts';
import { passes, runPasses } from '../src/passes/passes.ts';
import { shareTables } from '../src/passes/share-tables.ts';
import { type Problem, ProblemError } from '../src/problem.ts';
import { readStored, schemaTables } from '../src/rules/from/table-relations.ts';
import type { TableSchema } from '../src/table-schema.ts';
import { freshNames } from '../src/tree/fresh-names.ts';
import type { Query } from '../src/tree/nodes.ts';
import type { StoredTable } from '../src/tree/stored-table.ts';
import { quote } from '../src/types.ts';
import { createTable, openDialectDatabase } from './support/dialect-database.ts';

/** The value of CURRENT_TIMESTAMP() in the tests. */
const now = '2024-03-10 12:34:56.789123+00';

const nullable = { mode: 'NULLABLE' } as const;

export const tables: readonly TableSchema[] = [
  {
    name: 'logs',
    fields: [
      { name: 'id', type: 'INT64', ...nullable },
      { name: 'timestamp', type: 'TIMESTAMP', ...nullable },
      { name: 'project', type: 'STRING', ...nullable },
      {
        name: 'metadata',
        type: 'RECORD',
        mode: 'REPEATED',
        fields: [
          { name: 'level', type: 'STRING', ...nullable },
          {
            name: 'request',
            type: 'RECORD',
            mode: 'REPEATED',
            fields: [
              { name: 'path', type: 'STRING', ...nullable },
              { name: 'status', type: 'INT64', ...nullable },
            ],
          },
        ],
      },
      { name: 'tags', type: 'STRING', mode: 'REPEATED' },
    ],
  },
  {
    name: 'events',
    fields: [
      { name: 'id', type: 'INT64', mode: 'REQUIRED' },
      { name: 'happened', type: 'TIMESTAMP', mode: 'REQUIRED' },
      {
        name: 'detail',
        type: 'RECORD',
        ...nullable,
        fields: [
          { name: 'kind', type: 'STRING', mode: 'REQUIRED' },
          {
            name: 'source',
            type: 'RECORD',
            mode: 'REPEATED',
            fields: [
              { name: 'host', type: 'STRING', ...nullable },
              { name: 'ports', type: 'INT64', mode: 'REPEATED' },
            ],
          },
        ],
      },
    ],
  },
  {
    name: 'projects',
    fields: [
      { name: 'project', type: 'STRING', ...nullable },
      { name: 'tier', type: 'STRING', ...nullable },
    ],
  },
];

const rows = [
  `INSERT INTO logs VALUES
    (1, '2024-03-10 12:00:00+00', 'a', [{level: 'info', request: [{path: '/rest', status: 200}, {path: '/auth', status: 500}]}], ['x', 'y']),
    (2, '2024-03-10 11:59:59.5+00', 'a', [{level: 'error', request: []}], []),
    (3, '2024-03-09 23:59:59.999999+00', 'b', [], ['z']),
    (4, NULL, NULL, NULL, NULL)`,
  `INSERT INTO events VALUES
    (1, '2024-03-10 12:00:00+00', {kind: 'a', source: [{host: 'x', ports: [80, 443]}]}),
    (2, '2024-03-10 12:00:01+00', {kind: 'b', source: []}),
    (3, '2024-03-10 12:00:01+00', NULL),
    (4, '2024-03-10 12:00:02+00', {kind: 'c', source: [{host: NULL, ports: []}]})`,
  "INSERT INTO projects VALUES ('a', 'PRO'), ('c', 'FREE')",
];

/** Records with several elements in the rows above: they stay lists, while the others are shredded. */
const repeated = new Set(['metadata.request']);

const runOf = (values: Readonly<Record<string, DuckDBValue>>): RunValues => ({
  now: parseMicros(now) ?? 0n,
  parameter: (name) => String(values[name] ?? ''),
});

/** A TIMESTAMP, or an array of them, in the form of a time expression's value. */
const micros = (value: DuckDBValue): unknown => {
  if (value instanceof DuckDBTimestampTZValue) return value.micros;
  return value instanceof DuckDBListValue ? value.items.map(micros) : value;
};

/** A database with the macros and the tables above in every form of storage, which runs BigQuery SQL. */
export async function openDialect(moreRows: readonly string[] = []) {
  const { connection, close } = await openDialectDatabase();
  for (const table of tables) await connection.run(createTable(table));
  for (const row of [...rows, ...moreRows]) await connection.run(row);
  const shredded: StoredTable[] = [];
  for (const table of tables) shredded.push(await shredTable(connection, table));

  const run = async (
    sql: string,
    values: Readonly<Record<string, DuckDBValue>>,
    types: Readonly<Record<string, DuckDBType>> = {},
  ) => {
    const prepared = await connection.prepare(sql);
    const names = Array.from({ length: prepared.parameterCount }, (_, at) => prepared.parameterName(at + 1));
    const typed = Object.entries(types).filter(([name]) => names.includes(name));
    prepared.bind(
      Object.fromEntries(names.map((name) => [name, values[name] ?? null])),
      Object.fromEntries(typed),
    );
    return prepared.runAndReadAll();
  };
  const answer = async (plan: Plan, values: Readonly<Record<string, DuckDBValue>>, prefix = '') => {
    const known = { ...values };
    const types: Record<string, DuckDBType> = {};
    const row = Object.keys(values).map((name) => `CAST($${name} AS ${boundType(name)}) AS ${quote(name)}`);
    const bound = `(SELECT ${row.join(', ')}) AS ${boundRelation}`;
    for (const { name, sql, timeExpression } of plan.constants) {
      const computed = await run(`SELECT ${sql} FROM ${bound}`, known, types);
      const value = computed.getRows()[0]?.[0] ?? null;
      const expected = timeExpression?.(runOf(values));
      if (expected !== undefined) expect(expected, sql).toEqual(micros(value));
      known[name] = value;
      types[name] = computed.columnType(0);
    }
    for (const { name, plan: limit } of plan.inSteps?.limits ?? []) {
      const computed = await run(limit.sql, known, types);
      known[name] = computed.getRows()[0]?.[0] ?? null;
      types[name] = computed.columnType(0);
    }
    const { sql } = plan.inSteps?.last ?? plan;
    return (await run(prefix + sql, known, types)).getRowsJson();
  };

  return {
    /**
     * The rows of a query; checks that they are the same for every form of storage, without any pass, with all of them,
     * and with each left out.
     */
    async query(sql: string, parameters: Readonly<Record<string, string>> = {}): Promise<Json[][]> {
      const source = { file: 'test.sql', line: 1 };
      const values = { current_timestamp: now, ...parameters };
      const declared = compile({ sql, source }, tables);
      const stored = compileStored(sql, shredded);
      const first = (await run(duckdbText(declared.query), values)).getRowsJson();
      const answered = new Set<string>();
      const expectSame = async (plan: Plan, name: string) => {
        const text = textOf(plan);
        if (answered.has(text)) return;
        answered.add(text);
        expect(await answer(plan, values), `${name}: ${plan.sql}`).toEqual(first);
      };
      await expectSame(planOf(declared), 'declared');
      await expectSame({ sql: duckdbText(stored.query), constants: [] }, 'no pass');
      for (const known of [{}, parameters]) {
        await expectSame(planOf(stored, known), 'every pass');
        for (const name of Object.keys(passes))
          await expectSame(planOf(stored, known, name), `without ${name}`);
        if (Object.keys(parameters).length === 0) break;
      }
      return first;
    },
    /** DuckDB's plan of a query over shredded tables after all passes, or all but one. */
    async explain(
      sql: string,
      parameters: Readonly<Record<string, string>> = {},
      without?: string,
    ): Promise<DuckdbPlan> {
      const stored = compileStored(sql, shredded);
      const plan = planOf(stored, parameters, without);
      const values = { current_timestamp: now, ...parameters };
      const [[, text] = []] = await answer(plan, values, 'EXPLAIN (FORMAT json) ');
      return { text: plan.sql, operators: operatorsOf(JSON.parse(String(text))) };
    },
    /**
     * What each plan of a saved query returns: first the generic one over tables as they are declared, then those over
     * shredded tables, with all passes and with each left out.
     *
     * @throws if the query cannot be compiled
     */
    async savedQuery(
      sql: string,
      parameters: Readonly<Record<string, string>>,
    ): Promise<readonly { readonly plan: string; readonly sql: string; readonly rows: unknown }[]> {
      const source = { file: 'test.sql', line: 1 };
      const values = { current_timestamp: now, ...parameters };
      const declared = compile({ sql, source }, tables);
      const stored = compileStored(sql, shredded);
      const answers = new Map<string, Promise<unknown>>();
      const answerOnce = (plan: Plan) => {
        const text = textOf(plan);
        const known = answers.get(text) ?? answer(plan, values).catch((error: unknown) => String(error));
        answers.set(text, known);
        return known;
      };
      const outcome = async (name: string, plan: Plan) => ({
        plan: name,
        sql: plan.sql,
        rows: await answerOnce(plan),
      });
      const generic = ({ query, columns }: Compiled): Plan => ({
        sql: genericPlan(query, plannedColumns(columns), maxRows),
        constants: [],
      });
      const custom = (known: Readonly<Record<string, string>>, without?: string): Plan => {
        const left = new Set(without === undefined ? [] : [without]);
        return customPlan(stored.query, plannedColumns(stored.columns), maxRows, known, left);
      };
      const outcomes = [
        await outcome('declared', generic(declared)),
        await outcome('generic', generic(stored)),
        await outcome('custom', inOne(custom({}))),
        await outcome('custom in steps', custom({})),
        await outcome('custom for known values', custom(parameters)),
      ];
      for (const name of Object.keys(passes))
        outcomes.push(await outcome(`custom without ${name}`, custom({}, name)));
      return outcomes;
    },
    /**
     * The rows of a query, and its rows where common tables with these names are computed before it; undefined if none of
     * them can be. An error in such a table is thrown: it may be of rows that the query does not select.
     */
    async shared(
      sql: string,
      names: readonly string[],
      parameters: Readonly<Record<string, string>> = {},
    ): Promise<readonly [inlined: unknown, shared: unknown] | undefined> {
      const stored = compileStored(sql, shredded);
      const relationOf = (at: number) => quote(`materialized ${at}`);
      const sharing = shareTables(stored.query, names, relationOf);
      if (sharing === undefined) return undefined;
      for (const [at, { query, parameters: own }] of sharing.tables.entries()) {
        const values = [...own].map(([name, original]) => [name, parameters[original] ?? ''] as const);
        const create = `CREATE OR REPLACE TABLE ${relationOf(at)} AS `;
        await answer(planOf({ query }), { current_timestamp: now, ...Object.fromEntries(values) }, create);
      }
      const values = { current_timestamp: now, ...parameters };
      const rowsOf = (query: Query) =>
        answer(customPlan(query, plannedColumns(stored.columns), maxRows, {}), values).catch(String);
      return [await rowsOf(stored.query), await rowsOf(sharing.query)];
    },
    close,
  };
}

const inOne = ({ sql, constants }: Plan): Plan => ({ sql, constants });

/** All that DuckDB gets of a plan. Most passes leave a query as it is: plans with the same text need to run only once. */
const textOf = ({ sql, constants, inSteps }: Plan): string =>
  JSON.stringify([
    sql,
    inSteps,
    constants.map(({ name, sql, timeExpression }) => [name, sql, timeExpression !== undefined]),
  ]);

/** A query as DuckDB plans it. */
export interface DuckdbPlan {
  /** The query in DuckDB's SQL. */
  readonly text: string;
  readonly operators: readonly { readonly name: string; readonly info: Readonly<Record<string, unknown>> }[];
}

interface PlanNode {
  readonly name: string;
  readonly extra_info: Readonly<Record<string, unknown>>;
  readonly children: readonly PlanNode[];
}

const operatorsOf = (nodes: readonly PlanNode[]): DuckdbPlan['operators'] =>
  nodes.flatMap(({ name, extra_info, children }) => [
    { name: name.trim(), info: extra_info },
    ...operatorsOf(children),
  ]);

const maxRows = 1000;

const plannedColumns = (columns: Compiled['columns']): readonly PlannedColumn[] =>
  columns.map(({ column, type }) => ({ name: column, type, select: (value) => value }));

const boundType = (name: string) => (name === 'current_timestamp' ? 'TIMESTAMPTZ' : 'VARCHAR');

/** The plan of a query after all passes, or all but one. */
export const planOf = (
  { query }: Pick<Compiled, 'query'>,
  known: Readonly<Record<string, string>> = {},
  without?: string,
): Plan => {
  const options = { known, fresh: freshNames(query) };
  return printPlan(runPasses(query, options, new Set(without === undefined ? [] : [without])));
};

/** Creates a copy of a table with its records shredded as far as possible. */
async function shredTable(connection: DuckDBConnection, table: TableSchema): Promise<StoredTable> {
  const relation = quote(`${table.name} shredded`);
  const columns = storedColumns(table, repeated);
  const shredded = shreddedColumns(table, columns);
  const sourceColumns = await describeSource(connection, quote(table.name));
  const list = shredded.map(({ name, value }) => `${value(sourceColumns)} AS ${quote(name)}`);
  await connection.run(
    `CREATE TABLE ${relation} AS SELECT ${list.join(', ')} FROM ${quote(table.name)} AS r`,
  );
  return { ...table, relation, columns };
}

/** As the gateway prepares saved queries: compiled over the schemas of tables, then over the tables as they are stored. */
export function compileStored(sql: string, stored: readonly StoredTable[]): Compiled {
  const compiled = compile({ sql, source: { file: 'test.sql', line: 1 } }, schemaTables(tables));
  return { ...compiled, query: readStored(compiled.query, stored) };
}

/** The problems of a query, each as `line:column message`. */
export function problemsOf(sql: string, line = 1): string[] {
  try {
    compile({ sql, source: { file: 'test.sql', line } }, tables);
    return [];
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return error.problems.map((problem: Problem) => `${problem.line}:${problem.column} ${problem.message}`);
  }
}
