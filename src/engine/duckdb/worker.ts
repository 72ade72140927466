import type {
  DuckDBAppender,
  DuckDBConnection,
  DuckDBMaterializedResult,
  DuckDBPreparedStatement,
} from '@duckdb/node-api';
import type { Constant } from '../dialect/constants.ts';
import { quote } from '../dialect/type.ts';
import { type Binding, type Bindings, bindTo } from './bindings.ts';
import { readRows } from './read-rows.ts';

/** A connection that runs one statement at a time and keeps the statements it has prepared. */
export interface Worker {
  readonly connection: DuckDBConnection;
  /** Runs a statement with those of the values that it asks for. */
  run(sql: string, bindings: Bindings): Promise<DuckDBMaterializedResult>;
  /** From now until `release` all statements see the same rows. */
  holdState(): Promise<void>;
  release(): Promise<void>;
  /** The bindings, and the values of constants that are made of them. */
  compute(constants: readonly Constant[], bindings: Bindings): Promise<Bindings>;
}

/** How many statements a worker keeps: those of the plans in use, for a catalog of ordinary size. */
const maxStatements = 256;

export function openWorker(connection: DuckDBConnection): Worker {
  const statements = new Map<string, Promise<DuckDBPreparedStatement>>();
  const inputs = new Map<string, Promise<Input>>();

  const statement = (sql: string): Promise<DuckDBPreparedStatement> => {
    const known = statements.get(sql) ?? connection.prepare(sql);
    // Put last again: the first is the one longest unused.
    statements.delete(sql);
    statements.set(sql, known);
    known.catch(() => statements.delete(sql));
    if (statements.size > maxStatements) forgetFirst(statements);
    return known;
  };

  let holds = false;
  let made = 0;
  const inputFor = async (bindings: Bindings): Promise<Input> => {
    const key = [...bindings.keys()].join();
    const known = await inputs.get(key);
    if (known && known.uses < maxUses) return known;
    await known?.drop();
    made += 1;
    const input = openInput(connection, `bound_${made}`, bindings);
    inputs.set(key, input);
    return input;
  };

  return {
    connection,
    async run(sql, bindings) {
      const prepared = await statement(sql);
      bindTo(prepared, bindings);
      return prepared.run();
    },
    async holdState() {
      await (await statement('BEGIN')).run();
      holds = true;
    },
    async release() {
      if (holds) await (await statement('ROLLBACK')).run();
      holds = false;
    },
    async compute(constants, bindings) {
      if (constants.length === 0) return bindings;
      const input = await inputFor(bindings);
      await input.fill(bindings);
      const list = constants.map(({ name, sql }) => `${overInput(sql)} AS ${quote(name)}`);
      const result = await (await statement(`SELECT ${list.join(', ')} FROM (${input.row}) AS bound`)).run();
      const [row = []] = readRows(result);
      const added = constants.map(({ name }, at): [string, Binding] => [
        name,
        { value: row[at] ?? null, type: result.columnType(at) },
      ]);
      return new Map([...bindings, ...added]);
    },
  };
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
  sql.replaceAll(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w+)/g, (text, parameter: string | undefined) =>
    parameter === undefined ? text : `bound.${quote(parameter)}`,
  );

function forgetFirst(statements: Map<string, Promise<DuckDBPreparedStatement>>): void {
  const [first] = statements;
  if (first === undefined) return;
  statements.delete(first[0]);
  void first[1].then((unused) => unused.destroySync()).catch(() => {});
}
