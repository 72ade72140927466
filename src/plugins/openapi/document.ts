import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import { mainNames, publicNames, queriesByName } from '../../catalog/model/versions.ts';
import { Renderers } from '../../formats/renderers.ts';
import { runSteps } from '../../concurrency/loop-turns.ts';
import { endpointPath, healthPath, readinessPath } from '../../http/message/paths.ts';
import { packageVersion } from '../../version.ts';
import { sharedHeaders } from './headers.ts';
import type { JsonObject } from '../../catalog/binding/parameter-schema.ts';
import { fileOperation, operation, rowName, sqlOperation } from './operations.ts';
import { sharedParameters } from './parameters.ts';
import { sharedResponses } from './responses.ts';
import { rowSchema } from './row-schema.ts';

interface DocumentOptions {
  /** True if the reader may send SQL of its own to the queries that take it. */
  readonly mayPassSql: boolean;
  /** All queries, if the document describes a part of them. */
  readonly all?: readonly SavedQuery[];
  /** The rights of the reader's key; undefined if the document is for anybody. */
  readonly key?: ReadersKey;
  /** False if no plug-in of the gateway lets results be followed. */
  readonly canFollow?: boolean;
  /** The forms of rows; left out for those without plug-ins. */
  readonly renderers?: Renderers;
  /** Before every path, as in `/warehouse`. */
  readonly basePath?: string;
}

/** For pages that show only what a key may do. */
export interface ReadersKey {
  readonly permissions: readonly string[];
  /** Left out for a key that is not restricted to tenants, and for one with very many. */
  readonly tenants?: readonly string[];
}

/**
 * The REST interface of some saved queries as an OpenAPI 3.1 document. It describes what callers send and get, never the
 * SQL.
 */
export const openapiDocument = (
  queries: readonly SavedQuery[],
  options: DocumentOptions = { mayPassSql: true },
): JsonObject => runSteps(openapiInSteps(queries, options));

/** The same in steps of less than a millisecond. */
export function* openapiInSteps(
  queries: readonly SavedQuery[],
  options: DocumentOptions,
): Generator<void, JsonObject> {
  const { mayPassSql, canFollow = true, renderers = new Renderers() } = options;
  const { key, all = queries, basePath = '' } = options;
  const names = publicNames({ queries, all });
  const addresses = new Set([...queriesByName(all).keys(), ...all.flatMap(({ aliases }) => aliases)]);
  const takingSql = [...mainNames({ queries, all }).values()].filter(
    ({ query }) => mayPassSql && query.querySandboxing === 'enabled',
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Querygate',
      version: packageVersion(),
      description:
        'Saved queries as GET requests. Parameters that an endpoint does not declare are ignored, and an empty value counts as absent.',
    },
    // Relative to the address of the document, if it is not known below which path a proxy serves it.
    servers: [{ url: basePath || '.' }],
    ...(key && { 'x-key': key }),
    security: [{ ApiKey: [] }, { Bearer: [] }],
    tags: [
      { name: 'endpoints', description: 'One path for each saved query.' },
      { name: 'health', description: 'For load balancers; no key is needed.' },
    ],
    paths: {
      ...(yield* entries(names, (name) => [
        endpointPath + name.name,
        { get: operation(name, canFollow, renderers) },
      ])),
      ...(yield* entries(takingSql, (name) => [endpointPath + name.query.id, { get: sqlOperation(name) }])),
      ...(yield* entries(names, (name) => {
        const file = fileOperation(name, renderers, addresses);
        return file && [`${endpointPath}${name.name}.{format}`, { get: file }];
      })),
      ...healthPaths,
    },
    components: {
      schemas: yield* entries(queries, (query) => [rowName(query), rowSchema(query)]),
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

function* entries<T>(
  items: readonly T[],
  entryOf: (item: T) => readonly [string, JsonObject] | undefined,
): Generator<void, JsonObject> {
  const made: [string, JsonObject][] = [];
  for (const item of items) {
    const entry = entryOf(item);
    if (entry !== undefined) made.push([...entry]);
    yield;
  }
  return Object.fromEntries(made);
}

const healthReply: JsonObject = {
  description: 'The state of the process.',
  content: {
    'application/json': {
      schema: { type: 'object', required: ['status'], properties: { status: { type: 'string' } } },
    },
  },
};

/** No query has such an operation id: `_` separates words. */
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
