import type { Logger } from 'pino';
import type { Catalog } from '../../catalog/model/saved-query.ts';
import type { RejectKeys } from '../access/reject-keys-in-urls.ts';
import type { Handler } from '../handler/handle.ts';
import type { Reply } from '../message/reply.ts';
import type { Answer } from '../message/route.ts';
import { buildCompatRest } from './answer-rest.ts';
import { replyLogflareError } from './reply-error.ts';
import { translateRequest } from './translate-request.ts';

interface LogflareOptions {
  readonly catalog: Catalog;
  /** The strict REST API. */
  readonly rest: Answer;
  readonly rejectKeys: RejectKeys;
}

/**
 * What differs under `COMPAT=logflare`: requests are translated before they are handled, and REST answers as Logflare does.
 * Nothing else is changed, and without the setting nothing here is called. The table is in docs/logflare.md.
 */
export interface LogflareCompat {
  /** Answers GET, HEAD and POST. */
  readonly rest: Answer;
  readonly replyError: (error: unknown, log: Logger) => Reply;
}

export function buildLogflareCompat(options: LogflareOptions): LogflareCompat {
  return {
    rest: buildCompatRest(options),
    replyError: replyLogflareError,
  };
}

/** The handler, for requests as Logflare's clients send them. */
export const acceptLogflareRequests =
  (handle: Handler): Handler =>
  (head, readBody) =>
    handle(translateRequest(head), readBody);
