import type { JsonObject } from '../../catalog/binding/parameter-schema.ts';
import { refTo } from './json-schema.ts';

const text = { type: 'string' };
const seconds = { type: 'integer', minimum: 0 };

const headers: Readonly<Record<string, { readonly name: string; readonly definition: JsonObject }>> = {
  ETag: header('ETag', text, 'A weak tag of the rows.'),
  Age: header('Age', seconds, 'Seconds since the rows were computed.'),
  CacheControl: header('Cache-Control', text, 'How long the response may be reused (RFC 9111, RFC 5861).'),
  CacheStatus: header('Cache-Status', text, 'How the rows were obtained (RFC 9211).'),
  RowCount: header('Querygate-Row-Count', { type: 'integer', minimum: 0 }, 'The number of rows.'),
  OfRows: header(
    'Querygate-Of-Rows',
    { type: 'integer', minimum: 0 },
    'The number of rows of the result, if the request has row arguments.',
  ),
  Truncated: header('Querygate-Truncated', { type: 'boolean' }, 'true if max rows cut the result.'),
  ComputedAt: header(
    'Querygate-Computed-At',
    { type: 'string', format: 'date-time' },
    'When the rows were computed.',
  ),
  DataVersion: header('Querygate-Data-Version', text, 'The snapshot of the lake that the rows are of.'),
  Cost: header('Querygate-Cost', text, 'What computing the rows cost, if the engine reports it (RFC 9651).'),
  Deprecation: header('Deprecation', text, 'Since when the endpoint is deprecated (RFC 9745).'),
  Sunset: header('Sunset', text, 'When the endpoint will be removed, if that is known (RFC 8594).'),
  Link: header(
    'Link',
    text,
    'Of a page, the next and the previous one (RFC 8288); the endpoint to use instead, as successor-version (RFC 5829).',
  ),
  ContentDisposition: header('Content-Disposition', text, 'The name of the file that a browser saves.'),
  Vary: header('Vary', text, 'The request headers that change the response.'),
  RequestId: header('X-Request-ID', text, 'The id of the request in the log.'),
  RateLimit: header('RateLimit', text, 'What is left of the rate of the key, if it has one.'),
  RateLimitPolicy: header('RateLimit-Policy', text, 'The rate of the key, if it has one.'),
  RetryAfter: header('Retry-After', seconds, 'When to try again, in seconds, if that is known.'),
  Warning: header('Querygate-Warning', text, 'What of the request was ignored, and what was probably meant.'),
  WwwAuthenticate: header('WWW-Authenticate', text, 'How to authenticate.'),
};

/** The headers of every response with rows, by the names in `sharedHeaders`. */
export const resultHeaders: readonly string[] = [
  ...['RowCount', 'Truncated', 'ComputedAt', 'DataVersion', 'Cost', 'ETag', 'Age', 'CacheControl'],
  ...['CacheStatus', 'Vary', 'RequestId', 'RateLimit', 'RateLimitPolicy', 'Warning'],
];

/** The further headers of responses to row arguments. */
export const rowArgumentHeaders: readonly string[] = ['OfRows'];

/** The further headers that responses of a query with pages may have. */
export const pageHeaders: readonly string[] = ['Link'];

/** The further headers that responses of a deprecated endpoint may have. */
export const deprecationHeaders: readonly string[] = ['Deprecation', 'Sunset', 'Link'];

/** Headers of a response, by their names in `sharedHeaders`. */
export function headersOf(...names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.map((name) => [headers[name]?.name ?? name, refTo('headers', name)] as const),
  );
}

/** The headers that `headersOf` refers to. */
export const sharedHeaders: JsonObject = Object.fromEntries(
  Object.entries(headers).map(([name, { definition }]) => [name, definition]),
);

function header(name: string, schema: JsonObject, description: string) {
  return { name, definition: { description, schema } };
}
