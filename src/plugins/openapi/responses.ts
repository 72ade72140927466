import { STATUS_CODES } from 'node:http';
import { type ErrorCode, statusOf } from '../../errors.ts';
import { deprecationHeaders, headersOf, resultHeaders } from './headers.ts';
import type { JsonObject } from '../../catalog/binding/parameter-schema.ts';
import { refTo } from './json-schema.ts';

/** Errors that no GET request without a body, to an endpoint that exists, can get. */
const otherErrors: ReadonlySet<ErrorCode> = new Set([
  'OPERATION_TOO_LARGE',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'BODY_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'CANCELLED',
  'NOT_IMPLEMENTED',
] satisfies ErrorCode[]);

/** True if a request to an endpoint may be answered with the code. */
export const isRestError = (code: string): boolean => !otherErrors.has(code as ErrorCode);

const codesByStatus = Map.groupBy(
  Object.entries(statusOf).filter(([code]) => isRestError(code)),
  ([, status]) => status,
);

const responseName = (status: number) => `Error${status}`;

/** The responses of an endpoint besides 200, by their status. */
export const otherResponses: JsonObject = Object.fromEntries([
  ['304', refTo('responses', 'NotModified')],
  ...[...codesByStatus.keys()].sort().map((status) => [status, refTo('responses', responseName(status))]),
]);

/** The responses that `otherResponses` refers to. */
export const sharedResponses: JsonObject = {
  NotModified: {
    description: 'The rows are those that If-None-Match names.',
    headers: headersOf(...resultHeaders, ...deprecationHeaders, 'ContentDisposition'),
  },
  ...Object.fromEntries(
    [...codesByStatus].map(([status, codes]) => [
      responseName(status),
      errorResponse(
        status,
        codes.map(([code]) => code),
      ),
    ]),
  ),
};

function errorResponse(status: number, codes: readonly string[]): JsonObject {
  const headers = [
    'RequestId',
    'CacheControl',
    ...(status === 401 ? ['WwwAuthenticate'] : ['RateLimit', 'RateLimitPolicy']),
    ...(status === 429 || status === 503 ? ['RetryAfter'] : []),
  ];
  return {
    description: `${STATUS_CODES[status]}: ${codes.join(', ')}.`,
    headers: headersOf(...headers),
    content: { 'application/json': { schema: errorSchema(codes) } },
  };
}

function errorSchema(codes: readonly string[]): JsonObject {
  return {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: {
          code: { type: 'string', enum: codes },
          message: { type: 'string', description: 'What was wrong, and what would be right, for people.' },
          parameter: { type: 'string', description: 'The parameter that was wrong, if it was one.' },
        },
      },
    },
  };
}
