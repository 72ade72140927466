import { z } from 'zod';
import { type ErrorCode, GatewayError } from '../../errors.ts';

/**
 * Why a leader's run failed, as followers learn it. It has no text: what callers read comes from this gateway, and never
 * from what is stored in a place that others can write to.
 */
export interface LeaderFailure {
  readonly code: keyof typeof messages;
  /** The parameter with the error; counts only if the query declares it. */
  readonly parameter?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** The codes with which a run may fail for every gateway alike. After any other end, a follower runs the query itself. */
const messages = {
  INVALID_PARAMETER: 'got a value that the query cannot use',
  QUERY_TOO_EXPENSIVE: 'The query would read or compute more than is allowed; request a shorter time window',
  ENGINE_FAILED: 'The query failed',
  ENGINE_MISCONFIGURED:
    'The service is not allowed to run this query; its operator must check its access to the data',
  DATA_UNREADABLE: 'The data of this query cannot be read',
  ENGINE_BUSY: 'The query engine is busy; try again in a moment',
  ENGINE_QUOTA_EXCEEDED: 'A quota of the query engine is exhausted; try again later',
  ENGINE_UNAVAILABLE: 'The query engine cannot be reached; try again later',
  ENGINE_TIMEOUT: 'No result in time; request a shorter time window, or try again later',
} as const satisfies Partial<Record<ErrorCode, string>>;

const codes = Object.keys(messages) as (keyof typeof messages)[];

const maxRetryAfterSeconds = 3_600;

const schema = z.strictObject({
  code: z.enum(codes),
  parameter: z.string().optional(),
  retryAfterSeconds: z.int().min(0).max(maxRetryAfterSeconds).optional(),
});

export function isSharedFailure(value: unknown): value is LeaderFailure {
  return schema.safeParse(value).success;
}

/** With these an engine fails that each gateway has for itself; that of another one may be well. */
const ofOwnEngine: ReadonlySet<string> = new Set(['DATA_UNREADABLE', 'ENGINE_BUSY', 'ENGINE_UNAVAILABLE']);

/**
 * @param isOneEngine true if all gateways have the same engine
 * @returns undefined for an error that is not shared: it concerns this gateway or its caller only
 */
export function leaderFailureOf(error: unknown, isOneEngine: boolean): LeaderFailure | undefined {
  if (!(error instanceof GatewayError) || (!isOneEngine && ofOwnEngine.has(error.code))) return undefined;
  const { code, parameter, retryAfterSeconds } = error;
  const failure = {
    code,
    parameter,
    retryAfterSeconds: retryAfterSeconds && Math.min(Math.ceil(retryAfterSeconds), maxRetryAfterSeconds),
  };
  return isSharedFailure(failure) ? failure : undefined;
}

/**
 * The error for a follower.
 *
 * @param parameters the names that the query declares
 */
export function leaderFailed(
  { code, parameter, retryAfterSeconds }: LeaderFailure,
  parameters: readonly string[],
): GatewayError {
  const isDeclared = parameter !== undefined && parameters.includes(parameter);
  const message = messages[code];
  const text =
    code === 'INVALID_PARAMETER' ? `${isDeclared ? parameter : 'A parameter'}: ${message}` : message;
  return new GatewayError(code, text, { parameter: isDeclared ? parameter : undefined, retryAfterSeconds });
}
