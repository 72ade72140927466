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
import { callerDisconnected, statusOf } from '../../errors.ts';
import type { GetResult } from '../../results/get-result.ts';
import type { Admission } from '../access/admission.ts';
import { cacheHeaders, variesBy } from '../cache-headers.ts';
import type { RequestHead } from '../head.ts';
import { httpLimits } from '../limits.ts';
import { graphqlPath } from '../paths.ts';
import type { Reply } from '../reply.ts';
import type { Answer } from '../routes.ts';
import { buildContext, type Context, type OperationOutcome } from './context.ts';
import { maskError, requestError, sanitizeDocumentError } from './errors.ts';
import { parseDocument } from './operation-limits.ts';
import { checkMediaTypes, parseOperation } from './read-operation.ts';
import { limitRepeatedFields } from './repeated-fields.ts';
import { buildSchema } from './schema/schema.ts';

interface GraphqlOptions {
  readonly catalog: Catalog;
  readonly getResult: GetResult;
  /** Whether callers may query the schema. */
  readonly introspection: boolean;
  readonly log: Logger;
  readonly now: () => Date;
}

/** Yoga's server context: the request as it was received, of which Yoga itself sees only the method and two headers. */
interface ServerContext {
  readonly head: RequestHead;
  readonly url: URL;
  /** undefined for GET. */
  readonly body: Uint8Array | undefined;
  readonly admission: Admission;
  readonly outcome: OperationOutcome;
}

/** GraphQL over HTTP. Every operation needs a key, introspection too. */
export function buildGraphql(options: GraphqlOptions): Answer {
  const { log, now } = options;
  const yoga = buildYoga(options);
  const { Request } = yoga.fetchAPI;
  return async (head, { url }, admission, readBody) => {
    checkMediaTypes(head);
    const { method, headers } = head;
    const body = method === 'GET' ? undefined : await readBody();
    const outcome = { results: [], hasErrors: false, isRateLimited: false, isCancelled: false };
    const request = new Request(yogaUrl, { method, headers: { accept: headers.accept ?? '*/*' } });
    const response = await yoga.fetch(request, { head, url, body, admission, outcome });
    if (outcome.isCancelled && head.signal.aborted) throw callerDisconnected();
    return replyOf(response, method, outcome, now());
  };

  function buildYoga({ catalog, getResult, introspection }: GraphqlOptions) {
    return createYoga<ServerContext, Context>({
      schema: buildSchema(catalog),
      context: ({ head, admission, outcome }) => buildContext({ getResult, head, admission, outcome }),
      plugins: [readRequest, recordOutcome, validateWithin(introspection)],
      parserAndValidationCache: { documentCache: documentCache(), errorCache: noCache },
      graphqlEndpoint: graphqlPath,
      maskedErrors: { maskError: (error) => maskError(error, log) },
      // The request path has its own CORS, GraphiQL page, body limit and log.
      cors: false,
      graphiql: false,
      landingPage: false,
      logging: false,
      multipart: false,
      maxRequestBodySize: false,
    });
  }
}

/** Yoga reads only its path. */
const yogaUrl = `http://localhost${graphqlPath}`;

/** Yoga's own parsers report some malformed requests as bugs of the server, and quote others. */
const readRequest: Plugin<object, ServerContext> = {
  onRequestParse({ serverContext: { url, body }, setRequestParser }) {
    setRequestParser(() => parseOperation(url, body));
  },
};

/** A response with errors must not be cached. */
const recordOutcome: Plugin<object, ServerContext> = {
  onExecutionResult({ result, context: { outcome } }) {
    const errors = result !== undefined && 'errors' in result ? (result.errors ?? []) : [];
    outcome.hasErrors ||= result === undefined || !('data' in result) || result.errors !== undefined;
    outcome.isRateLimited = result !== undefined && 'data' in result && isRateLimited(result);
    outcome.isCancelled = errors.some(({ extensions }) => extensions.code === 'CANCELLED');
  },
};

/** True if every field is null, and each because of the key's rate. */
function isRateLimited({ data, errors = [] }: ExecutionResult): boolean {
  const limited = new Set(
    errors.filter(({ extensions }) => extensions.code === 'RATE_LIMITED').map(({ path }) => path?.[0]),
  );
  const fields = Object.entries(data ?? {});
  return limited.size > 0 && fields.every(([name, value]) => value === null && limited.has(name));
}

/** Validates documents within their limits, without naming what the caller has not written. */
function validateWithin(introspection: boolean): Plugin {
  return {
    onParse: ({ setParseFn }) => setParseFn(parseDocument),
    onValidate({ setValidationFn, addValidationRule }) {
      if (!introspection) addValidationRule(NoSchemaIntrospectionCustomRule);
      setValidationFn((schema, document, rules) => {
        const maxErrors = httpLimits.maxDocumentErrors;
        const errors = validate(schema, document, rules, { maxErrors, hideSuggestions: true });
        if (errors.length === 0) return limitRepeatedFields(document);
        return errors.map((error) => sanitizeDocumentError(asLimitError(error), 'GRAPHQL_VALIDATION_FAILED'));
      });
    },
  };
}

/** graphql-js has a limit of its own: nested lists of introspection, whose size is the product of their lengths. */
function asLimitError(error: GraphQLError): GraphQLError {
  if (error.message !== 'Maximum introspection depth exceeded') return error;
  return requestError('OPERATION_TOO_LARGE', 'The operation nests lists of the schema; nest fewer levels');
}

/** Dashboards send the same few documents; of those that are never sent again, only few may be kept. */
function documentCache() {
  // A syntax tree takes some 150 bytes for each character of its text: these are 30 MB.
  const maxSize = 200_000;
  return new LRUCache<string, DocumentNode>({ maxSize, sizeCalculation: (_, text) => text.length + 100 });
}

/** Clients that send invalid documents send different ones each time, and each error holds its document. */
const noCache = { get: () => undefined, set: () => {} };

/** Yoga's response as a reply. GET has cache headers as REST has them, over all results of the operation. */
async function replyOf(
  response: Response,
  method: string,
  { results, hasErrors, isRateLimited }: OperationOutcome,
  now: Date,
): Promise<Reply> {
  // Clients decide by the status whether to try again: 200 would mean that there is data.
  const status = isRateLimited ? statusOf.RATE_LIMITED : response.status;
  const body = Buffer.from(await response.text());
  const headers: Record<string, string> = { 'content-length': String(body.byteLength) };
  for (const [name, value] of response.headers) headers[name.toLowerCase()] = value;
  if (method !== 'GET') {
    return { status, headers: { ...headers, 'cache-control': 'private, no-store', vary: variesBy }, body };
  }
  if (status !== 200 || hasErrors || results.length === 0) {
    return { status, headers: { ...headers, 'cache-control': 'no-store' }, body };
  }
  const digest = createHash('sha256').update(body).digest('base64url');
  const vary = `${variesBy}, Accept`;
  return { status, headers: { ...headers, ...cacheHeaders(results, digest, now), vary }, body };
}
