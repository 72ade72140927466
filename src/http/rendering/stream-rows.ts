import type { Readable } from 'node:stream';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import type { Rows } from '../../formats/rows.ts';
import { codings } from '../../results/encodings.ts';
import type { ByteBudget } from '../message/byte-budget.ts';
import { chooseCoding } from '../message/content-coding.ts';
import type { Reply } from '../message/reply.ts';
import type { RenderRequest } from './render-request.ts';
import { streamParts } from './row-stream.ts';

interface StreamOptions {
  readonly budget: ByteBudget;
  readonly turns: LoopTurns;
}

/**
 * Renders rows while they are sent. The rows are in memory for as long as the reader takes, and are charged to its key.
 *
 * @returns the body with the headers that describe it
 * @throws GatewayError OVERLOADED
 */
export function streamRows(
  rows: Rows,
  request: RenderRequest,
  { budget, turns }: StreamOptions,
): Pick<Reply, 'headers'> & { readonly body: Readable } {
  const { renderer, query, head, owner } = request;
  budget.requireRoom(owner, rows.identity);
  const accepted = head.headers['accept-encoding'];
  const coding = accepted === undefined ? 'identity' : chooseCoding(available, accepted);
  const charge = budget.hold(owner, rows.identity);
  const body = streamParts(renderer.parts?.(rows, query) ?? [].values(), coding, { turns, owner });
  body.once('close', () => charge.release());
  return { headers: coding === 'identity' ? {} : { 'content-encoding': coding }, body };
}

/** A stream can be compressed in every coding. */
const available = Object.fromEntries(codings.map((coding) => [coding, true]));
