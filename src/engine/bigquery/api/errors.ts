import type { BoundQuery } from '../../../catalog/binding/bind.ts';
import { type ErrorCode, GatewayError } from '../../../errors.ts';

/** A refusal of BigQuery's: its HTTP status, and what its body says. */
export interface Refusal {
  readonly status: number;
  /** BigQuery's own word; undefined where the body has none, as from a proxy or an OAuth server. */
  readonly reason: string | undefined;
  /** BigQuery's text: it names projects and tables and quotes SQL, so it is for the log. */
  readonly message: string;
  /** The header Retry-After, in seconds. */
  readonly retryAfterSeconds: number | undefined;
}

/** A failure as callers are told, and whether asking again may help. */
export class EngineFailure extends Error {
  readonly error: GatewayError;
  readonly retry: boolean;
  /** How long BigQuery asked us to wait before that, in milliseconds. */
  readonly notBeforeMs: number;

  constructor(error: GatewayError, retry: boolean, notBeforeMs = 0) {
    super(error.message, { cause: error });
    this.name = 'EngineFailure';
    this.error = error;
    this.retry = retry;
    this.notBeforeMs = notBeforeMs;
  }
}

interface Verdict {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retry?: boolean;
  readonly retryAfterSeconds?: number;
}

const failed: Verdict = { code: 'ENGINE_FAILED', message: 'The query failed' };
const misconfigured: Verdict = {
  code: 'ENGINE_MISCONFIGURED',
  message: 'The service may not run this query; its operator has to look at its access to the data',
};
const busy: Verdict = {
  code: 'ENGINE_BUSY',
  message: 'The query engine is busy; try again in a moment',
  retry: true,
  retryAfterSeconds: 5,
};
const unavailable: Verdict = {
  code: 'ENGINE_UNAVAILABLE',
  message: 'The query engine cannot be reached; try again later',
  retry: true,
  retryAfterSeconds: 5,
};
const expensive: Verdict = {
  code: 'QUERY_TOO_EXPENSIVE',
  message: 'The query would read or compute more than is allowed; ask for a shorter window',
};
const quota: Verdict = {
  code: 'ENGINE_QUOTA_EXCEEDED',
  message: 'A quota of the query engine is used up; try again later',
  // "Wait at least 10 minutes" is what BigQuery's page on its error messages says.
  retryAfterSeconds: 600,
};
const timedOut: Verdict = {
  code: 'ENGINE_TIMEOUT',
  message: 'The query was stopped before it finished; ask for a shorter window, or try again later',
};

/** @see https://cloud.google.com/bigquery/docs/error-messages */
const byReason: Readonly<Record<string, Verdict>> = {
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
  quotaExceeded: quota,
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
  bytesBilledLimitExceeded: expensive,
};

/** A refusal as callers are told. */
export function explainRefusal(refusal: Refusal, bound: BoundQuery): EngineFailure {
  const { status, reason, message, retryAfterSeconds } = refusal;
  const cause = new Error(`BigQuery: ${status} ${reason ?? ''} ${message}`.slice(0, 4000));
  const verdict = (reason === undefined ? undefined : byReason[reason]) ?? byStatus(status);
  const blamed = verdict === failed ? blame(message, bound) : undefined;
  if (blamed !== undefined) {
    const told = `${blamed}: got a value that the query cannot use`;
    return new EngineFailure(
      new GatewayError('INVALID_PARAMETER', told, { parameter: blamed, cause }),
      false,
    );
  }
  return toFailure(verdict, cause, retryAfterSeconds);
}

/** BigQuery was not reached, or not to the end of its answer. */
export function explainNetwork(cause: unknown): EngineFailure {
  return toFailure(unavailable, cause);
}

/** A call went unanswered for longer than BigQuery was told to take. */
export function explainSilence(): EngineFailure {
  return toFailure({ ...timedOut, retry: true }, new Error('BigQuery: no answer to a call'));
}

/** No credentials were found, or whoever gives them refused, or could not be reached. */
export function explainCredentials(cause: unknown): EngineFailure {
  const { response, code } = (cause ?? {}) as { response?: { status?: number }; code?: unknown };
  const isNetwork = response === undefined && networkCodes.has(String(code));
  return toFailure(isNetwork || (response?.status ?? 0) >= 500 ? unavailable : misconfigured, cause);
}

const networkCodes = new Set(
  'ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT ENETUNREACH EHOSTUNREACH ENOTFOUND EAI_AGAIN'.split(' '),
);

function toFailure(verdict: Verdict, cause: unknown, given?: number): EngineFailure {
  const seconds =
    verdict.retryAfterSeconds === undefined ? undefined : Math.max(verdict.retryAfterSeconds, given ?? 0);
  return new EngineFailure(
    new GatewayError(verdict.code, verdict.message, {
      cause,
      ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
    }),
    verdict.retry ?? false,
    (given ?? 0) * 1000,
  );
}

/** What a status means where BigQuery gives no reason that is known. */
function byStatus(status: number): Verdict {
  if (status === 429) return busy;
  if (status === 408 || status >= 500) return unavailable;
  return status === 401 || status === 403 || status === 404 ? misconfigured : failed;
}

/** The parameter whose value the message quotes, as `Bad int64 value: abc` does, or that is a pattern RE2 refuses. */
function blame(message: string, { query, parameters }: BoundQuery): string | undefined {
  // What stands at a place in the SQL is wrong with any values.
  if (/\[(at )?\d+:\d+\]/.test(message)) return undefined;
  const quoted = query.parameters.find(({ name }) => quotes(message, parameters[name] ?? ''));
  if (quoted !== undefined) return quoted.name;
  if (!/regular expression|parsing regexp/i.test(message)) return undefined;
  return query.parameters.find(({ type }) => type === 'pattern')?.name;
}

function quotes(message: string, value: string): boolean {
  if (value === '') return false;
  return (
    [`'${value}'`, `"${value}"`, `\`${value}\``].some((quoted) => message.includes(quoted)) ||
    message.endsWith(`: ${value}`) ||
    message.includes(`: ${value};`)
  );
}
