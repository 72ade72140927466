import { type Problem, ProblemError } from '@querygate/bigquery-sql/problem';

export { describeProblem, type Problem } from '@querygate/bigquery-sql/problem';

/** Why the gateway or a command cannot start: all of its problems at once. Its message has a line for each. */
export class StartError extends ProblemError {
  override readonly name = 'StartError';

  /** The compiler's error for SQL is one too. */
  static override [Symbol.hasInstance](error: unknown): boolean {
    return error instanceof ProblemError;
  }
}

/** Each problem once: several queries may have one cause. */
export const distinctProblems = (problems: readonly Problem[]): readonly Problem[] => [
  ...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values(),
];

/** All error codes, each with its HTTP status. Codes are never reused. */
export const statusOf = {
  INVALID_PARAMETER: 400,
  MISSING_PARAMETER: 400,
  BAD_REQUEST: 400,
  OPERATION_TOO_LARGE: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  UNKNOWN_QUERY: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  REQUEST_TIMEOUT: 408,
  BODY_TOO_LARGE: 413,
  URL_TOO_LONG: 414,
  UNSUPPORTED_MEDIA_TYPE: 415,
  QUERY_TOO_EXPENSIVE: 422,
  RATE_LIMITED: 429,
  BUDGET_EXCEEDED: 429,
  HEADERS_TOO_LARGE: 431,
  CANCELLED: 499,
  INTERNAL: 500,
  NOT_IMPLEMENTED: 501,
  ENGINE_FAILED: 502,
  ENGINE_MISCONFIGURED: 502,
  DATA_UNREADABLE: 502,
  ENGINE_BUSY: 503,
  ENGINE_QUOTA_EXCEEDED: 503,
  ENGINE_UNAVAILABLE: 503,
  OVERLOADED: 503,
  ENGINE_TIMEOUT: 504,
} as const;

/** The code of an error that callers may see, as in the body of a reply. */
export type ErrorCode = keyof typeof statusOf;

/** Why a caller is refused: for the log. The message to the caller says less. */
export interface Refusal {
  readonly reason:
    | 'missing'
    | 'two keys'
    | 'unknown'
    | 'unknown caller'
    | 'expired'
    | 'revoked'
    | 'address'
    | 'token'
    | 'endpoint'
    | 'no such endpoint'
    | 'tenant'
    | 'permission'
    | 'rate'
    | 'concurrency';
  /** The name of the saved query that was requested; of one that does not exist, a text that looks like a name. */
  readonly endpoint?: string;
  /** The tenant that was requested, as the caller wrote it. */
  readonly tenant?: string;
  /** The id of a key that is not valid. */
  readonly keyId?: string | undefined;
  /** The problem with a token. */
  readonly problem?: string;
}

/** The details of an error besides its code and its message. */
export interface GatewayErrorOptions {
  /** The parameter with the error, as the saved query names it. */
  readonly parameter?: string | undefined;
  /** When a retry may succeed: the header Retry-After. */
  readonly retryAfterSeconds?: number | undefined;
  /** True if a plus sign of a value seems to be a space, as it is in a URL where it is not encoded. */
  readonly hasLostPlus?: boolean | undefined;
  /** Of errors that refuse a caller what others may do. */
  readonly refusal?: Refusal | undefined;
  /** True if a run would have cost more than its `maximumBytesBilled`, of `RunOptions`. */
  readonly isOverMaximum?: boolean | undefined;
  /** The id of the key that alone is refused: callers with another key who wait for its run begin one of their own. */
  readonly onlyFor?: string | undefined;
  /** The original error: for the log, never for the caller. */
  readonly cause?: unknown;
}

/**
 * An error that callers may see. Its message says what was wrong and what would be right, and never contains SQL,
 * table names, keys or stack traces.
 */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly parameter: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly refusal: Refusal | undefined;
  readonly isOverMaximum: boolean;
  readonly onlyFor: string | undefined;
  readonly hasLostPlus: boolean;

  constructor(code: ErrorCode, message: string, options: GatewayErrorOptions = {}) {
    // Code without types may give another one: it must refuse all the same.
    const isKnown = Object.hasOwn(statusOf, code);
    const cause = isKnown ? options.cause : new TypeError(`there is no error code ${code}`, options);
    // The stack is never shown, what went wrong inside is in the cause, and collecting it takes as long as a refusal.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, cause === undefined ? undefined : { cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'GatewayError';
    this.code = isKnown ? code : 'INTERNAL';
    this.parameter = options.parameter;
    const { retryAfterSeconds = -1 } = options;
    this.retryAfterSeconds =
      Number.isFinite(retryAfterSeconds) && retryAfterSeconds >= 0 ? retryAfterSeconds : undefined;
    this.refusal = options.refusal;
    this.isOverMaximum = options.isOverMaximum === true;
    this.onlyFor = options.onlyFor;
    this.hasLostPlus = options.hasLostPlus === true;
  }

  get status(): number {
    return statusOf[this.code];
  }
}

/** An error of code that the gateway was given: a plug-in, or a function of keys. Callers get INTERNAL. */
export class GivenCodeError extends Error {
  /** Fields of the log that say whose it is. */
  readonly facts: Readonly<Record<string, string>>;

  /** @param message for the log @param cause what the code has thrown */
  constructor(message: string, cause: unknown, facts: GivenCodeError['facts'] = {}) {
    super(message, { cause });
    this.facts = facts;
  }
}

/** The error of a plug-in, for the log with its name; one that callers may see stays as it is. */
export const pluginError = (error: unknown, plugin: string, hook: string): unknown =>
  error instanceof GatewayError || error instanceof GivenCodeError
    ? error
    : new GivenCodeError('a plug-in has failed', error, { plugin, hook });

/** The caller disconnected before the response was ready, so this error is never sent. */
export function callerDisconnected(cause?: unknown): GatewayError {
  return new GatewayError('CANCELLED', 'The caller has disconnected', { cause });
}

/** The value that a function gives; undefined if it throws a `GatewayError`. */
export function unlessRefused<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}
