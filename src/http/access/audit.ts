import type { Logger } from 'pino';
import { GatewayError } from '../../errors.ts';
import type { CallingRequest } from '../../call/caller.ts';
import { idsOf } from '../message/request-trace.ts';

/**
 * Writes a line to the log if an error is a refusal: who was refused what, and why. The reply says less. An error that passes
 * several places is written once, and of the refusals of a request those that are not equal to one before.
 *
 * @param keyId of the caller; undefined without a valid key
 */
export type Audit = (error: unknown, head: CallingRequest, keyId: string | undefined) => void;

/** Characters of a caller's text. */
const maxTextLength = 200;

/** @param isKeyText recognizes keys and tokens, which are pasted into wrong places */
export function buildAudit(log: Logger, isKeyText: (text: string) => boolean): Audit {
  const readable = (text: string) =>
    isKeyText(text) ? '(a key)' : text.slice(0, maxTextLength).toWellFormed();
  const written = new WeakSet<GatewayError>();
  const linesOf = new WeakMap<CallingRequest, Set<string>>();
  /** False for a line that the request has: an operation may be refused the same in hundreds of entities. */
  const isNew = (head: CallingRequest, facts: readonly unknown[]): boolean => {
    const lines = linesOf.get(head) ?? new Set();
    linesOf.set(head, lines);
    const { size } = lines;
    return lines.add(JSON.stringify(facts)).size > size;
  };
  return (error, head, keyId) => {
    if (!(error instanceof GatewayError) || error.refusal === undefined || written.has(error)) return;
    written.add(error);
    const { reason, endpoint, tenant, keyId: rejectedKey, problem } = error.refusal;
    const key = keyId ?? rejectedKey;
    if (!isNew(head, [reason, error.status, key, endpoint, tenant, problem])) return;
    const { method, address, trace } = head;
    log.info(
      {
        // A logger of its own for each request would take longer than the refusal.
        ...(trace && idsOf(trace)),
        reason,
        status: error.status,
        method,
        ...(address !== undefined && { address }),
        ...(key !== undefined && { key }),
        ...(endpoint !== undefined && { endpoint: readable(endpoint) }),
        ...(tenant !== undefined && { tenant: readable(tenant) }),
        ...(problem !== undefined && { problem }),
      },
      'refused',
    );
  };
}
