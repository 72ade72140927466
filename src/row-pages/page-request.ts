import type { BoundQuery, BoundValues } from '../catalog/binding/bind.ts';
import type { RawParameters } from '../catalog/binding/list-values.ts';
import {
  type PageForm,
  pageFormsOf,
  pageKeyParameters,
  pageSizeParameter,
} from '../catalog/model/page-forms.ts';
import type { PageKey } from '../catalog/model/saved-query.ts';
import { parseDatetime, timestampText } from '../files/timestamps.ts';
import { invalid } from '../row-arguments/reading/argument-reader.ts';
import { type CursorScope, cursorScope, type RowKey, readCursor } from './cursor.ts';

/** Which rows a caller wants, as Relay names it. */
export interface PageRequest {
  /** How many of the first rows, or of the last. */
  readonly size: number;
  readonly isBackward: boolean;
  readonly after: string | undefined;
  readonly before: string | undefined;
}

/** The number of rows of a page whose request does not say it. */
export const defaultPageSize = 100;

/** A page as it is run. */
export interface BoundPage {
  readonly bound: BoundQuery;
  readonly scope: CursorScope;
  readonly request: PageRequest;
}

/**
 * Binds a page: the SQL of its form with the key of its cursor.
 *
 * @param whole the query, bound for the caller
 * @param given the parameters as the caller sent them
 * @throws GatewayError INVALID_PARAMETER
 */
export function bindPage(whole: BoundQuery, given: RawParameters, request: PageRequest): BoundPage {
  const { query } = whole;
  const forms = pageFormsOf(query);
  if (forms === undefined || query.pages === undefined) throw new TypeError(`${query.name} has no pages`);
  const { size, isBackward, after, before } = request;
  if (size > query.maxRows)
    throw invalid(sizeName(request), `got ${size}; a page has at most ${query.maxRows} rows`);
  if (after !== undefined && before !== undefined)
    throw invalid('before', 'cannot be used with after; send one of them');
  if (isBackward && after !== undefined) throw invalid('after', 'cannot be used with last; use first');
  if (!isBackward && before !== undefined) throw invalid('before', 'cannot be used with first; use last');
  const scope = cursorScope(whole, given);
  const cursor = after ?? before;
  const key = cursor === undefined ? undefined : readCursor(scope, isBackward ? 'before' : 'after', cursor);
  const values: BoundValues = {
    ...whole.parameters,
    ...(key && keyValues(query.pages.keys, key)),
    [pageSizeParameter]: String(size + 1),
  };
  return { bound: { ...whole, query: forms[formOf(request)], parameters: values }, scope, request };
}

const sizeName = ({ isBackward }: PageRequest): string => (isBackward ? 'last' : 'first');

function formOf({ isBackward, after, before }: PageRequest): PageForm {
  if (isBackward) return before === undefined ? 'last' : 'before';
  return after === undefined ? 'first' : 'after';
}

function keyValues(keys: readonly PageKey[], cells: RowKey): BoundValues {
  return Object.fromEntries(
    keys.flatMap(({ type, isNullable }, at) => {
      const { value, isNull } = pageKeyParameters(at);
      const cell = cells[at] ?? null;
      return [
        [value, cell === null ? '' : boundText(type, cell)],
        ...(isNullable ? [[isNull, String(cell === null)]] : []),
      ];
    }),
  );
}

/** The text of a cell, as rows have it, in the form of a parameter. */
function boundText(type: PageKey['type'], cell: string): string {
  if (type === 'timestamp') return timestampText(BigInt(cell));
  return type === 'datetime' ? (parseDatetime(cell) ?? cell) : cell;
}
