import { cellTimestamp } from '../../../files/timestamps.ts';
import type { ResultColumn } from '../../../catalog/model/header-types.ts';
import { plainText } from '../../../formats/rows.ts';
import { isNested } from '../../../formats/shape.ts';
import { mayHide, parseJson, visibleText } from '@querygate/text';

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
  const shown =
    nested && hasMoments(column) ? (cell: string) => withMoments(cell, column) : (cell: string) => cell;
  return {
    name: column.name,
    isNested: nested,
    isText: !nested && !numbers.has(column.type ?? ''),
    json(cell) {
      if (isTimestamp && cell !== 'null') return JSON.stringify(cellTimestamp(cell));
      return mayHide(cell) ? visibleJson(shown(cell)) : shown(cell);
    },
    text(cell) {
      const text = plainText(cell, nested);
      if (text === undefined) return undefined;
      return isTimestamp ? cellTimestamp(text) : visibleText(shown(text));
    },
  };
}

/** Timestamps too: they are integers, before they are written. */
const numbers: ReadonlySet<string> = new Set(['integer', 'float', 'numeric', 'timestamp']);

/** True if a list or a record has points in time, as far as its fields are known. */
const hasMoments = ({ type, fields = [] }: ResultColumn): boolean =>
  type === 'timestamp' || fields.some(hasMoments);

/** A list or a record whose points in time are text; other numbers keep their digits. */
function withMoments(cell: string, column: ResultColumn): string {
  const value = parseJson(cell, (one, source = '') => (typeof one === 'number' ? JSON.rawJSON(source) : one));
  return JSON.stringify(momentsIn(value, column));
}

function momentsIn(value: unknown, { type, fields = [] }: ResultColumn): unknown {
  if (Array.isArray(value))
    return value.map((one) => momentsIn(one, { name: '', type, repeated: false, fields }));
  if (isNumeral(value)) return type === 'timestamp' ? cellTimestamp(value.rawJSON) : value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      const field = fields.find(({ name }) => name === key);
      return [key, field === undefined ? one : momentsIn(one, field)];
    }),
  );
}

const isNumeral = (value: unknown): value is { readonly rawJSON: string } =>
  typeof value === 'object' && value !== null && JSON.isRawJSON(value);

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
