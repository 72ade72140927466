import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import type { DocumentNode, ExecutionResult, GraphQLError, GraphQLSchema, Source } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import { callerDisconnected, statusOf } from '../../errors.ts';
import type { GetResult } from '../../results/get-result.ts';
import type { Audit } from '../access/audit.ts';
import type { ByteBudget, ByteCharge } from '../message/byte-budget.ts';
import { cacheHeaders, variesBy } from '../message/cache-headers.ts';
import type { RequestHead } from '../message/head.ts';
import { graphqlPath } from '../message/paths.ts';
import type { Reply } from '../message/reply.ts';
import { logOf } from '../message/request-trace.ts';
import type { Admission } from '../message/route.ts';
import { buildContext, type Context, type OperationOutcome } from './context.ts';
import type { CheckDocument } from './document/check-document.ts';
import { maskError } from './errors.ts';
import type { PersistedDocuments } from './persisted/persisted-documents.ts';
import { parseOperation } from './read-operation.ts';

export interface YogaOptions {
  readonly schema: GraphQLSchema;
  readonly checkDocument: CheckDocument;
  readonly persisted: PersistedDocuments;
  readonly getResult: GetResult;
  readonly budget: ByteBudget;
  readonly turns: LoopTurns;
  readonly audit: Audit;
  readonly log: Logger;
  readonly now: () => Date;
}

/** A request whose headers were checked and whose body was read. */
export type ReceivedOperation = Omit<ServerContext, 'outcome' | 'charge'>;

/** Yoga's server context: the request as it was received, of which Yoga itself sees only the method and two headers. */
interface ServerContext {
  readonly head: RequestHead;
  readonly url: URL;
  /** undefined for GET. */
  readonly body: Uint8Array | undefined;
  readonly admission: Admission;
  readonly outcome: OperationOutcome;
  readonly charge: ByteCharge;
}

/** Answers any operation with Yoga's executor. */
export function buildAnswerWithYoga({
  schema,
  checkDocument,
  persisted,
  getResult,
  budget,
  turns,
  audit,
  log,
  now,
}: YogaOptions): (received: ReceivedOperation) => Promise<Reply> {
  const yoga = createYoga<ServerContext, Context>({
    schema,
    context: ({ head, admission, outcome, charge }) =>
      buildContext({ getResult, head, admission, outcome, charge, turns, audit, now }),
    plugins: [readRequest(persisted), recordOutcome, checkDocuments(checkDocument)],
    parserAndValidationCache: false,
    graphqlEndpoint: graphqlPath,
    maskedErrors: { maskError: (error) => maskError(error, requestLog.getStore() ?? log) },
    // The request path has its own CORS, GraphiQL page, body limit and log.
    cors: false,
    graphiql: false,
    landingPage: false,
    logging: false,
    multipart: false,
    maxRequestBodySize: false,
  });
  const { Request } = yoga.fetchAPI;
  return async (received) => {
    const { method, headers, signal } = received.head;
    const outcome = {
      results: [],
      hasErrors: false,
      isRateLimited: false,
      isCancelled: false,
      refusal: undefined,
    };
    const request = new Request(yogaUrl, { method, headers: { accept: headers.accept ?? '*/*' } });
    const charge = budget.reserve(received.admission.principal.id, 0);
    try {
      const response = await requestLog.run(logOf(received.head, log), () =>
        yoga.fetch(request, { ...received, outcome, charge }),
      );
      if (outcome.isCancelled && signal.aborted) throw callerDisconnected();
      if (outcome.refusal !== undefined) throw outcome.refusal;
      const reply = await replyOf(response, method, outcome, now());
      budget.settle(charge, reply.body);
      return reply;
    } finally {
      // By then the body is being sent, which holds it.
      setImmediate(() => charge.release());
    }
  };
}

/** The log of the request that is being executed: Yoga gives errors to be masked without their request. */
const requestLog = new AsyncLocalStorage<Logger>();

/** Yoga reads only its path. */
const yogaUrl = `http://localhost${graphqlPath}`;

/** Yoga's own parsers report some malformed requests as bugs of the server, and quote others. */
const readRequest = (persisted: PersistedDocuments): Plugin<object, ServerContext> => ({
  onRequestParse({ serverContext: { url, body, admission }, setRequestParser }) {
    const { id } = admission.principal;
    setRequestParser(() => parseOperation(url, body, (members) => persisted.documentOf(members, id)));
  },
});

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

/** Documents are parsed and validated in one place and in one step, `documents.ts`. */
function checkDocuments(checkDocument: CheckDocument): Plugin {
  const errorsOf = new WeakMap<DocumentNode, readonly GraphQLError[]>();
  return {
    onParse: ({ setParseFn }) =>
      setParseFn((source) => {
        const { document, errors } = checkDocument(textOf(source));
        errorsOf.set(document, errors);
        return document;
      }),
    onValidate: ({ params, setResult }) => {
      const errors = errorsOf.get(params.documentAST as DocumentNode);
      if (errors === undefined) throw new Error('a document that was not checked');
      setResult([...errors]);
    },
  };
}

const textOf = (source: string | Source): string => (typeof source === 'string' ? source : source.body);

/** Yoga's response as a reply. GET has cache headers as REST has them, over all results of the operation. */
async function replyOf(
  response: Response,
  method: string,
  { results, hasErrors, isRateLimited }: OperationOutcome,
  now: Date,
): Promise<Reply & { readonly body: Buffer }> {
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
