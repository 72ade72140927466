import { shorten } from '@querygate/text';
import { GatewayError } from '../errors.ts';

/** Queued queries start as soon as a running one ends, so a retry may succeed soon. */
const queueRetryAfterSeconds = 1;

/** The error for a query that arrives when as many others are waiting as may, or nearly all are of its own key. */
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

/**
 * The treatment of an integer that JSON numbers cannot represent: the query fails, or, in a result of a caller's SQL,
 * it is text, as BigQuery's TO_JSON writes it. The author of a header can choose another type; a caller cannot.
 */
export type LargeIntegers = 'fail' | 'text';

/** The error for a row in which a column is NULL that the header declares as required. */
export function missingRequiredColumn(name: string): GatewayError {
  return new GatewayError(
    'ENGINE_FAILED',
    `The query returned a row without ${name}, which its header declares as required`,
  );
}

/** The longest value in a result of a caller's SQL, in bytes: callers can make values of any length. */
export const maxCellBytes = 1_000_000;

/** The longest result of a caller's SQL, in bytes. */
export const maxCallerResultBytes = 16_000_000;

/** Part of the message for a value that is longer than `maxCellBytes`. */
export const cellTooLarge = `a value of the result has more than ${maxCellBytes.toLocaleString('en-US')} bytes`;

const resultTooLarge = `the result has more than ${maxCallerResultBytes.toLocaleString('en-US')} bytes`;

/** The error for a result of a caller's SQL that is longer than `maxCallerResultBytes`, or has a value that is too long. */
export const callerResultTooLarge = (what: string = resultTooLarge): GatewayError =>
  new GatewayError(
    'QUERY_TOO_EXPENSIVE',
    `sql: ${what}; select fewer columns or rows, or a part of the value`,
  );

/** The error for a caller's SQL that the engine does not accept. @param problem about its text, not about values */
export const callerSqlRefused = (problem: string, cause: unknown): GatewayError =>
  new GatewayError('INVALID_PARAMETER', `sql: ${shorten(problem, 200)}`, { parameter: 'sql', cause });

/** The error for a caller's SQL that fails when it runs. Values are not quoted: they may be of rows that it cannot return. */
export const callerSqlFailed = (cause: unknown): GatewayError =>
  new GatewayError(
    'INVALID_PARAMETER',
    'sql: failed when it ran, because of a value of a row or an argument; SAFE_CAST, SAFE_DIVIDE and SAFE. before a function give NULL instead',
    { parameter: 'sql', cause },
  );
