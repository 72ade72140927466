import { cellTimestamp } from '../../../files/timestamps.ts';
import type { ResultColumn } from '../../../catalog/model/header-types.ts';
import { plainText } from '../../../formats/rows.ts';
import { isNested } from '../../../formats/shape.ts';
import { mayHide, visibleText } from '@querygate/text';

/** How the cells of a column are written for models. */
export interface CellWriter {
  readonly name: string;
  /** Cells are text in both, and not compared as numbers. */
  readonly isText: boolean;
  /** True if a cell is a list, a record or any JSON. */
  readonly isNested: boolean;
  /** As JSON. */
  json(cell: string): string;
  /** As text, without quotes; undefined for NULL. */
  text(cell: string | undefined): string | undefined;
}

/** Cells are JSON text, as results have them. Moments become text, and what is hidden in a text becomes visible. */
export function cellWriter(column: ResultColumn): CellWriter {
  const nested = isNested(column);
  const isTimestamp = !nested && column.type === 'timestamp';
  return {
    name: column.name,
    isNested: nested,
    isText: !nested && !numbers.has(column.type ?? ''),
    json(cell) {
      if (isTimestamp && cell !== 'null') return JSON.stringify(cellTimestamp(cell));
      return mayHide(cell) ? visibleJson(cell) : cell;
    },
    text(cell) {
      const text = plainText(cell, nested);
      if (text === undefined) return undefined;
      return isTimestamp ? cellTimestamp(text) : visibleText(text);
    },
  };
}

/** Timestamps too: they are integers, before they are written. */
const numbers: ReadonlySet<string> = new Set(['integer', 'float', 'numeric', 'timestamp']);

/** Texts of a JSON value, wherever they are in it; numbers keep their digits. */
const visibleJson = (json: string): string =>
  json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, (text) =>
    mayHide(text) ? JSON.stringify(visibleText(JSON.parse(text) as string)) : text,
  );

/** @see RFC 4180; lines end in one character, of which there are fewer tokens */
export function csvCell(text: string | undefined): string {
  if (text === undefined) return '';
  return text === '' || /[",\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
