import type { LoopTurns } from '../../../concurrency/loop-turns.ts';
import type { GatewayError } from '../../../errors.ts';
import { RowPatches } from './row-patch.ts';
import type { ResultDocument } from '../../../results/result-document.ts';
import type { Frame } from '../../../http/message/stream/frame.ts';
import { errorFrame, etagOf, eventFrame } from './event-frames.ts';

/** How results are written for some clients. Variants with equal ids write the same. */
export interface Variant {
  readonly id: string;
  /** An event with the whole result. @throws GatewayError for what passes: it is tried again with the next refresh */
  whole(document: ResultDocument): Frame | Promise<Frame>;
  /** For one feed, whose results come one after another. */
  newChanges?(): Changes;
  /** An event that says why there are no newer results. */
  error(error: GatewayError): Frame;
}

/** Writes what has changed from each result of a feed to the next. */
export interface Changes {
  /** Bytes that it keeps of the newest result. */
  readonly keptBytes: number;
  /** An event with what has changed; undefined if a whole result is hardly longer. */
  between(from: ResultDocument, to: ResultDocument): Promise<Frame | undefined>;
}

/** The body of REST as an event. */
export const wholeResults: Variant = {
  id: 'whole',
  whole: ({ digest, encodings }) => eventFrame('next', etagOf(digest), encodings.identity),
  error: errorFrame,
};

/** A patch that is longer than this part of the whole result is not worth applying. */
const maxPatchShare = 0.6;

/** The first result as REST has it, and then the rows that have changed. */
export function changedRows(rowKey: readonly string[] | undefined, turns: LoopTurns): Variant {
  return {
    ...wholeResults,
    id: 'rows',
    newChanges() {
      const patches = new RowPatches(rowKey);
      return {
        get keptBytes() {
          return patches.keptBytes;
        },
        async between(from, to) {
          const largest = maxPatchShare * to.encodings.identity.byteLength;
          const patch = await turns.run(undefined, patches.between(from, to, etagOf(from.digest), largest));
          return patch === undefined ? undefined : eventFrame('patch', etagOf(to.digest), ...patch);
        },
      };
    },
  };
}
