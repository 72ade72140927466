import type { SavedQuery } from '../catalog/model/saved-query.ts';
import type { Owner } from '../concurrency/fair-share.ts';
import type { LoopTurns } from '../concurrency/loop-turns.ts';
import type { Rows } from './rows.ts';

/** A part of a body, made in some milliseconds; undefined for work that made none. */
export type Part = string | Uint8Array | undefined;

/** For whom a body is made. */
export interface RenderTurn {
  readonly turns: LoopTurns;
  readonly owner: Owner;
  /** Aborted when no caller waits for it any more. */
  readonly signal: AbortSignal;
}

/** One form of the rows of a result, such as CSV. A plug-in adds forms by its list `renderers`. */
export interface Renderer {
  /** As in `?format=csv`, and as an extension of a path; the first one names the form. */
  readonly names: readonly [string, ...string[]];
  /** As responses name it. */
  readonly contentType: string;
  /** Media types by which a caller may accept it, without parameters; none if only a name chooses it. */
  readonly mediaTypes: readonly string[];
  /** The value that the parameter `version` of a media range must have, if it is given. */
  readonly version?: string;
  /** Of the file that a browser saves; undefined for what is not saved. */
  readonly fileExtension: string | undefined;
  /** True if its bytes are compressed, so that a content coding would gain nothing. */
  readonly isCompressed?: true;
  /** Why the rows of a query do not have this form, as `it declares no metrics`; undefined if they have. Left out: all have it. */
  unavailable?(query: SavedQuery, isCallerSql: boolean): string | undefined;
  /** The settings that the bytes depend on besides the rows and their columns, as JSON. */
  settings?(query: SavedQuery): unknown;
  /** The body in parts. Of a large result they are sent as they are made, unless `isWhole`. Undefined for the rows as they are kept. */
  readonly parts?: (rows: Rows, query: SavedQuery) => Iterator<Part, void>;
  /** True if no part may be sent before all are made. */
  readonly isWhole?: true;
  /** The whole body, if it is not made in parts. */
  readonly whole?: (rows: Rows, turn: RenderTurn) => Promise<Buffer>;
}
