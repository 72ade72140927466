import { GatewayError } from '../errors.ts';

/** Queued queries start as soon as a running one ends, so a retry may succeed soon. */
const queueRetryAfterSeconds = 1;

/** The error for a query that arrives when `ENGINE_QUEUE_LENGTH` others are waiting, or nearly all are of its own key. */
export const queueFull = (): GatewayError =>
  new GatewayError('ENGINE_BUSY', 'Too many queries are waiting; try again in a moment', {
    retryAfterSeconds: queueRetryAfterSeconds,
  });

/** The error for a query that has not finished within `ENGINE_TIMEOUT_MS`. */
export function deadlineExceeded(timeoutMs: number, cause?: unknown): GatewayError {
  const message = `No result within ${timeoutMs} ms; request a shorter time window, or try again later`;
  return new GatewayError('ENGINE_TIMEOUT', message, { cause });
}

/** The error for a query that is stopped because the engine closes. */
export function engineClosing(cause?: unknown): GatewayError {
  return new GatewayError('CANCELLED', 'The service is shutting down', { cause });
}

/** Part of the message for an integer that a result cannot carry. */
export const unsafeInteger = 'an integer is beyond 2^53, which JSON numbers cannot represent exactly';

/** The error for a row in which a column is NULL that the header declares as required. */
export function missingRequiredColumn(name: string): GatewayError {
  return new GatewayError(
    'ENGINE_FAILED',
    `The query returned a row without ${name}, which its header declares as required`,
  );
}
