import { ownerOf } from '../../keys/principal.ts';
import { AsyncLocalStorage } from 'node:async_hooks';
import { hash } from 'node:crypto';
import type { DocumentNode, ExecutionResult, GraphQLError, GraphQLSchema, Source } from 'graphql';
import { createYoga, type Plugin, type YogaInitialContext } from 'graphql-yoga';
import type { Logger } from 'pino';
import type { CachedResult } from '../../results/get-result.ts';
import type { ByteBudget, ByteCharge } from '../message/byte-budget.ts';
import type { RequestHead } from '../message/head.ts';
import { graphqlPath } from '../message/paths.ts';
import type { Reply } from '../message/reply.ts';
import { logOf } from '../message/request-trace.ts';
import type { Admission } from '../../call/caller.ts';
import { buildContext, type Context, type Execution, type Resources } from './context.ts';
import type { CheckDocument, CheckedDocument } from './document/check-document.ts';
import { addNearestNames, isOfUnknownName } from './document/nearest-names.ts';
import { requireOperation } from './document/require-operation.ts';
import { withoutDefer } from './document/split-operation.ts';
import { maskError } from './errors.ts';
import { cachingOf, replyGraphql } from './graphql-reply.ts';
import { resultsOf } from './outcomes.ts';
import type { PersistedDocuments } from './persisted/persisted-documents.ts';
import { parseOperation } from './read-operation.ts';

export interface YogaOptions extends Resources {
  readonly schema: GraphQLSchema;
  readonly checkDocument: CheckDocument;
  readonly persisted: PersistedDocuments;
  readonly budget: ByteBudget;
  readonly log: Logger;
}

/** A request whose headers were checked and whose body was read. */
export type ReceivedOperation = Omit<ServerContext, 'execution' | 'charge'>;

/** Yoga's server context: the request as it was received, of which Yoga itself sees only the method and two headers. */
interface ServerContext {
  readonly head: RequestHead;
  readonly url: URL;
  /** undefined for GET. */
  readonly body: Uint8Array | undefined;
  readonly admission: Admission;
  /** A valid document to execute in place of the request's own. */
  readonly document?: DocumentNode | undefined;
  /** What introspection shows the caller; undefined if it is off. */
  readonly shownSchema?: (() => Promise<GraphQLSchema>) | undefined;
  readonly execution: Execution;
  readonly charge: ByteCharge;
}

/** Answers any operation with Yoga's executor. */
export function buildAnswerWithYoga(options: YogaOptions): (received: ReceivedOperation) => Promise<Reply> {
  const { schema, checkDocument, persisted, budget, log } = options;
  const yoga = createYoga<ServerContext, Context>({
    schema,
    context: (request) => buildContext(options, request),
    plugins: [readRequest(persisted), recordResult, checkDocuments(checkDocument)],
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
    const { method, headers } = received.head;
    const execution: Execution = { outcomes: [], result: undefined, refusal: undefined };
    const request = new Request(yogaUrl, { method, headers: { accept: headers.accept ?? '*/*' } });
    const charge = budget.reserve(ownerOf(received.admission.principal), 0);
    try {
      const response = await requestLog.run(logOf(received.head, log), () =>
        yoga.fetch(request, { ...received, execution, charge }),
      );
      const results = resultsOf(execution.outcomes, received.head);
      if (execution.refusal !== undefined) throw execution.refusal;
      const reply = await replyOf(response, method, execution.result, results);
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
    const owner = ownerOf(admission.principal);
    setRequestParser(() => parseOperation(url, body, (members) => persisted.documentOf(members, owner)));
  },
});

/** Yoga's response does not say which fields have errors. */
const recordResult: Plugin<object, ServerContext> = {
  async onExecutionResult({ result, context: { execution, shownSchema } }) {
    execution.result = result as ExecutionResult | undefined;
    const { errors } = execution.result ?? {};
    if (shownSchema !== undefined && errors?.some(({ message }) => isOfUnknownName(message)))
      addNearestNames(errors, await shownSchema());
  },
};

/** Documents are parsed and validated in one place and in one step, `documents.ts`. */
function checkDocuments(checkDocument: CheckDocument): Plugin {
  const errorsOf = new WeakMap<DocumentNode, readonly GraphQLError[]>();
  const documentOf = (text: string, replacing: DocumentNode | undefined): CheckedDocument => {
    if (replacing !== undefined) return { document: replacing, errors: [] };
    const checked = checkDocument(text);
    const { document, errors } = checked;
    return errors.length === 0 && text.includes('defer')
      ? { document: withoutDefer(document), errors }
      : checked;
  };
  return {
    onParse: ({ setParseFn, context }) => {
      setParseFn((source) => {
        const { document, errors } = documentOf(textOf(source), (context as Partial<ServerContext>).document);
        errorsOf.set(document, errors);
        return document;
      });
      // Yoga says of each of these that it could not determine the operation.
      return ({ result }) => {
        const { params } = context as Partial<YogaInitialContext>;
        if (result !== null && !(result instanceof Error)) requireOperation(result, params?.operationName);
      };
    },
    onValidate: ({ params, setResult }) => {
      const errors = errorsOf.get(params.documentAST as DocumentNode);
      if (errors === undefined) throw new Error('a document that was not checked');
      setResult([...errors]);
    },
  };
}

const textOf = (source: string | Source): string => (typeof source === 'string' ? source : source.body);

/** @param result undefined if there was nothing to execute */
async function replyOf(
  response: Response,
  method: string,
  { data, errors }: ExecutionResult = {},
  results: readonly CachedResult[],
): Promise<Reply & { readonly body: Buffer }> {
  const { status } = response;
  const body = Buffer.from(await response.text());
  const headers = Object.fromEntries(
    [...response.headers].map(([name, value]) => [name.toLowerCase(), value]),
  );
  const isComplete = status === 200 && data != null && errors === undefined;
  const digest = method === 'GET' && isComplete ? hash('sha256', body, 'base64url') : undefined;
  const failure = errors && { fields: Object.keys(data ?? {}), errors };
  return replyGraphql({ body, headers, status, failure }, cachingOf(method, results, digest));
}
