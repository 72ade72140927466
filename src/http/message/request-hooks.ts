import type { Exchange } from './exchange.ts';
import type { ObtainedResult } from '../../results/get-result.ts';
import type { RequestHead } from './head.ts';
import type { LogFields } from './log-fields.ts';
import type { Reply } from './reply.ts';

/**
 * The hooks of plug-ins on the way of a request, in the order of the plug-ins; empty lists cost nothing. `onRequest`
 * and `onReply` may throw a `GatewayError`, the others never throw.
 */
export interface RequestHooks {
  readonly translate: readonly ((head: RequestHead) => RequestHead)[];
  readonly onRequest: readonly ((exchange: Exchange) => void | Promise<void>)[];
  readonly onReply: readonly ((exchange: Exchange, reply: Reply) => Reply)[];
  readonly logFields: readonly ((exchange: Exchange, reply: Reply) => LogFields | undefined)[];
  readonly onSent: readonly ((exchange: Exchange, reply: Reply, seconds: number) => void)[];
  readonly onStreamed: readonly ((exchange: Exchange, bytes: number) => void)[];
  /** Shows a result that a caller gets to the plug-ins. @throws GatewayError to refuse it */
  readonly showResult: (obtained: ObtainedResult, head: Pick<RequestHead, 'results'>) => void;
}
