import type { Logger } from 'pino';
import type { Catalog } from '../../catalog/model/saved-query.ts';
import { GatewayError } from '../../errors.ts';
import { ownerOf } from '../../keys/principal.ts';
import { once } from '../../memoize.ts';
import type { DerivedStore } from '../../results/result-store.ts';
import type { Following } from '../following.ts';
import type { ByteBudget } from '../message/byte-budget.ts';
import { isRead, type RequestHead, TranslatedHead } from '../message/head.ts';
import { eventStreamType } from '../accepted-stream.ts';
import type { Answer } from '../message/route.ts';
import { replyToHead } from '../rendering/reply-result.ts';
import type { ReceivedOperation, Resources } from './context.ts';
import { buildCheckDocument } from './check-document.ts';
import { buildFindHidden } from './hidden-fields.ts';
import { acceptedEvents } from './media-type.ts';
import { buildAutomaticDocuments } from './persisted/automatic.ts';
import { buildTrustedDocuments, type TrustedDocuments, warnOfInvalid } from './persisted/trusted.ts';
import { checkMediaTypes } from './read-operation.ts';
import { buildReplyResult } from './response/reply-result.ts';
import { buildExecutionSchema } from './execution/execution-schema.ts';
import { buildMakeCells } from './rows/kept-cells.ts';
import { buildSchemaInSteps } from './schema/schema.ts';
import type { ExtendSchema } from './schema-extension.ts';
import { buildServer, type ServerOptions } from './server.ts';
import type { FollowField } from './subscriptions/follow-field.ts';
import { buildSchemas } from './visible-schemas.ts';

interface GraphqlOptions extends Omit<Resources, 'makeCells'> {
  readonly introspection: boolean;
  /** The only documents that are answered; undefined for any. */
  readonly trusted?: TrustedDocuments | undefined;
  readonly derived: DerivedStore;
  /** Gives the plug-ins' additions to the schema; undefined if no plug-in has any. */
  readonly extendSchema?: ExtendSchema | undefined;
  readonly budget: ByteBudget;
  /** undefined if no plug-in has it: then there are no subscriptions. */
  readonly following?: Following | undefined;
  readonly log: Logger;
}

/**
 * GraphQL over HTTP; every operation needs a key, introspection too. `server.ts` has what happens to a request.
 *
 * @returns makes what answers for one version of the catalog, in steps: what is prepared for its schema belongs to it
 */
export function buildGraphql(options: GraphqlOptions): (catalog: Catalog) => Generator<void, Answer> {
  const { introspection, trusted, derived, turns, budget } = options;
  const persisted = trusted === undefined ? buildAutomaticDocuments() : buildTrustedDocuments(trusted);
  const shared = {
    ...options,
    persisted,
    makeCells: buildMakeCells(derived, turns),
    replyResult: buildReplyResult({ budget, turns }),
  };
  return function* (catalog) {
    const build = buildServerOf({ ...shared, catalog, findHidden: buildFindHidden(catalog) });
    const { whole, seesAll, shownTo } = yield* buildSchemas(catalog, build, turns);
    return async (head, { url }, admission, readBody) => {
      if (head.headers.upgrade !== undefined) refuseWebSocket(head, url);
      checkMediaTypes(head);
      const { accept } = head.headers;
      const stream = acceptedEvents(accept);
      if (stream === 'rows')
        throw new GatewayError('NOT_ACCEPTABLE', 'Accept: GraphQL sends whole results; leave out delta');
      const { principal } = admission;
      const owner = ownerOf(principal);
      const body = isRead(head) ? undefined : await readBody();
      // A hidden field does not exist, others are forbidden; but errors say of these no more than introspection does.
      const { answer } = principal.hidesEndpoints ? await shownTo(principal) : whole;
      const shownSchema = introspection ? async () => (await shownTo(principal)).schema : undefined;
      const answerShown =
        principal.hidesEndpoints || seesAll(principal)
          ? undefined
          : async (received: ReceivedOperation) => (await shownTo(principal)).answer(received);
      const received = { url, body, admission, accept, shownSchema, answerShown };
      if (stream === undefined) {
        const reply = await answer({ ...received, head });
        return head.method === 'HEAD' ? replyToHead(reply, head, admission.noCache) : reply;
      }
      const reply = await answer({ ...received, head: requestForJson(head) });
      const { asEvents } = await import('./response/events-reply.ts');
      return asEvents(reply, { owner, budget, turns });
    };
  };
}

type PartOptions = GraphqlOptions &
  Pick<ServerOptions, 'findHidden' | 'makeCells' | 'persisted' | 'replyResult'> & { catalog: Catalog };

/** Makes what answers by the schema of a part of a catalog, or of all of it. */
function buildServerOf(options: PartOptions) {
  return function* (part: Catalog, share: number) {
    const { introspection, extendSchema, following, trusted, catalog, log } = options;
    const schema = yield* buildSchemaInSteps(part, extendSchema, following !== undefined);
    yield;
    const checkDocument = buildCheckDocument(schema, introspection, share);
    if (part === catalog) yield* warnOfInvalid(trusted, checkDocument, log);
    const open = once(async () => {
      const { buildFollowField } = await import('./subscriptions/follow-field.ts');
      return buildFollowField({ ...options, schema });
    });
    const followField: FollowField = async (...field) => (await open())(...field);
    const leaves = buildExecutionSchema(schema);
    return { schema, answer: buildServer({ ...options, schema, leaves, checkDocument, followField }) };
  };
}

/**
 * Refuses the handshake of a WebSocket. With an operation, a request is answered as if it had not offered to change the
 * protocol (RFC 9110, 7.8). @throws GatewayError BAD_REQUEST
 */
function refuseWebSocket({ headers }: RequestHead, { search }: URL): void {
  if (/[?&](?:query|documentId|extensions)=/.test(search) || headers.upgrade?.toLowerCase() !== 'websocket')
    return;
  throw new GatewayError(
    'BAD_REQUEST',
    `WebSockets are not offered; subscriptions are sent as events: send them with Accept: ${eventStreamType}, as graphql-sse does`,
  );
}

function requestForJson(head: RequestHead): RequestHead {
  const { method, url, headers, trace, results } = head;
  const forJson = { ...headers, accept: 'application/json', 'accept-encoding': undefined };
  return Object.assign(new TranslatedHead({ method, url, headers: forJson }, head), { trace, results });
}
