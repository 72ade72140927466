import { hash } from 'node:crypto';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import type { Owner } from '../../concurrency/fair-share.ts';
import type { Renderer } from '../../formats/renderer.ts';
import type { Rows } from '../../formats/rows.ts';
import { declaredShape } from '../../formats/shape.ts';
import type { CachedResult } from '../../results/get-result.ts';
import type { RequestHead } from '../message/head.ts';
import type { Reply } from '../message/reply.ts';

/** A result that is to be sent in another form than it is kept in. */
export interface RenderRequest {
  readonly renderer: Renderer;
  readonly query: SavedQuery;
  readonly result: CachedResult;
  readonly head: RequestHead;
  readonly owner: Owner;
}

/** The rows of the result, and their columns: those of the header, or of a caller's SQL. */
export function rowsOf({ query, result: { document } }: RenderRequest): Rows {
  return { identity: document.encodings.identity, columns: document.metadata.columns ?? query.columns };
}

/** Equal for equal bytes: of the rows, the form, and what it takes from the query. */
export function renderedDigest({ renderer, query, result }: RenderRequest, { columns }: Rows): string {
  const types = columns.map((column) => [column.name, column.type, column.repeated, declaredShape(column)]);
  const source = [result.document.digest, renderer.names[0], types, renderer.settings?.(query)];
  return hash('sha256', JSON.stringify(source), 'base64url');
}

/** The name of the file that a browser saves: what is in it and when it was computed, in letters that every system has. */
export function disposition({ renderer, query, result }: RenderRequest): Reply['headers'] {
  const { fileExtension } = renderer;
  if (fileExtension === undefined) return {};
  const moment = new Date(result.document.computedAt).toISOString();
  const name = `${query.name}-${moment.replace(/\.\d+Z$/, 'Z').replaceAll(':', '')}.${fileExtension}`;
  return { 'content-disposition': `attachment; filename="${name}"` };
}
