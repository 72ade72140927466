import { element } from '../element.ts';
import { type Column, valueIn } from '../endpoint.ts';
import type { JsonObject } from '../json.ts';
import { alignment, cellContent } from '../result/cell.ts';

/** A column of a caller's SELECT, with its type in the SQL of BigQuery. */
export interface SqlColumn {
  readonly name: string;
  readonly type: string;
}

/** A common table of a saved query. */
export interface SqlTable {
  readonly name: string;
  readonly columns: readonly SqlColumn[];
}

/** The gateway's explanation of SQL that it has not run. */
export interface Explained {
  readonly sql: string;
  readonly columns: readonly SqlColumn[];
  readonly plan: readonly string[];
}

/** More rows make a page slow; programs get all of them. */
const maxShown = 200;

export function rowsTable(columns: readonly SqlColumn[], rows: readonly JsonObject[]): HTMLElement {
  const shown = rows.slice(0, maxShown);
  const cells = columns.map(columnOf);
  const table = tableOf(
    cells.map((column) => element('th', { scope: 'col', class: alignment(column) }, column.name)),
    shown.map((row) =>
      cells.map((column) =>
        element('td', { class: alignment(column) }, cellContent(valueIn(row, column), column)),
      ),
    ),
    'Rows',
  );
  if (rows.length > maxShown)
    table.append(element('p', { class: 'muted' }, `The first ${maxShown} of them are shown.`));
  return table;
}

export const typesTable = (columns: readonly SqlColumn[]): HTMLElement =>
  tableOf(
    ['Name', 'Type'].map((text) => element('th', { scope: 'col' }, text)),
    columns.map(({ name, type }) => [
      element('th', { scope: 'row' }, name),
      element('td', {}, element('code', {}, type)),
    ]),
    'Columns',
  );

function tableOf(
  head: readonly HTMLElement[],
  rows: readonly (readonly HTMLElement[])[],
  name: string,
): HTMLElement {
  return element(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `${name}, scrollable` },
    element(
      'table',
      {},
      element('thead', {}, element('tr', {}, ...head)),
      element('tbody', {}, ...rows.map((cells) => element('tr', {}, ...cells))),
    ),
  );
}

const shownTypes: Readonly<Record<string, string>> = {
  INT64: 'integer',
  FLOAT64: 'float',
  NUMERIC: 'numeric',
  BIGNUMERIC: 'numeric',
  TIMESTAMP: 'timestamp',
  DATE: 'date',
  DATETIME: 'datetime',
  TIME: 'time',
};

const columnOf = ({ name, type }: SqlColumn): Column => ({
  name,
  type: shownTypes[type] ?? 'string',
  repeated: type.startsWith('ARRAY'),
  unit: undefined,
  required: false,
  description: '',
});
