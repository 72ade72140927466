import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { DuckDBConnection } from '@duckdb/node-api';
import { duckdbText } from '../../src/passes/duckdb-text.ts';
import { aggregate, select } from '../../src/tree/build.ts';
import { someNode } from '../../src/tree/map.ts';
import type { Query } from '../../src/tree/nodes.ts';
import type { StoredTable } from '../../src/tree/stored-table.ts';
import { quoteText } from '../../src/tree/quote-text.ts';
import { quote, scalar } from '../../src/types.ts';
import { openDialectDatabase } from '../../test/support/dialect-database.ts';
import { openRandom } from '../../test/support/random.ts';
import { createTable } from '../local/create-table.ts';
import { openLocalEngine } from '../local/engine.ts';
import { shredTables } from '../local/shred-tables.ts';
import { generate } from '../random/generate.ts';
import { evaluateInputs } from '../random/inputs.ts';
import { makeTables } from '../random/tables.ts';
import { loadTemplates } from '../random/templates.ts';
import { render } from '../random/tree.ts';
import { now } from '../shipped-rows.ts';
import { showAnswer } from '../values.ts';
import { buildForms, type Form } from './forms.ts';
import { isOfSomeRow, judgeChange, type Side } from './judge-change.ts';

/**
 * `npx node packages/bigquery-sql/conformance/optimizers/row-groups.ts [queries] [seed] [--parquet]`: random queries over tables
 * of several row groups, with and without the optimizers of DuckDB that look at statistics, or filter scans by what a query
 * has read so far. It needs no evaluator. Exit code 1 if rows differ without a reason.
 */
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { parquet: { type: 'boolean', default: false } },
});
const [queries = 1000, seed = Date.now() % 1_000_000] = positionals.map(Number);

const optimizers = [
  'compressed_materialization',
  'join_filter_pushdown',
  'late_materialization',
  'limit_pushdown',
  'row_group_pruner',
  'statistics_propagation',
  'top_n',
  'top_n_window_elimination',
].join();

/** Three groups of the smallest size that DuckDB has. */
const [rowGroupSize, copies] = [2048, 700];

/** Most queries take some milliseconds; some join all rows with all. */
const timeoutMs = 2_000;
/** Answers of more rows are not compared, and with a limit, those without it. */
const [maxRows, maxSortedRows] = [1_500, 20_000];

const plain = await openLocalEngine();
const inputs = await evaluateInputs(plain);
await plain.close();
const tables = makeTables(inputs, openRandom(seed));
const grammar = { inputs, tables, templates: loadTemplates(inputs) };
const { connection, close } = await openDialectDatabase({ threads: '1', memory_limit: '3GB' });
const folder = mkdtempSync(join(tmpdir(), 'querygate-groups-'));
const counts = new Map<string, number>();
const add = (outcome: string): void => {
  counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
};
try {
  for (const table of tables) await connection.run(createTable(table));
  await connection.run(
    `ATTACH ${quoteText(join(folder, 'groups.db'))} AS groups (ROW_GROUP_SIZE ${rowGroupSize})`,
  );
  const stored: StoredTable[] = [];
  for (const table of await shredTables(connection, tables)) stored.push(await multiply(connection, table));
  const forms = buildForms(connection, stored, new Date(now), timeoutMs);
  for (const number of Array(queries).keys()) {
    const { tree } = generate(grammar, seed * 1_000_003 + number);
    const { sql } = render(tree, { parameters: false, reference: false });
    if (/\b(rand|generate_uuid)\b/i.test(sql)) continue;
    const found = await formsOf(sql, number);
    const [first] = found;
    // A limit behind all has DuckDB filter scans by the rows that it has so far. The last columns are those of tables.
    const limited =
      first &&
      !dependsOnTies(first.query, undefined) &&
      (await countRows(first)) <= maxSortedRows &&
      `SELECT * FROM (${sql}) ORDER BY ${widthOf(first.query)} LIMIT 5`;
    for (const form of [...found, ...(limited ? await formsOf(limited, number) : [])]) await judge(form);
  }

  async function formsOf(sql: string, number: number): Promise<readonly Form[]> {
    const found = await forms.of({ subject: String(number), sql, parameters: {}, isExpression: false });
    if (found.length === 0) add('refused');
    return found;
  }

  /** Infinite for a query that takes long, and 0 for one that fails: it may give rows where none is counted. */
  async function countRows({ query, bindings }: Form): Promise<number> {
    const count = { name: 'n', value: aggregate('count', [], scalar('INT64')) };
    await connection.run("SET disabled_optimizers = ''");
    const answer = await forms.run(
      select({ columns: [count], from: { kind: 'derived', alias: 'counted', query } }),
      bindings,
    );
    if ('error' in answer) return /interrupt/i.test(answer.error) ? Number.POSITIVE_INFINITY : 0;
    const [[cell] = []] = answer.rows;
    return cell && 'text' in cell ? Number(cell.text) : 0;
  }

  async function judge(form: Form): Promise<void> {
    const { query, bindings } = form;
    const side = async (disabled: string): Promise<Side> => {
      const run = async (other: Query) => {
        await connection.run(`SET disabled_optimizers = '${disabled}'`);
        return forms.run(other, bindings);
      };
      return { query, run, answer: await run(query) };
    };
    if ((await countRows(form)) > maxRows) return add('many rows, or slow');
    const [before, after] = [await side(''), await side(optimizers)];
    // A constant that fails is computed before any row is read.
    if ('error' in before.answer || 'error' in after.answer) return add('fails');
    const judged = await judgeChange(before, after);
    const outermost = query.kind === 'with' ? query.body : query;
    const isByTies = judged === 'differs' && dependsOnTies(query, outermost);
    const outcome = isByTies ? 'equal keys below may decide' : judged;
    add(outcome);
    if (outcome !== 'differs') return;
    console.log(`--- query ${form.statement.subject}\n${form.statement.sql}\n${duckdbText(query)}`);
    console.log(`as it is: ${showAnswer(before.answer)}\nwithout optimizers: ${showAnswer(after.answer)}\n`);
  }
} finally {
  close();
  rmSync(folder, { recursive: true });
}
console.log([...counts].map(([outcome, count]) => `${count} ${outcome}`).join('; '));
console.log(`${queries} queries, seed ${seed}${options.parquet ? ', Parquet' : ''}`);
process.exitCode = counts.has('differs') ? 1 : 0;

/** Copies of the rows with ids of their own and other numbers and times, in another order with an odd seed. */
async function multiply(connection: DuckDBConnection, table: StoredTable): Promise<StoredTable> {
  const { relation = '', name } = table;
  const described = await connection.runAndReadAll(`DESCRIBE ${relation}`);
  const columns = described.getRows().map(([column, type]) => ({ of: quote(String(column)), type }));
  const values = columns.map(({ of, type }) => {
    if (of === '"id"') return `${of} + ${tables[0]?.rows.length} * copy AS ${of}`;
    if (type === 'BIGINT')
      return `CASE WHEN abs(${of} // 2) < 1e9 THEN ${of} + copy % 89 ELSE ${of} END AS ${of}`;
    if (type === 'TIMESTAMP WITH TIME ZONE')
      return `CASE WHEN year(${of}) BETWEEN 1900 AND 2100 THEN ${of} + to_minutes(copy % 977) ELSE ${of} END AS ${of}`;
    return of;
  });
  const rows = `${relation}, range(${copies}) AS t(copy) ORDER BY ${seed % 2 === 0 ? 'copy' : 'hash(copy)'}, id`;
  const target = `groups.${quote(name)}`;
  await connection.run(`CREATE TABLE ${target} AS SELECT ${values.join(', ')} FROM ${rows}`);
  if (!options.parquet) return { ...table, relation: target };
  const file = quoteText(join(folder, `${name}.parquet`));
  await connection.run(`COPY ${target} TO ${file} (FORMAT parquet, ROW_GROUP_SIZE ${rowGroupSize})`);
  const view = quote(`${name} in parquet`);
  const typed = columns.map(({ of, type }) => `CAST(${of} AS ${type}) AS ${of}`);
  await connection.run(`CREATE VIEW ${view} AS SELECT ${typed.join(', ')} FROM read_parquet(${file})`);
  return { ...table, relation: view };
}

/** True if which of the rows with equal keys are taken, of which there are copies, decides below the outermost SELECT. */
function dependsOnTies(query: Query, outermost: Query | undefined): boolean {
  return someNode(
    query,
    (node) =>
      node !== outermost && ((node.kind === 'select' && node.limit !== undefined) || isOfSomeRow(node)),
  );
}

function widthOf(query: Query): number {
  if (query.kind === 'with') return widthOf(query.body);
  const [first] = query.kind === 'set' ? query.inputs : [];
  return query.kind === 'select' ? query.columns.length : first ? widthOf(first) : 1;
}
