import type { SavedQuery } from '../../catalog/saved-query.ts';
import { GatewayError } from '../../errors.ts';
import { withoutRequired } from '../refused-rows.ts';
import type { WireField } from './api/wire.ts';
import { fits, sameName } from './check-columns.ts';
import { buildDecodeCell, cellValue, rowCells } from './decode-cell.ts';

/** Gives one row of BigQuery's JSON as the text of one JSON object, with the columns that the header declares. */
export type DecodeRow = (row: unknown) => string;

/**
 * The decoder of a query's rows. Columns that the header does not declare are left out: it is what was promised.
 *
 * @throws GatewayError ENGINE_FAILED where the result is not what the header declares, or a required column is NULL
 */
export function buildDecodeRow({ columns }: SavedQuery, fields: readonly WireField[]): DecodeRow {
  const members = columns.map((column) => {
    const at = fields.findIndex(({ name }) => sameName(name, column.name));
    const field = fields[at];
    if (field === undefined || !fits(column, field)) throw otherColumns(column.name);
    return { at, column, key: `"${column.name}":`, decode: buildDecodeCell(field) };
  });
  return (row) => {
    const cells = rowCells(row, fields.length);
    let text = '';
    for (const { at, column, key, decode } of members) {
      const decoded = decode(cellValue(cells[at]));
      // A NULL column is left out: one existing client takes a null for an error.
      if (decoded !== undefined) text += `${text === '' ? '' : ','}${key}${decoded}`;
      else if (column.required) throw withoutRequired(column.name);
    }
    return `{${text}}`;
  };
}

function otherColumns(name: string): GatewayError {
  return new GatewayError('ENGINE_FAILED', `The query gave another ${name} than its header declares`);
}
