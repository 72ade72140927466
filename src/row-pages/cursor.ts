import { hash } from 'node:crypto';
import type { BoundQuery } from '../catalog/binding/bind.ts';
import { checkPlain } from '../catalog/binding/check-value.ts';
import { type RawParameters, textsOf } from '../catalog/binding/list-values.ts';
import { isRelative } from '../catalog/binding/times.ts';
import type { PageKey, Parameter, SavedQuery } from '../catalog/model/saved-query.ts';
import { GatewayError } from '../errors.ts';
import { parseDate, parseDatetime } from '../files/timestamps.ts';
import { memoize } from '../memoize.ts';

/** The key of a row: the texts of its cells, in the order of the columns of pages; null for NULL. */
export type RowKey = readonly (string | null)[];

/** To which rows a cursor belongs. */
export interface CursorScope {
  readonly query: SavedQuery;
  /** Equal for equal parameters, and so for one tenant. Defaults that are relative to the time are not part of it. */
  readonly parameters: string;
}

/** @param given as the caller sent them */
export function cursorScope({ query, parameters }: BoundQuery, given: RawParameters): CursorScope {
  const isTimed = (parameter: Parameter) =>
    !given.has(parameter.name) &&
    textsOf(parameter.default ?? []).some((text) => isRelative(parameter, text));
  const values = query.parameters.map((parameter) =>
    isTimed(parameter) ? null : parameters[parameter.name],
  );
  return { query, parameters: digest(JSON.stringify(values)) };
}

/**
 * A text for callers that says where a row is in the order of a query. It reveals nothing that the row does not have, and
 * permits nothing: who sends it gets the rows after it that the request would return anyway.
 */
export function writeCursor({ query, parameters }: CursorScope, key: RowKey): string {
  const content = [digest(query.id), versionOf(query), parameters, key];
  return Buffer.from(JSON.stringify([...content, checksum(content)])).toString('base64url');
}

/**
 * @param name of the argument
 * @throws GatewayError INVALID_PARAMETER
 */
export function readCursor(scope: CursorScope, name: string, text: string): RowKey {
  const wrong = (message: string) =>
    new GatewayError('INVALID_PARAMETER', `${name}: ${message}`, { parameter: name });
  const [query, version, parameters, key, sum, ...more] = parse(text);
  const keys = scope.query.pages?.keys ?? [];
  if (more.length > 0 || sum !== checksum([query, version, parameters, key]) || !isKey(key, keys))
    throw wrong('is not a cursor, or not all of it; send one of an earlier page as it is');
  if (query !== digest(scope.query.id)) throw wrong('is a cursor of another query');
  if (version !== versionOf(scope.query))
    throw wrong('is a cursor of an earlier version of this query; begin again without it');
  if (parameters !== scope.parameters)
    throw wrong('is a cursor of other parameters or of another tenant; send the parameters of its page');
  return key;
}

function parse(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

const isKey = (key: unknown, keys: readonly PageKey[]): key is RowKey =>
  Array.isArray(key) &&
  key.length === keys.length &&
  key.every((cell, at) => {
    const one = keys[at];
    return (
      one !== undefined && (cell === null ? one.isNullable : typeof cell === 'string' && fits(one.type, cell))
    );
  });

/** The first and the last microsecond that are timestamps. */
const [firstMicro, lastMicro] = [-62_135_596_800_000_000n, 253_402_300_799_999_999n];

/** True if a text is that of a cell. It must be checked, because anybody can write a cursor. */
function fits(type: PageKey['type'], cell: string): boolean {
  switch (type) {
    case 'string':
      return cell.isWellFormed();
    case 'integer':
      return !cell.startsWith('+') && 'value' in checkPlain({ type }, cell);
    case 'timestamp':
      return /^-?\d{1,18}$/.test(cell) && BigInt(cell) >= firstMicro && BigInt(cell) <= lastMicro;
    case 'datetime':
      return parseDatetime(cell) !== undefined;
    case 'date':
      return parseDate(cell) !== undefined;
  }
}

/** Changes with everything that decides which rows follow a row. */
const versionOf = memoize(({ sql, pages }: SavedQuery): string => digest(JSON.stringify([sql, pages])));

const checksum = (content: readonly unknown[]): string => digest(JSON.stringify(content));

/** Short, for a cursor is a part of URLs: it finds mistakes, and is not a secret. */
const digest = (text: string): string => hash('sha256', text, 'base64url').slice(0, 8);
