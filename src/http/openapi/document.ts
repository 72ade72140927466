import { camelCase, pascalCase } from '../../catalog/names.ts';
import type { CachePolicy, SavedQuery } from '../../catalog/saved-query.ts';
import { packageVersion } from '../../version.ts';
import { endpointPath, healthPath, readinessPath } from '../paths.ts';
import { headersOf, sharedHeaders } from './headers.ts';
import { type JsonObject, refTo } from './json-schema.ts';
import { requestParameters, sharedParameters } from './parameters.ts';
import { otherResponses, sharedResponses } from './responses.ts';
import { rowSchema } from './row-schema.ts';

/**
 * The REST interface of some saved queries as an OpenAPI 3.1 document. It describes what callers send and get, never the
 * SQL.
 */
export function openapiDocument(queries: readonly SavedQuery[]): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Querygate',
      version: packageVersion(),
      description:
        'Saved queries as GET requests. Parameters that an endpoint does not declare are ignored, and an empty value counts as absent.',
    },
    servers: [{ url: '/' }],
    security: [{ ApiKey: [] }, { Bearer: [] }],
    tags: [
      { name: 'endpoints', description: 'One path for each saved query.' },
      { name: 'health', description: 'For load balancers; no key is needed.' },
    ],
    paths: {
      ...Object.fromEntries(queries.map((query) => [endpointPath + query.name, { get: operation(query) }])),
      ...healthPaths,
    },
    components: {
      schemas: Object.fromEntries(queries.map((query) => [rowName(query), rowSchema(query)])),
      parameters: sharedParameters,
      headers: sharedHeaders,
      responses: sharedResponses,
      securitySchemes: {
        ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-KEY' },
        Bearer: { type: 'http', scheme: 'bearer', description: 'A key, or a JSON Web Token.' },
      },
    },
  };
}

const rowName = ({ name }: SavedQuery) => `${pascalCase(name)}Row`;

function operation(query: SavedQuery): JsonObject {
  const { id, name, description, maxRows, caching } = query;
  return {
    operationId: camelCase(name),
    tags: ['endpoints'],
    summary: description,
    description: `At most ${maxRows} rows. ${describeCaching(caching)} Also at ${endpointPath}${id}.`,
    parameters: requestParameters(query),
    responses: { 200: result(query), ...otherResponses },
  };
}

function describeCaching(caching: CachePolicy | 'disabled'): string {
  if (caching === 'disabled') return 'Results are not cached.';
  const { ttlSeconds, warmingSeconds } = caching;
  const warming =
    warmingSeconds === undefined ? '' : `, and refreshed every ${warmingSeconds} s while they are used`;
  return `Results are cached for ${ttlSeconds} s${warming}.`;
}

function result(query: SavedQuery): JsonObject {
  return {
    description: 'The rows, in the order of the saved query.',
    headers: headersOf(
      ...['ETag', 'Age', 'CacheControl', 'CacheStatus', 'Vary', 'RequestId', 'RateLimit', 'RateLimitPolicy'],
    ),
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['result'],
          properties: {
            result: {
              type: 'array',
              maxItems: query.maxRows,
              items: refTo('schemas', rowName(query)),
            },
          },
        },
      },
    },
  };
}

const healthReply: JsonObject = {
  description: 'The state of the process.',
  content: {
    'application/json': {
      schema: { type: 'object', required: ['status'], properties: { status: { type: 'string' } } },
    },
  },
};

const healthOperation = (operationId: string, summary: string, responses: JsonObject): JsonObject => ({
  get: { operationId, tags: ['health'], summary, security: [], responses },
});

const healthPaths: JsonObject = {
  [healthPath]: healthOperation('health_live', 'Whether the process lives.', { 200: healthReply }),
  [readinessPath]: healthOperation('health_ready', 'Whether it takes requests.', {
    200: healthReply,
    503: { ...healthReply, description: 'The process shuts down.' },
  }),
};
