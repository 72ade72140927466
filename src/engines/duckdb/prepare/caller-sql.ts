import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { LRUCache } from 'lru-cache';
import type { BoundValues } from '../../../catalog/binding/bind.ts';
import { invalidSql, judged } from '../../../catalog/binding/caller-sql.ts';
import type { SavedQuery } from '../../../catalog/model/saved-query.ts';
import { type ResultColumn, withoutFields } from '../../../catalog/model/header-types.ts';
import {
  bigqueryType,
  calledMacros,
  callerPlan,
  genericPlan,
  type Plan,
  type PlannedColumn,
} from '@querygate/bigquery-sql/duckdb';
import { duckdbText } from '@querygate/bigquery-sql/passes';
import { bindValues, type JudgedSql, type Sandbox } from '@querygate/bigquery-sql/sandbox';
import {
  call,
  caseWhen,
  compareWith,
  type Expression,
  integerLiteral,
  textLiteral,
} from '@querygate/bigquery-sql/tree';
import { type Column, duckdbType, sameName, scalar, type Type } from '@querygate/bigquery-sql/types';
import { callerResultTooLarge, cellTooLarge, maxCellBytes } from '../../../engine/engine-errors.ts';
import { resultColumnOf } from '../../../analysis/result-column-of.ts';
import { type WireCell, wireCell } from '../wire/cell.ts';
import type { WireColumn } from '../wire/rows.ts';
import { memoizePlans } from './prepare-query.ts';

/** Prepares a caller's SQL. @throws GatewayError INVALID_PARAMETER if it is not one SELECT over the common tables */
export type PrepareCallerSql = (sql: string) => CallerSql;

/** A caller's SQL that may run. */
interface CallerSql {
  /** The stored tables that it reads. */
  readonly tables: readonly string[];
  readonly macros: readonly string[];
  /**
   * The SQL for DuckDB and the columns of the result. The macros must be defined.
   *
   * @param connection plans the SQL if the compiler does not know the types of its columns
   */
  prepare(connection: DuckDBConnection): Promise<PreparedCallerSql>;
}

interface PreparedCallerSql {
  readonly columns: readonly WireColumn[];
  readonly resultColumns: readonly ResultColumn[];
  readonly generic: string;
  /** Its constants are times, which are computed without the database; it has no thresholds. */
  plan(parameters: BoundValues): Plan;
}

/** How many texts are kept for each saved query: callers choose them, so they must not take much memory. */
const maxTexts = 50;

/** How many plans of one text are kept. */
const maxPlans = 4;

export function buildPrepareCallerSql(query: SavedQuery, sandbox: Sandbox): PrepareCallerSql {
  const recent = new LRUCache<string, CallerSql>({ max: maxTexts });
  return (sql) => {
    const known = recent.get(sql);
    if (known !== undefined) return known;
    const prepared = prepareCallerSql(
      query,
      judged(() => sandbox.judge(sql)),
    );
    recent.set(sql, prepared);
    return prepared;
  };
}

function prepareCallerSql(query: SavedQuery, { compiled }: JudgedSql): CallerSql {
  let prepared: Promise<PreparedCallerSql> | undefined;
  const prepare = async (connection: DuckDBConnection): Promise<PreparedCallerSql> => {
    const types = await columnTypes(connection, compiled);
    const columns = types.map(({ name, type }) => {
      const { select, json } = wireCell(type, 'text');
      return {
        name,
        required: false,
        type,
        json: (cell: DuckDBValue) => requireShort(cell, json),
        select: (value: Expression) => bounded(select(value), type),
      };
    }) satisfies readonly (WireColumn & PlannedColumn)[];
    return {
      columns,
      resultColumns: types.map(({ name, type }) => withoutFields(resultColumnOf(name, type))),
      generic: genericPlan(compiled.query, columns, query.maxRows),
      plan: memoizePlans(query, maxPlans, (known) =>
        callerPlan(compiled.query, columns, query.maxRows, known),
      ),
    };
  };
  return {
    tables: compiled.tables,
    macros: calledMacros(compiled.query),
    prepare(connection) {
      prepared ??= prepare(connection).catch((error: unknown) => {
        prepared = undefined;
        throw error;
      });
      return prepared;
    },
  };
}

/** The columns in the order of the SELECT. DuckDB says what the compiler does not know. */
async function columnTypes(
  connection: DuckDBConnection,
  { query, columns }: JudgedSql['compiled'],
): Promise<readonly Column[]> {
  const known = columns.map(({ column: name, type }) => ({ name, type }));
  if (known.every(({ type }) => duckdbType(type) !== undefined)) return known;
  const statement = await connection.prepare(duckdbText(query));
  try {
    return known.map(({ name, type }) => {
      if (duckdbType(type) !== undefined) return { name, type };
      const at = Array.from({ length: statement.columnCount }, (_, index) =>
        statement.columnName(index),
      ).findIndex((other) => sameName(other, name));
      const found = bigqueryType(statement.columnType(at));
      if (duckdbType(found) === undefined)
        throw invalidSql(
          `the type of the column ${name} is not known; CAST it to the type that it is to have`,
        );
      return { name, type: found };
    });
  } finally {
    statement.destroySync();
  }
}

/**
 * The text of a value; of one that is too long, spaces, which are too many as well: its characters could be four times as
 * many bytes. It does not fail: if another expression does, the plan would decide which one fails first, and with it the
 * number of stored rows, also of other tenants.
 */
function bounded(text: Expression, { kind, ...type }: Type): Expression {
  const isShort = kind === 'scalar' && 'name' in type && !['STRING', 'BYTES', 'JSON'].includes(type.name);
  if (isShort) return text;
  const string = scalar('STRING');
  return bindValues([text], (value = text) => {
    const bytes = call('strlen', [value], scalar('INT64'));
    return caseWhen(compareWith('>', bytes, integerLiteral(maxCellBytes)), tooLong, value, string);
  });
}

const tooLong = call('repeat', [textLiteral(' '), integerLiteral(maxCellBytes + 1)], scalar('STRING'));

/** A value as JSON. @throws GatewayError QUERY_TOO_EXPENSIVE if it was too long */
function requireShort(cell: DuckDBValue, json: WireCell['json']): ReturnType<WireCell['json']> {
  if (typeof cell === 'string' && cell.length > maxCellBytes) throw callerResultTooLarge(cellTooLarge);
  return json(cell);
}
