import { cellTimestamp } from '../files/timestamps.ts';
import type { Renderer } from './renderer.ts';
import { cellParts, plainText, type Rows } from './rows.ts';
import { isNested } from './shape.ts';

/** @see RFC 4180, RFC 7111 */
export const csv: Renderer = {
  names: ['csv'],
  contentType: 'text/csv; charset=utf-8; header=present',
  mediaTypes: ['text/csv'],
  fileExtension: 'csv',
  parts: (rows) => csvParts(rows, false),
};

/** CSV that begins with a byte-order mark: Excel takes other files for text in a code page of Windows. */
export const csvBom: Renderer = {
  ...csv,
  names: ['csv-bom'],
  mediaTypes: [],
  parts: (rows) => csvParts(rows, true),
};

const byteOrderMark = '\uFEFF';

/**
 * Rows as CSV, in parts: a line of names, then a line for each row. A NULL is empty, and an empty text is `""`.
 *
 * @param isForExcel whether it has a byte-order mark, and no text that Excel takes for a formula
 * @see RFC 4180
 */
export function* csvParts(rows: Rows, isForExcel: boolean): Generator<string> {
  const { columns } = rows;
  const cells = columns.map((column) => {
    const isJson = isNested(column);
    const isTimestamp = !isJson && column.type === 'timestamp';
    return (cell: string | undefined): string => {
      const text = plainText(cell, isJson);
      if (text === undefined) return nullText;
      if (isTimestamp) return cellTimestamp(text);
      return quoted(isForExcel && !numbers.has(column.type) ? withoutFormula(text) : text);
    };
  });
  // Readers skip an empty line.
  const nullText = columns.length === 1 ? '""' : '';
  const names = columns.map(({ name }) => quoted(isForExcel ? withoutFormula(name) : name)).join(',');
  yield `${isForExcel ? byteOrderMark : ''}${names}${lineEnd}`;
  for (const part of cellParts(rows)) {
    let text = '';
    for (const row of part) {
      for (let at = 0; at < cells.length; at += 1) text += `${at > 0 ? ',' : ''}${cells[at]?.(row[at])}`;
      text += lineEnd;
    }
    yield text;
  }
}

const lineEnd = '\r\n';

const numbers: ReadonlySet<string | undefined> = new Set(['integer', 'float', 'numeric']);

/**
 * Strangers write texts of logs, and a formula may send the cells around it elsewhere. An apostrophe precedes all that would be one
 * at the start of a cell. Where `;` or a tab separates cells, one begins behind it, or behind a line break, because quotes
 * that do not open such a cell do not hold it together.
 */
const withoutFormula = (text: string): string =>
  (/^[\t\r\n]/.test(text) ? `'${text}` : text).replaceAll(formulaStart, "$1'");

const formulaStart = /(^|[;\t\r\n][" ]*)(?=[=+\-@＝＋－＠])/g;

/** Spaces at the ends are quoted, because some readers cut them off. */
const needsQuotes = /[",\r\n]|^\s|\s$/;

function quoted(text: string): string {
  if (text === '') return '""';
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
