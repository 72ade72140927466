import type { RequestHead } from '../../../http/message/head.ts';
import type { Admission } from '../../../call/caller.ts';
import type { Era } from '../protocol/era.ts';

/** A request that was understood. */
export interface CallRequest {
  readonly head: RequestHead;
  readonly admission: Admission;
  readonly era: Era;
  /** Where the caller reaches the gateway; undefined if that is not known. */
  readonly origin: string | undefined;
}

/** The facts about a call for the log. If they are frozen, the log writes the same object again without a check. */
export type CallFacts = Readonly<{
  tool: string;
  rows?: number;
  dryRun?: boolean;
  /** The code of an error that the model gets. */
  error?: string;
}>;
