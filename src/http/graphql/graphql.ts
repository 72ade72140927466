import { createHash } from 'node:crypto';
import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLError,
  NoSchemaIntrospectionCustomRule,
  validate,
} from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Catalog } from '../../catalog/saved-query.ts';
import { callerGone, statusOf } from '../../errors.ts';
import type { GetResult } from '../../results/get-result.ts';
import { type Admission, admit } from '../access/admission.ts';
import type { Authenticate } from '../access/authenticate.ts';
import { cacheHeaders, etagOf, isKnown } from '../cache-headers.ts';
import { headOfFetch, type RequestHead } from '../head.ts';
import { toResponse, variesBy } from '../reply.ts';
import { buildContext, type Context, type Given } from './context.ts';
import { inOwnWords, maxBodyBytes, refusal, replyGraphqlError, told } from './errors.ts';
import { parseOperation } from './operation-limits.ts';
import { checkMediaTypes, readOperation } from './read-operation.ts';
import { manyCopies } from './repeated-fields.ts';
import { buildSchema } from './schema/schema.ts';

export interface GraphqlOptions {
  readonly catalog: Catalog;
  readonly ask: GetResult;
  readonly authenticate: Authenticate;
  /** Whether the schema may be asked for. */
  readonly introspection: boolean;
  readonly log: Logger;
  readonly now: () => Date;
}

/** What the server knows of a request besides the request. */
interface Server {
  readonly visit: Admission;
  readonly given: Given;
}

export const graphqlPath = '/graphql';

/** The GraphQL door. Every operation needs the key, introspection too. */
export function buildGraphql({
  catalog,
  ask,
  authenticate,
  introspection,
  log,
  now,
}: GraphqlOptions): (request: Request, incoming: RequestHead) => Promise<Response> {
  const yoga = createYoga<Server, Context>({
    schema: buildSchema(catalog),
    context: ({ request, visit, given }) =>
      buildContext({ ask, incoming: headOfFetch(request), visit, given }),
    plugins: [noteErrors, readOperation, validateWithin(introspection)],
    parserAndValidationCache: { documentCache: documentCache(), errorCache: noCache },
    graphqlEndpoint: graphqlPath,
    maskedErrors: { maskError: (error) => told(error, log) },
    // The router does these for all doors; the page that explores is of our own, and needs no internet.
    cors: false,
    graphiql: false,
    landingPage: false,
    logging: false,
    multipart: false,
    maxRequestBodySize: maxBodyBytes,
  });

  return async (request, incoming) => {
    const given: Given = { answers: [], hasErrors: false, isRateLimited: false };
    let visit: Admission | undefined;
    try {
      visit = admit(authenticate(incoming), incoming, now);
      if (visit.refusal !== undefined) throw visit.refusal;
      checkMediaTypes(incoming);
      const response = withStatus(await yoga.fetch(request, { visit, given }), given);
      if (request.method === 'GET') {
        return tell(visit, await withCacheHeaders(response, given, incoming.header('if-none-match'), now()));
      }
      response.headers.set('cache-control', 'private, no-store');
      response.headers.set('vary', variesBy);
      return tell(visit, response);
    } catch (thrown) {
      const error = request.signal.aborted ? callerGone() : thrown;
      return tell(visit, toResponse(replyGraphqlError(error, log)));
    }
  };
}

function tell(visit: Admission | undefined, response: Response): Response {
  for (const [name, value] of Object.entries(visit?.headers ?? {})) response.headers.set(name, value);
  return response;
}

/** A response that tells of errors is one that no cache may keep. */
const noteErrors: Plugin<object, Server> = {
  onExecutionResult({ result, context: { given } }) {
    given.hasErrors ||= result === undefined || !('data' in result) || result.errors !== undefined;
    given.isRateLimited = result !== undefined && 'data' in result && isRateLimited(result);
  },
};

/** True where every field is null, and each because of the key's rate. */
function isRateLimited({ data, errors = [] }: ExecutionResult): boolean {
  const limited = new Set(
    errors.filter(({ extensions }) => extensions.code === 'RATE_LIMITED').map(({ path }) => path?.[0]),
  );
  const fields = Object.entries(data ?? {});
  return limited.size > 0 && fields.every(([name, value]) => value === null && limited.has(name));
}

/** Clients look at the status to come again later: 200 would tell them that something was answered. */
function withStatus(response: Response, { isRateLimited }: Given): Response {
  if (!isRateLimited) return response;
  return new Response(response.body, { status: statusOf.RATE_LIMITED, headers: response.headers });
}

/** More errors than these help nobody, and each quotes the document. */
const maxErrors = 10;

/** Checks documents: small ones only, told without names that the caller has not written. */
function validateWithin(introspection: boolean): Plugin {
  return {
    onParse: ({ setParseFn }) => setParseFn(parseOperation),
    onValidate({ setValidationFn, addValidationRule }) {
      if (!introspection) addValidationRule(NoSchemaIntrospectionCustomRule);
      setValidationFn((schema, document, rules) => {
        const errors = validate(schema, document, rules, { maxErrors, hideSuggestions: true });
        if (errors.length === 0) return manyCopies(document);
        return errors.map((error) => inOwnWords(asLimit(error), 'GRAPHQL_VALIDATION_FAILED'));
      });
    },
  };
}

/** graphql-js's own limit: lists of introspection within each other, which grow by their product. */
function asLimit(error: GraphQLError): GraphQLError {
  if (error.message !== 'Maximum introspection depth exceeded') return error;
  return refusal(
    'OPERATION_TOO_LARGE',
    'The operation asks for lists of the schema within each other; nest less',
  );
}

/** Dashboards send the same few documents; of those that nobody sends again, not many may be kept. */
function documentCache() {
  // A syntax tree takes some 150 bytes for each character of its text: these are 30 MB.
  const maxSize = 200_000;
  return new LRUCache<string, DocumentNode>({ maxSize, sizeCalculation: (_, text) => text.length + 100 });
}

/** Whoever sends errors sends others each time, and each holds its document. */
const noCache = { get: () => undefined, set: () => {} };

/** What GET queries are told as REST callers are, computed over all answers of the request. */
async function withCacheHeaders(
  response: Response,
  { answers, hasErrors }: Given,
  ifNoneMatch: string | undefined,
  now: Date,
): Promise<Response> {
  const { status } = response;
  const headers = new Headers(response.headers);
  if (status !== 200 || hasErrors || answers.length === 0) {
    headers.set('cache-control', 'no-store');
    return new Response(response.body, { status, headers });
  }
  const body = await response.text();
  const etag = etagOf(createHash('sha256').update(body).digest('base64url'));
  const facts = { etag, ...cacheHeaders(answers, now), vary: `${variesBy}, Accept` };
  for (const [name, value] of Object.entries(facts)) headers.set(name, value);
  if (!isKnown(etag, ifNoneMatch)) return new Response(body, { status, headers });
  for (const name of ['content-type', 'content-length']) headers.delete(name);
  return new Response(null, { status: 304, headers });
}
