import {
  type DuckDBAppender,
  type DuckDBConnection,
  type DuckDBMaterializedResult,
  type DuckDBPreparedStatement,
  DuckDBTimestampTZValue,
  LIST,
  listValue,
  TIMESTAMPTZ,
} from '@duckdb/node-api';
import type { Constant } from '../../dialect/passes/hoist-constants.ts';
import type { RunValues, TimeValue } from '../../dialect/passes/time-expressions.ts';
import { nowParameter } from '../../dialect/translator.ts';
import { quote } from '../../dialect/types.ts';
import { readRows } from '../wire/read-rows.ts';
import { type Binding, type Bindings, bindingOf } from './bindings.ts';

/** Gives bindings, and the values of constants that are made of them. */
export type Compute = (constants: readonly Constant[], given: Bindings) => Promise<Bindings>;

/**
 * Computes constants as soon as may be: of the time without a database, what no parameter changes once, and the rest by
 * a statement that is planned once.
 */
export function buildCompute(
  connection: DuckDBConnection,
  prepare: (sql: string) => Promise<DuckDBPreparedStatement>,
): Compute {
  const inputs = new Map<string, Promise<Input>>();
  const fixed = new Map<string, Binding>();
  let made = 0;

  const inputFor = async (bindings: Bindings): Promise<Input> => {
    const key = [...bindings.keys()].join();
    const known = await inputs.get(key);
    if (known && known.uses < maxUses) return known;
    inputs.delete(key);
    await known?.drop();
    made += 1;
    const input = openInput(connection, `bound_${made}`, bindings);
    inputs.set(key, input);
    // Whoever asked may have gone while it was opened; the next one opens another.
    input.catch(() => inputs.delete(key));
    return input;
  };
  const fromDatabase = async (
    constants: readonly Constant[],
    given: Bindings,
  ): Promise<readonly Binding[]> => {
    const input = await inputFor(given);
    await input.fill(given);
    const list = constants.map(({ name, sql }) => `${overInput(sql)} AS ${quote(name)}`);
    const statement = await prepare(`SELECT ${list.join(', ')} FROM (${input.row}) AS bound`);
    const result = await statement.run();
    const [row = []] = readRows(result);
    return constants.map((_, at) => ({ value: row[at] ?? null, type: result.columnType(at) }));
  };

  return async (constants, given) => {
    const bindings = new Map(given);
    const run = runOf(given);
    const left = constants.filter(({ name, sql, timeExpression }) => {
      const known = fixed.get(sql) ?? momentBinding(timeExpression?.(run));
      if (known !== undefined) bindings.set(name, known);
      return known === undefined;
    });
    if (left.length === 0) return bindings;
    const values = await fromDatabase(left, given);
    for (const [at, { name, sql }] of left.entries()) {
      const value = values[at];
      if (value === undefined) continue;
      bindings.set(name, value);
      if (!hasParameter(sql)) fixed.set(sql, value);
    }
    return bindings;
  };
}

/** The bindings, and the thresholds that queries over rows give for them, one after the other. */
export async function withThresholds(
  thresholds: readonly Constant[],
  given: Bindings,
  run: (sql: string, bindings: Bindings) => Promise<DuckDBMaterializedResult>,
): Promise<Bindings> {
  const bindings = new Map(given);
  for (const { name, sql } of thresholds) {
    const result = await run(`SELECT ${sql}`, bindings);
    const [[value = null] = []] = readRows(result);
    bindings.set(name, { value, type: result.columnType(0) });
  }
  return bindings;
}

function runOf(given: Bindings): RunValues {
  const now = given.get(nowParameter)?.value;
  return {
    now: now instanceof DuckDBTimestampTZValue ? now.micros : 0n,
    parameter: (name) => String(bindingOf(given, name).value),
  };
}

/** Text and whole numbers are parts of moments only. */
function momentBinding(value: TimeValue | undefined): Binding | undefined {
  if (value === null) return { value, type: TIMESTAMPTZ };
  if (typeof value === 'bigint') return { value: new DuckDBTimestampTZValue(value), type: TIMESTAMPTZ };
  if (typeof value !== 'object') return undefined;
  const list = listValue(value.map((micros) => new DuckDBTimestampTZValue(micros)));
  return { value: list, type: LIST(TIMESTAMPTZ) };
}

/**
 * The parameters of a query as the last row of a table: a statement that reads them there is planned once, while one that
 * binds them is planned anew at each run.
 */
interface Input {
  /** The query that gives the row. */
  readonly row: string;
  readonly uses: number;
  fill(bindings: Bindings): Promise<void>;
  drop(): Promise<void>;
}

/** DuckDB never gives back the place of a temporary table's deleted rows. */
const maxUses = 1000;

/** A row more costs less than to delete one. */
const maxRows = 32;

async function openInput(connection: DuckDBConnection, name: string, bindings: Bindings): Promise<Input> {
  const columns = [...bindings].map(([column, { type }]) => `${quote(column)} ${type}`);
  await connection.run(`CREATE TEMP TABLE ${name} (${columns.join(', ')})`);
  const clear = await connection.prepare(`DELETE FROM ${name}`);
  const appender: DuckDBAppender = await connection.createAppender(name);
  const last = [...bindings.keys()].map((column) => `last(${quote(column)}) AS ${quote(column)}`);
  let uses = 0;
  return {
    row: `SELECT ${last.join(', ')} FROM ${name}`,
    get uses() {
      return uses;
    },
    async fill(values) {
      if (uses % maxRows === 0) await clear.run();
      uses += 1;
      for (const { value, type } of values.values()) appender.appendValue(value, type);
      appender.endRow();
      appender.flushSync();
    },
    async drop() {
      appender.closeSync();
      clear.destroySync();
      await connection.run(`DROP TABLE ${name}`);
    },
  };
}

/** A constant's text with columns of the input in place of parameters. */
const overInput = (sql: string) =>
  sql.replaceAll(parameterOrText, (text, parameter: string | undefined) =>
    parameter === undefined ? text : `bound.${quote(parameter)}`,
  );

const parameterOrText = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w+)/g;

/** What text there is counts for a parameter too: such a constant is computed each time. */
const hasParameter = (sql: string) => sql.includes('$');
