import { invalidSql } from '../../catalog/binding/caller-sql.ts';
import type { Column, SavedQuery } from '../../catalog/model/saved-query.ts';
import { GatewayError } from '../../errors.ts';
import { accepts, isSameColumn } from '../../catalog-analysis/check-columns.ts';
import { columnName } from '@querygate/bigquery-sql/sandbox';
import { missingRequiredColumn } from '../../engine-contract/engine-errors.ts';
import type { WireField } from './api/wire.ts';
import { buildDecodeCell, cellValue, rowCells } from './decode-cell.ts';
import { toResultColumn } from './result-column.ts';

/** Converts one row of BigQuery's JSON to the text of one JSON object with the declared columns. */
export type DecodeRow = (row: unknown) => string;

/**
 * The decoder of a query's rows. Columns that the header does not declare are left out.
 *
 * @throws GatewayError ENGINE_FAILED if the result lacks a declared column or has another type for it, or if a required
 *   column is NULL
 */
export function buildDecodeRow({ columns }: SavedQuery, fields: readonly WireField[]): DecodeRow {
  const members = columns.map((column) => {
    const at = fields.findIndex(({ name }) => isSameColumn(name, column.name));
    const field = fields[at];
    if (field === undefined || !accepts(column, toResultColumn(field))) throw undeclaredType(column.name);
    return { at, column, key: `"${column.name}":`, decode: buildDecodeCell(field) };
  });
  return rowDecoder(members, fields.length);
}

/** The decoder of the rows of a caller's SQL, which have the columns that BigQuery reports. */
export function buildDecodeCallerRow(fields: readonly WireField[]): DecodeRow {
  const members = fields.map((field, at) => {
    const { name } = field;
    // A name of another form was refused, unless it is one of a table that is not known here.
    if (!columnName.test(name)) throw callerColumnUnnamed();
    return {
      at,
      column: { name, required: false },
      key: `"${name}":`,
      decode: buildDecodeCell(field, 'text'),
    };
  });
  return rowDecoder(members, fields.length);
}

interface Member {
  readonly at: number;
  readonly column: Pick<Column, 'name' | 'required'>;
  readonly key: string;
  readonly decode: ReturnType<typeof buildDecodeCell>;
}

function rowDecoder(members: readonly Member[], count: number): DecodeRow {
  return (row) => {
    const cells = rowCells(row, count);
    let text = '';
    for (const { at, column, key, decode } of members) {
      const decoded = decode(cellValue(cells[at]));
      // A NULL column is left out: one existing client takes a null for an error.
      if (decoded !== undefined) text += `${text === '' ? '' : ','}${key}${decoded}`;
      else if (column.required) throw missingRequiredColumn(column.name);
    }
    return `{${text}}`;
  };
}

function undeclaredType(name: string): GatewayError {
  return new GatewayError('ENGINE_FAILED', `The query did not return ${name} as its header declares it`);
}

const callerColumnUnnamed = (): GatewayError =>
  invalidSql(
    'the name of a column of the result has other characters than letters, digits and _; give it an alias',
  );
