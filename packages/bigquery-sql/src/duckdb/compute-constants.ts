import {
  type DuckDBAppender,
  type DuckDBConnection,
  type DuckDBPreparedStatement,
  DuckDBTimestampTZValue,
  type DuckDBValue,
  LIST,
  listValue,
  TIMESTAMPTZ,
} from '@duckdb/node-api';
import type { RunValues, TimeValue } from '../passes/constants/time-values.ts';
import { nowParameter } from '../tree/own-parameters.ts';
import { quote } from '../types.ts';
import { type Binding, bindable } from './bindable.ts';
import { type Bindings, bindingOf } from './bindings.ts';
import { boundRelation, type PlannedConstant } from './plan.ts';
import { readRows } from './read-rows.ts';

/** Adds the values of constants to the bindings that they are computed from. */
export type Compute = (constants: readonly PlannedConstant[], bindings: Bindings) => Promise<Bindings>;

type Prepare = (sql: string) => Promise<DuckDBPreparedStatement>;

/**
 * Computes constants by the cheapest means: time expressions without the database, constants without parameters only
 * once, and all others by a statement that is planned once.
 */
export function buildCompute(connection: DuckDBConnection, prepare: Prepare): Compute {
  const query = buildQueryConstants(connection, prepare);
  /** Values that depend on no parameter, by their SQL. */
  const fixed = new Map<string, Binding>();

  return async (constants, bindings) => {
    const computed = new Map(bindings);
    const run = runOf(bindings);
    const remaining = constants.filter(({ name, sql, timeExpression }) => {
      const value = fixed.get(sql) ?? timeBinding(timeExpression?.(run));
      if (value !== undefined) computed.set(name, value);
      return value === undefined;
    });
    if (remaining.length === 0) return computed;
    const values = await query(remaining, bindings);
    for (const [at, { name, sql, hasParameters }] of remaining.entries()) {
      const value = values[at];
      if (value === undefined) continue;
      computed.set(name, value);
      if (!hasParameters) fixed.set(sql, value);
    }
    return computed;
  };
}

/** As `Compute`, for times and without the database; undefined if one can't be computed so. */
export function computeTimes(
  constants: readonly PlannedConstant[],
  bindings: Bindings,
): Bindings | undefined {
  const computed = new Map(bindings);
  const run = runOf(bindings);
  for (const { name, timeExpression } of constants) {
    const value = timeBinding(timeExpression?.(run));
    if (value === undefined) return undefined;
    computed.set(name, value);
  }
  return computed;
}

function runOf(bindings: Bindings): RunValues {
  const now = bindings.get(nowParameter)?.value;
  return {
    now: now instanceof DuckDBTimestampTZValue ? now.micros : 0n,
    parameter: (name) => toTimeValue(bindingOf(bindings, name).value),
  };
}

function toTimeValue(value: DuckDBValue): TimeValue | undefined {
  if (value instanceof DuckDBTimestampTZValue) return value.micros;
  return value === null || typeof value === 'string' || typeof value === 'bigint' ? value : undefined;
}

/** @returns undefined for text and integers too: they occur only within time expressions */
function timeBinding(value: TimeValue | undefined): Binding | undefined {
  if (value === null) return { value, type: TIMESTAMPTZ };
  if (typeof value === 'bigint') return { value: new DuckDBTimestampTZValue(value), type: TIMESTAMPTZ };
  if (typeof value !== 'object') return undefined;
  const list = listValue(value.map((micros) => new DuckDBTimestampTZValue(micros)));
  return { value: list, type: LIST(TIMESTAMPTZ) };
}

type QueryConstants = (
  constants: readonly PlannedConstant[],
  bindings: Bindings,
) => Promise<readonly Binding[]>;

/** Lets the database compute constants, over one input table for each set of parameters with their types. */
function buildQueryConstants(connection: DuckDBConnection, prepare: Prepare): QueryConstants {
  const inputs = new Map<string, Promise<Input>>();
  let opened = 0;

  const inputFor = async (bindings: Bindings): Promise<Input> => {
    const key = keyOf(bindings);
    const known = inputs.get(key);
    inputs.delete(key);
    const current = await known;
    if (known && current && current.uses < maxUses) {
      inputs.set(key, known);
      return current;
    }
    await current?.drop();
    const [oldest] = inputs.size < maxInputs ? [] : inputs.keys();
    if (oldest !== undefined) {
      const unused = inputs.get(oldest);
      inputs.delete(oldest);
      await (await unused)?.drop();
    }
    opened += 1;
    const input = openInput(connection, `bound_${opened}`, bindings);
    inputs.set(key, input);
    // Opening fails when the query is cancelled meanwhile; the next query opens another one.
    input.catch(() => inputs.delete(key));
    return input;
  };

  const filledInput = async (bindings: Bindings): Promise<Input> => {
    const known = await inputFor(bindings);
    try {
      await known.fill(bindings);
      return known;
    } catch (error) {
      // Its table is gone if it was opened in a transaction that was rolled back.
      if (!/does not exist/.test(String(error))) throw error;
    }
    inputs.delete(keyOf(bindings));
    const input = await inputFor(bindings);
    await input.fill(bindings);
    return input;
  };

  return async (constants, bindings) => {
    const input = await filledInput(bindings);
    const list = constants.map(({ name, sql }) => `${sql} AS ${quote(name)}`);
    const statement = await prepare(`SELECT ${list.join(', ')} FROM (${input.row}) AS ${boundRelation}`);
    const result = await statement.run();
    const [row = []] = readRows(result);
    return constants.map((_, at) => ({ value: row[at] ?? null, type: result.columnType(at) }));
  };
}

const keyOf = (bindings: Bindings): string =>
  [...bindings].map(([name, { type }]) => `${name} ${type}`).join();

/**
 * The parameters of a query as the last row of a temporary table: DuckDB plans a statement that reads them there once,
 * but plans a statement that binds them again for each run.
 */
interface Input {
  /** The query that returns the row. */
  readonly row: string;
  readonly uses: number;
  fill(bindings: Bindings): Promise<void>;
  drop(): Promise<void>;
}

/**
 * How often a table is used before a new one replaces it: DuckDB never frees the space of a temporary table's deleted
 * rows.
 */
const maxUses = 1000;

/** How many tables a connection has, of the sets of parameters that were used last: each takes some 150 KB. */
const maxInputs = 128;

/** How many rows are appended before the table is cleared: appending a row is cheaper than deleting one. */
const maxRows = 32;

async function openInput(connection: DuckDBConnection, name: string, bindings: Bindings): Promise<Input> {
  const columns = [...bindings].map(([column, binding]) => `${quote(column)} ${bindable(binding).type}`);
  await connection.run(`CREATE TEMP TABLE ${name} (${columns.join(', ')})`);
  const clear = await connection.prepare(`DELETE FROM ${name}`);
  const appender: DuckDBAppender = await connection.createAppender(name);
  const last = [...bindings].map(
    ([column, { type }]) => `CAST(last(${quote(column)}) AS ${type}) AS ${quote(column)}`,
  );
  let uses = 0;
  return {
    row: `SELECT ${last.join(', ')} FROM ${name}`,
    get uses() {
      return uses;
    },
    async fill(values) {
      if (uses % maxRows === 0) await clear.run();
      uses += 1;
      for (const binding of values.values()) {
        const { value, type } = bindable(binding);
        appender.appendValue(value, type);
      }
      appender.endRow();
      appender.flushSync();
    },
    async drop() {
      appender.closeSync();
      clear.destroySync();
      await connection.run(`DROP TABLE IF EXISTS ${name}`);
    },
  };
}
