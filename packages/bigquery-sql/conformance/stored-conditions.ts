import { compile } from '../src/compile.ts';
import { bindingsOf, bindTo } from '../src/duckdb/bindings.ts';
import { buildCompute } from '../src/duckdb/compute-constants.ts';
import { printPlan } from '../src/duckdb/plan.ts';
import { duckdbText } from '../src/passes/duckdb-text.ts';
import { runPasses } from '../src/passes/passes.ts';
import { schemaTables } from '../src/rules/from/table-relations.ts';
import type { Field } from '../src/table-schema.ts';
import { freshNames } from '../src/tree/fresh-names.ts';
import { openDialectDatabase } from '../test/support/dialect-database.ts';
import { openRandom, type Random } from '../test/support/random.ts';

/** Values in ascending order, as BigQuery writes them, and DuckDB's type. */
export const kinds: Readonly<Record<string, readonly [string, readonly [string, string, string, string]]>> = {
  BOOL: ['BOOLEAN', ['FALSE', 'TRUE', 'FALSE', 'TRUE']],
  INT64: ['BIGINT', ['-5', '0', '1', '7']],
  FLOAT64: ['DOUBLE', ['-1.5', '0.0', '1.0', "CAST('inf' AS FLOAT64)"]],
  NUMERIC: ['DECIMAL(38,9)', ["NUMERIC '-2'", "NUMERIC '0'", "NUMERIC '1.5'", "NUMERIC '9'"]],
  STRING: ['VARCHAR', ["''", "'a'", "'b'", "'longer than twelve letters'"]],
  DATE: ['DATE', ["DATE '1999-12-31'", "DATE '2024-02-29'", "DATE '2024-03-01'", "DATE '9999-12-31'"]],
  DATETIME: [
    'TIMESTAMP',
    ["DATETIME '2000-01-01'", "DATETIME '2024-01-01'", "DATETIME '2024-01-02'", "DATETIME '2030-01-01'"],
  ],
  TIMESTAMP: [
    'TIMESTAMPTZ',
    ["TIMESTAMP '2000-01-01'", "TIMESTAMP '2024-01-01'", "TIMESTAMP '2024-01-02'", "TIMESTAMP '2030-01-01'"],
  ],
  BYTES: ['BLOB', ["b''", "b'a'", "b'b'", "b'zz'"]],
};

/** What a row group has in a column, by the number of a row: NULL, or the number of a value. */
const fillings: Readonly<Record<string, string>> = {
  nulls: 'NULL',
  oneAndNulls: 'CASE WHEN i % 3 = 0 THEN 2 END',
  constant: '2',
  wide: '1 + i % 4',
  wideAndNulls: 'CASE WHEN i % 5 > 0 THEN i % 5 END',
  /** Another one in each row group. */
  drifted: 'CASE WHEN i < 2048 THEN NULL WHEN i < 4096 THEN 2 ELSE 1 + i % 4 END',
};

const rows = 5000;

/**
 * A table with several row groups, of which some columns have only NULLs or one value in some. The rows that a condition
 * leaves are compared with those for which it is true as a value, which DuckDB computes without the statistics of row groups.
 */
export async function openStoredRows() {
  const { connection, close } = await openDialectDatabase({ threads: '1' });
  const names = Object.keys(fillings).flatMap((filling) =>
    Object.keys(kinds).flatMap((kind) => [`${filling}_${kind}`, `r_${filling}_${kind}`]),
  );
  const fields = names.map(
    (name): Field => ({ name, type: kindOf(name) as Field['type'], mode: 'NULLABLE' }),
  );
  const key: Field = { name: 'i', type: 'INT64', mode: 'NULLABLE' };
  const schemas = schemaTables([{ name: 't', fields: [key, ...fields] }]).map((table) => ({
    ...table,
    relation: 'small.t',
  }));
  const compute = buildCompute(connection, (sql) => connection.prepare(sql));
  const treeOf = (sql: string) => compile({ sql, source: { file: 'case', line: 1 } }, schemas).query;
  const columns = fields.map(({ name, type }) => {
    const [duckdb, values] = kinds[type] ?? ['', []];
    const literals = values.map((value) =>
      duckdbText(treeOf(`SELECT ${value} AS v`)).replace(/^SELECT (.*) AS "v"$/s, '$1'),
    );
    const filling = fillings[name.split('_').at(-2) ?? ''] ?? 'NULL';
    return `CAST([${literals.join(', ')}][${filling}] AS ${duckdb}) AS "${name}"`;
  });
  await connection.run("ATTACH ':memory:' AS small (ROW_GROUP_SIZE 2048)");
  await connection.run(`CREATE TABLE small.t AS SELECT i, ${columns.join(', ')} FROM range(${rows}) AS r(i)`);

  const given = bindingsOf({}, new Date(), []);
  const answer = async (sql: string): Promise<readonly string[]> => {
    const query = treeOf(sql);
    const plan = printPlan(runPasses(query, { known: {}, fresh: freshNames(query) }));
    const plain = await connection.runAndReadAll(duckdbText(query));
    // As it is served: with values bound in place of constants.
    const prepared = await connection.prepare(plan.sql);
    bindTo(prepared, await compute(plan.constants, given));
    return [plain, await prepared.runAndReadAll()].map((found) => JSON.stringify(found.getRowsJson()));
  };
  return {
    /** The names of the columns: `nulls_INT64`. */
    columns: names,
    /** What a condition leaves and should leave, if that is not the same. */
    async lost(condition: string): Promise<string | undefined> {
      const filtered = await answer(`SELECT COUNT(*), SUM(i) FROM t WHERE ${condition}`);
      const computed = await answer(
        `SELECT COUNT(k), SUM(k) FROM (SELECT IF(${condition}, i, NULL) AS k FROM t)`,
      );
      if (new Set([...filtered, ...computed]).size === 1) return undefined;
      return `${condition}: ${filtered.join(' ')}, right ${computed.join(' ')}`;
    },
    close,
  };
}

/** Random conditions that leave other rows than they should. */
export async function lostRows(count: number, seed: number): Promise<readonly string[]> {
  const random = openRandom(seed);
  const rows = await openStoredRows();
  const found: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const lost = await rows.lost(conditionOf(random, rows.columns));
    if (lost !== undefined) found.push(lost);
  }
  rows.close();
  return found;
}

const kindOf = (column: string) => column.slice(column.lastIndexOf('_') + 1);

/** Mostly several conditions on one column, which DuckDB makes one filter of the scan. */
function conditionOf(random: Random, names: readonly string[]): string {
  const column = names[random.below(names.length)] ?? '';
  const atom = () => atomOf(random, random.percent(95) ? column : (names[random.below(names.length)] ?? ''));
  const build = (left: number): string => {
    if (left === 0) return atom();
    const [a, b] = [build(left - 1), random.percent(50) ? atom() : build(left - 1)];
    if (random.percent(60)) return `(${a} OR ${b})`;
    return random.one([
      `(${a} AND ${b})`,
      `NOT (${a})`,
      `((${a}) IS ${random.one(['', 'NOT '])}${random.one(['TRUE', 'FALSE', 'NULL', 'UNKNOWN'])})`,
      `(${a} AND i >= 0 OR ${b})`,
      `COALESCE(${a}, ${b})`,
    ]);
  };
  return build(1 + random.below(2));
}

function atomOf(random: Random, column: string): string {
  const kind = kindOf(column);
  const [, values] = kinds[kind] ?? ['', ['NULL', 'NULL', 'NULL', 'NULL'] as const];
  const value = () => random.one(values);
  const list = () => [value(), ...random.some(2, value), ...(random.percent(20) ? ['NULL'] : [])].join(', ');
  const no = random.one(['', 'NOT ']);
  return random.one([
    `${column} ${random.one(['=', '!=', '<', '<=', '>', '>='])} ${value()}`,
    `${column} IS ${no}DISTINCT FROM ${random.percent(10) ? 'NULL' : value()}`,
    `${value()} IS ${no}DISTINCT FROM ${column}`,
    `${column} IS ${no}NULL`,
    `${column} ${no}IN (${list()})`,
    `${column} ${no}BETWEEN ${value()} AND ${value()}`,
    kind === 'BOOL'
      ? `${column} IS ${no}${random.one(['TRUE', 'FALSE', 'UNKNOWN'])}`
      : `(${column} = ${value()}) IS ${no}TRUE`,
    kind === 'BOOL' ? column : `(${column} < ${value()}) IS ${no}FALSE`,
  ]);
}
