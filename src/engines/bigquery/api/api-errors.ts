import { parseQuery, walk } from '@querygate/bigquery-sql/syntax';
import { foldName } from '@querygate/text';
import type { BoundQuery } from '../../../catalog/binding/bind.ts';
import { findQuotedParameter, unusableValue } from '../../../engine-contract/blame-parameter.ts';
import { callerSqlFailed, callerSqlRefused } from '../../../engine-contract/engine-errors.ts';
import { type ErrorCode, GatewayError, type GatewayErrorOptions } from '../../../errors.ts';

interface ApiErrorOptions extends GatewayErrorOptions {
  /** True if the same call may succeed if it is repeated. */
  readonly retry: boolean;
  /** The earliest time of the next attempt, in milliseconds from now. */
  readonly retryDelayMs?: number;
}

/** A failed call to BigQuery, as the caller sees it, and whether the call may be repeated. */
export class ApiError extends GatewayError {
  readonly retry: boolean;
  readonly retryDelayMs: number;

  constructor(code: ErrorCode, message: string, { retry, retryDelayMs = 0, ...options }: ApiErrorOptions) {
    super(code, message, options);
    this.retry = retry;
    this.retryDelayMs = retryDelayMs;
  }
}

/** An error as BigQuery reports it: with an HTTP status, or inside a reply with status 200. */
interface ReportedError {
  readonly status: number;
  /** BigQuery's own code; undefined if the body has none, as from a proxy or an OAuth server. */
  readonly reason: string | undefined;
  /** BigQuery's text: it names projects and tables and quotes SQL, so it is for the log only. */
  readonly message: string;
  /** The header Retry-After, in seconds. */
  readonly retryAfterSeconds: number | undefined;
  /** True if the call was one about a job that had begun. */
  readonly isPoll?: boolean;
}

/** How a class of failures is reported to callers, and whether a call that failed so is repeated. */
interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retry?: boolean;
  readonly retryAfterSeconds?: number;
  readonly isOverMaximum?: boolean;
}

const failed: Failure = { code: 'ENGINE_FAILED', message: 'The query failed' };
const misconfigured: Failure = {
  code: 'ENGINE_MISCONFIGURED',
  message: 'The service is not allowed to run this query; its operator must check its access to the data',
};
const busy: Failure = {
  code: 'ENGINE_BUSY',
  message: 'The query engine is busy; try again in a moment',
  retry: true,
  retryAfterSeconds: 5,
};
const unavailable: Failure = {
  code: 'ENGINE_UNAVAILABLE',
  message: 'The query engine cannot be reached; try again later',
  retry: true,
  retryAfterSeconds: 5,
};
const expensive: Failure = {
  code: 'QUERY_TOO_EXPENSIVE',
  message: 'The query would read or compute more than is allowed; request a shorter time window',
};
const quotaExceeded: Failure = {
  code: 'ENGINE_QUOTA_EXCEEDED',
  message: 'A quota of the query engine is exhausted; try again later',
  // "Wait at least 10 minutes", says BigQuery's page on its error messages.
  retryAfterSeconds: 600,
};
const timedOut: Failure = {
  code: 'ENGINE_TIMEOUT',
  message: 'The query was stopped before it finished; request a shorter time window, or try again later',
};

/** @see https://cloud.google.com/bigquery/docs/error-messages */
const failuresByReason: Readonly<Record<string, Failure>> = {
  invalidQuery: failed,
  invalid: failed,
  accessDenied: misconfigured,
  billingNotEnabled: misconfigured,
  blocked: misconfigured,
  notFound: misconfigured,
  authError: misconfigured,
  required: misconfigured,
  rateLimitExceeded: busy,
  jobRateLimitExceeded: busy,
  userRateLimitExceeded: busy,
  concurrentLimitExceeded: busy,
  RESOURCE_EXHAUSTED: busy,
  quotaExceeded,
  dailyLimitExceeded: quotaExceeded,
  backendError: unavailable,
  internalError: unavailable,
  jobBackendError: unavailable,
  jobInternalError: unavailable,
  tableUnavailable: unavailable,
  timeout: timedOut,
  stopped: timedOut,
  responseTooLarge: expensive,
  resourcesExceeded: expensive,
  billingTierLimitExceeded: expensive,
  bytesBilledLimitExceeded: { ...expensive, isOverMaximum: true },
};

/** Of a job: polling it again changes nothing. */
const finalOfJob = ['jobBackendError', 'jobInternalError', 'jobRateLimitExceeded', 'tableUnavailable'];

/** The error for a failure that BigQuery reports. */
export function queryFailed(reported: ReportedError, bound: BoundQuery): GatewayError {
  const { status, reason, message, retryAfterSeconds, isPoll } = reported;
  const cause = new Error(`BigQuery: ${status} ${reason ?? ''} ${message}`.slice(0, 4000));
  const failure = (reason === undefined ? undefined : failuresByReason[reason]) ?? failureByStatus(status);
  const isFinal = isPoll === true && finalOfJob.includes(reason ?? '');
  if (failure !== failed)
    return toApiError(isFinal ? { ...failure, retry: false } : failure, cause, retryAfterSeconds);
  if (bound.sql !== undefined) {
    const problem = problemOfText(message, bound.sql);
    // Of several errors in values, rows of other tenants may decide which one is reported.
    return problem === undefined ? callerSqlFailed(cause) : callerSqlRefused(problem, cause);
  }
  const blamed = blamedParameter(message, bound);
  if (blamed !== undefined) return unusableValue(blamed, cause);
  return toApiError(failure, cause, retryAfterSeconds);
}

/** The error for a call without a complete response. */
export function connectionFailed(cause: unknown): ApiError {
  return toApiError(unavailable, cause);
}

/** The error for a call that takes longer than BigQuery was allowed to. */
export function callTimedOut(): ApiError {
  return toApiError({ ...timedOut, retry: true }, new Error('BigQuery: no response in time'));
}

/** The error for credentials that are missing or rejected, or whose server cannot be reached. */
export function credentialsFailed(cause: unknown): ApiError {
  const { response, code } = (cause ?? {}) as { response?: { status?: number }; code?: unknown };
  const isNetwork = response === undefined && networkCodes.has(String(code));
  const failure = isNetwork ? unavailable : failureByStatus(response?.status ?? 0);
  return toApiError(failure === failed ? misconfigured : failure, cause);
}

const networkCodes = new Set(
  'ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT ENETUNREACH EHOSTUNREACH ENOTFOUND EAI_AGAIN'.split(' '),
);

/** The error for a response that BigQuery would not send: a proxy's HTML, half a body, rows that contradict their schema. */
export function malformedResponse(what: string, { retry = false } = {}): ApiError {
  return new ApiError('ENGINE_UNAVAILABLE', 'The query engine sent a malformed response; try again later', {
    retry,
    retryAfterSeconds: 5,
    cause: new Error(`Malformed response from BigQuery: ${what}`),
  });
}

function toApiError(
  { code, message, retry = false, isOverMaximum, ...failure }: Failure,
  cause: unknown,
  reportedSeconds = 0,
): ApiError {
  const options = { retry, retryDelayMs: reportedSeconds * 1000, isOverMaximum, cause };
  const { retryAfterSeconds } = failure;
  if (retryAfterSeconds === undefined) return new ApiError(code, message, options);
  return new ApiError(code, message, {
    ...options,
    retryAfterSeconds: Math.max(retryAfterSeconds, reportedSeconds),
  });
}

/** The failure that a status means if BigQuery gives no known reason. */
function failureByStatus(status: number): Failure {
  if (status === 429) return busy;
  if (status === 408 || status >= 500) return unavailable;
  return status === 401 || status === 403 || status === 404 ? misconfigured : failed;
}

const textProblem =
  /^(Unrecognized name: |Function not found: |No matching signature for (?:(?:aggregate |analytic )?function|operator) |Name )([^\s;,]+).* at \[\d+:\d+\]/s;

/** The part of a message about the text of a caller's SQL, which no row decides; undefined if it is about the saved text. */
function problemOfText(message: string, sql: string): string | undefined {
  const [, problem = '', name = ''] = textProblem.exec(message.slice(0, 4000)) ?? [];
  if (name === '' || !foldName(sql).includes(foldName(name)) || callsError(sql)) return undefined;
  return problem === 'Name ' ? `Unrecognized name: ${name}` : problem + name;
}

/** ERROR() could write the same message of any value. */
function callsError(sql: string): boolean {
  let isCalled = false;
  walk(parseQuery(sql), (node) => {
    if (node.kind === 'FunctionCall') isCalled ||= foldName(node.name.parts.at(-1)?.name ?? '') === 'error';
  });
  return isCalled;
}

/** The parameter whose value the message quotes, as in `Bad int64 value: abc`, or that is a pattern RE2 rejects. */
function blamedParameter(message: string, bound: BoundQuery): string | undefined {
  // An error with a position in the SQL is one of the SQL, whatever the values.
  if (/\[(at )?\d+:\d+\]/.test(message)) return undefined;
  const quoted = findQuotedParameter(message, bound);
  if (quoted !== undefined) return quoted;
  if (!/regular expression|parsing regexp/i.test(message)) return undefined;
  return bound.query.parameters.find(({ type }) => type === 'pattern')?.name;
}
