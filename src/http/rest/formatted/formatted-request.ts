import { hash } from 'node:crypto';
import type { SavedQuery } from '../../../catalog/model/saved-query.ts';
import type { Owner } from '../../../concurrency/fair-share.ts';
import { type Format, formats } from '../../../formats/format.ts';
import type { Rows } from '../../../formats/rows.ts';
import { declaredShape } from '../../../formats/shape.ts';
import type { CachedResult } from '../../../results/get-result.ts';
import type { RequestHead } from '../../message/head.ts';
import type { Reply } from '../../message/reply.ts';

/** A result that is to be sent in a format other than JSON. */
export interface FormattedRequest {
  readonly format: Format;
  readonly query: SavedQuery;
  readonly result: CachedResult;
  readonly head: RequestHead;
  readonly owner: Owner;
}

/** The rows of the result, and their columns: those of the header, or of a caller's SQL. */
export function rowsOf({ query, result: { document } }: FormattedRequest): Rows {
  return { identity: document.encodings.identity, columns: document.metadata.columns ?? query.columns };
}

/** Equal for equal bytes: of the rows, the format, and what the conversion takes from the query. */
export function formatDigest({ format, query, result }: FormattedRequest, { columns }: Rows): string {
  const types = columns.map((column) => [column.name, column.type, column.repeated, declaredShape(column)]);
  const prometheus = format === formats.prometheus ? query.prometheus : undefined;
  const source = [result.document.digest, format.names[0], types, prometheus];
  return hash('sha256', JSON.stringify(source), 'base64url');
}

/** The name of the file that a browser saves: what is in it and when it was computed, in letters that every system has. */
export function disposition({ format, query, result }: FormattedRequest): Reply['headers'] {
  if (format.fileExtension === undefined) return {};
  const moment = new Date(result.document.computedAt).toISOString();
  const name = `${query.name}-${moment.replace(/\.\d+Z$/, 'Z').replaceAll(':', '')}.${format.fileExtension}`;
  return { 'content-disposition': `attachment; filename="${name}"` };
}
