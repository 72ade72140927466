import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { resultColumnOf } from '../../../catalog-analysis/result-column-of.ts';
import { invalidSql } from '../../../catalog/binding/caller-sql.ts';
import { type ResultColumn, withoutFields } from '../../../catalog/model/header-types.ts';
import { bigqueryType, type PlannedColumn } from '@querygate/bigquery-sql/duckdb';
import { duckdbText } from '@querygate/bigquery-sql/passes';
import { bindValues, type JudgedSql } from '@querygate/bigquery-sql/sandbox';
import {
  call,
  caseWhen,
  compareWith,
  type Expression,
  integerLiteral,
  textLiteral,
} from '@querygate/bigquery-sql/tree';
import { type Column, duckdbType, sameName, scalar, type Type } from '@querygate/bigquery-sql/types';
import { callerResultTooLarge, cellTooLarge, maxCellBytes } from '../../../engine-contract/engine-errors.ts';
import { type WireCell, wireCell } from '../wire/cell.ts';
import type { WireColumn } from '../wire/rows.ts';

/** The columns of a result of a caller's SQL, for DuckDB and for the caller. */
interface CallerColumns {
  readonly columns: readonly (WireColumn & PlannedColumn)[];
  readonly resultColumns: readonly ResultColumn[];
}

export const callerColumns = (types: readonly Column[]): CallerColumns => ({
  columns: types.map(({ name, type }) => {
    const { select, json } = wireCell(type, 'text');
    return {
      name,
      required: false,
      type,
      json: (cell: DuckDBValue) => requireShort(cell, json),
      select: (value: Expression) => bounded(select(value), type),
    };
  }),
  resultColumns: types.map(({ name, type }) => withoutFields(resultColumnOf(name, type))),
});

/** The columns of a caller's query as far as the compiler knows them. */
export const knownColumns = ({ columns }: JudgedSql['compiled']): readonly Column[] =>
  columns.map(({ column: name, type }) => ({ name, type }));

/** True if the compiler knows the types of all columns. */
export const areKnown = (columns: readonly Column[]): boolean =>
  columns.every(({ type }) => duckdbType(type) !== undefined);

/** The columns in the order of the SELECT. DuckDB says what the compiler does not know. */
export async function columnTypes(
  connection: DuckDBConnection,
  compiled: JudgedSql['compiled'],
): Promise<readonly Column[]> {
  const known = knownColumns(compiled);
  if (areKnown(known)) return known;
  const statement = await connection.prepare(duckdbText(compiled.query));
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
 * The text of a value. A text that is too long is replaced by spaces, one more than the limit, so that the limit still
 * trips: its characters could be four times as many bytes. It does not fail here: if another expression failed too, the
 * plan would decide which one is first, and with it the number of stored rows, also of other tenants.
 */
function bounded(text: Expression, { kind, ...type }: Type): Expression {
  const isShort = kind === 'scalar' && 'name' in type && !['STRING', 'BYTES', 'JSON'].includes(type.name);
  if (isShort) return text;
  const string = scalar('STRING');
  return bindValues([text], (value = text) => {
    const bytes = call('strlen', [value], scalar('INT64'));
    // Were it a constant, DuckDB would make it for every text while it plans the query, which takes milliseconds.
    const length = call('least', [bytes, integerLiteral(maxCellBytes + 1)], scalar('INT64'));
    const spaces = call('repeat', [textLiteral(' '), length], string);
    return caseWhen(compareWith('>', bytes, integerLiteral(maxCellBytes)), spaces, value, string);
  });
}

/** A value as JSON. @throws GatewayError QUERY_TOO_EXPENSIVE if it was too long */
function requireShort(cell: DuckDBValue, json: WireCell['json']): ReturnType<WireCell['json']> {
  if (typeof cell === 'string' && cell.length > maxCellBytes) throw callerResultTooLarge(cellTooLarge);
  return json(cell);
}
