import { hash } from 'node:crypto';
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import { createYoga } from 'graphql-yoga';
import type { Logger } from 'pino';
import { callerDisconnected } from '../../errors.ts';
import { rightsOf } from '../../answers/rights.ts';
import { ownerOf } from '../../keys/principal.ts';
import type { ByteBudget } from '../message/byte-budget.ts';
import { isRead } from '../message/head.ts';
import { graphqlPath } from '../message/paths.ts';
import type { Reply } from '../message/reply.ts';
import { logOf } from '../message/request-trace.ts';
import {
  buildContext,
  type Context,
  openLoader,
  type Operation,
  type ReceivedOperation,
  type Resources,
  type ServerContext,
} from './context.ts';
import type { CheckDocument } from './check-document.ts';
import { maskError } from './errors.ts';
import type { FindHidden } from './hidden-fields.ts';
import type { PersistedDocuments } from './persisted/persisted-query.ts';
import type { ReplyResult } from './response/reply-result.ts';
import type { FollowField } from './subscriptions/follow-field.ts';
import { checkDocuments, reportHiddenFields } from './yoga-plugins/check-documents.ts';
import { executeLeaves } from './yoga-plugins/execute-leaves.ts';
import { followSubscriptions } from './yoga-plugins/follow-subscriptions.ts';
import { maskErrors, suggestNames } from './yoga-plugins/mask-errors.ts';
import { readRequests } from './yoga-plugins/read-requests.ts';

export interface ServerOptions extends Resources {
  readonly schema: GraphQLSchema;
  /** The same schema as operations are executed, with leaves. */
  readonly leaves: GraphQLSchema;
  readonly checkDocument: CheckDocument;
  readonly findHidden: FindHidden;
  readonly persisted: PersistedDocuments;
  readonly followField: FollowField;
  readonly replyResult: ReplyResult;
  readonly budget: ByteBudget;
  readonly log: Logger;
}

/** GraphQL over one schema: each behaviour is a plug-in of Yoga, in the order in which a request meets them. */
export function buildServer(options: ServerOptions): (received: ReceivedOperation) => Promise<Reply> {
  const { schema, leaves, budget, turns, audit, log } = options;
  const contextOf = ({ operation }: ServerContext) => buildContext(options, operation);
  const yoga = createYoga<ServerContext, Context>({
    schema,
    context: contextOf,
    plugins: [
      readRequests(options.persisted, turns),
      checkDocuments(options.checkDocument),
      reportHiddenFields(options.findHidden, audit),
      executeLeaves(schema, leaves, contextOf),
      followSubscriptions(leaves, options.followField),
      maskErrors(log),
      suggestNames,
    ],
    graphqlEndpoint: graphqlPath,
    // The plug-ins above have these, or the request path around; docs/decisions/0042 says why.
    parserAndValidationCache: false,
    maskedErrors: false,
    cors: false,
    graphiql: false,
    landingPage: false,
    logging: false,
    multipart: false,
    maxRequestBodySize: false,
  });
  const { Request } = yoga.fetchAPI;
  const requests = { GET: new Request(yogaUrl), POST: new Request(yogaUrl, { method: 'POST' }) };
  /** Yoga's way from a request to a response, which copies bodies, would take as long as all else that it does. */
  const execute = async (operation: Operation): Promise<ExecutionResult> => {
    const { head } = operation;
    const request = isRead(head) ? requests.GET : requests.POST;
    try {
      return (await yoga.getResultForParams({ params: {}, request }, { operation })) as ExecutionResult;
    } catch (error) {
      return { errors: [maskError(error, logOf(head, log))] };
    }
  };
  return async (received) => {
    const owner = ownerOf(received.admission.principal);
    const charge = budget.reserve(owner, 0);
    const operation: Operation = { ...received, ...newState, loader: openLoader(options, received), charge };
    try {
      const result = await execute(operation);
      const { head, loader, readsObtaining, answerShown } = operation;
      if (answerShown !== undefined && isOfSchema(result, operation))
        return await answerShown({ ...received, answerShown: undefined });
      const isCancelled = result.errors?.some(({ extensions }) => extensions.code === 'CANCELLED');
      if (isCancelled && head.signal.aborted) throw callerDisconnected();
      if (operation.refusal !== undefined) throw operation.refusal;
      const textOfRequest = () => textOf(received);
      const answered = { head, owner, obtained: loader.obtained, readsObtaining, textOfRequest };
      return operation.reply ?? (await options.replyResult(result, answered));
    } finally {
      // By then the body is being sent, which holds it.
      setImmediate(() => charge.release());
    }
  };
}

/** True if the document reads the schema, or its errors, or those of its variables, may say what the schema has. */
const isOfSchema = ({ data, errors }: ExecutionResult, { checked }: Operation): boolean =>
  data === undefined && (errors === undefined || (checked !== undefined && errors[0]?.path === undefined));

const newState = { checked: undefined, refusal: undefined, reply: undefined, readsObtaining: false } as const;

/** Equal for equal requests of callers with equal rights: a response may have what a caller sees of the catalog. */
const textOf = ({ url, body, admission }: ReceivedOperation): string =>
  `${rightsOf(admission.principal)} ${body === undefined ? url.search : hash('sha256', body, 'base64url')}`;

/** Yoga reads only its path. */
const yogaUrl = `http://localhost${graphqlPath}`;
