import { ownerOf } from '../../keys/principal.ts';
import type { Logger } from 'pino';
import { unknownQuery } from '../../catalog/model/find-query.ts';
import type { Catalog } from '../../catalog/model/saved-query.ts';
import { GatewayError } from '../../errors.ts';
import { once } from '../../memoize.ts';
import { acceptedStream, eventStreamType, namesStream } from '../live/negotiate.ts';
import type { Live } from '../live/live.ts';
import type { ByteBudget } from '../message/byte-budget.ts';
import { type RequestHead, TranslatedHead } from '../message/head.ts';
import type { PreparedRequest } from '../message/prepared-request.ts';
import type { Answer, ReadBody } from '../message/route.ts';
import type { Admission } from '../../call/caller.ts';
import { buildAnswerCompiled } from './compiled/answer-compiled.ts';
import type { DerivedCache } from './compiled/derived-cache.ts';
import {
  buildReadOperationRequest,
  type OperationRequest,
  type RequestPart,
  type SubscriptionRequest,
} from './compiled/operation-request.ts';
import type { Resources } from './context.ts';
import { acceptedFormat } from './deferred/incremental-format.ts';
import { buildCheckDocument } from './document/check-document.ts';
import type { Federation } from './federation/subgraph.ts';
import { buildFindHidden } from './hidden-fields.ts';
import { buildAutomaticDocuments } from './persisted/automatic.ts';
import { buildTrustedDocuments, type TrustedDocuments, warnOfInvalid } from './persisted/trusted.ts';
import { checkMediaTypes, type FindDocument } from './read-operation.ts';
import { buildSchemaInSteps } from './schema/schema.ts';
import { buildSchemas } from './visible-schemas.ts';
import { buildAnswerWithYoga } from './yoga.ts';

interface GraphqlOptions extends Resources {
  /** Whether callers may query the schema. */
  readonly introspection: boolean;
  /** The only documents that are answered; undefined for any. */
  readonly trusted?: TrustedDocuments | undefined;
  /** Keeps what is made of results for compiled operations. */
  readonly derived: DerivedCache;
  /** undefined: it is no subgraph of a graph. */
  readonly federation?: Federation | undefined;
  readonly budget: ByteBudget;
  /** Opens what follows results, when it is first needed. */
  readonly openLive: () => Promise<Live>;
  readonly log: Logger;
}

/**
 * GraphQL over HTTP; every operation needs a key, introspection too. Operations on saved queries are compiled
 * (`compiled/`), and with them introspection without variables; Yoga answers everything else, and is the reference for
 * what they must return.
 *
 * @returns makes what answers for one version of the catalog, in steps: what is prepared for its schema belongs to it
 */
export function buildGraphql(options: GraphqlOptions): (catalog: Catalog) => Generator<void, Answer> {
  const { introspection, trusted, federation, turns, audit, budget, openLive, log } = options;
  const answerCompiled = buildAnswerCompiled(options);
  const persisted = trusted === undefined ? buildAutomaticDocuments() : buildTrustedDocuments(trusted);
  const schemasOf = (catalog: Catalog) => {
    function* build(part: Catalog, share: number) {
      const schema = yield* buildSchemaInSteps(part, federation?.extendSchema);
      yield;
      const checkDocument = buildCheckDocument(schema, introspection, share);
      if (part === catalog) yield* warnOfInvalid(trusted, checkDocument, log);
      return {
        schema,
        findHidden: buildFindHidden(catalog, part, checkDocument),
        readOperationRequest: buildReadOperationRequest(
          schema,
          part,
          checkDocument,
          persisted,
          turns,
          share,
          federation?.buildCompileEntities,
        ),
        answerWithYoga: buildAnswerWithYoga({ ...options, schema, checkDocument, persisted }),
        followOperation: once(async () => {
          const [{ buildFollowOperation }, live] = await Promise.all([
            import('./subscriptions/follow-operation.ts'),
            openLive(),
          ]);
          return buildFollowOperation({ ...options, live, schema, checkDocument });
        }),
      };
    }
    return buildSchemas(catalog, build, turns);
  };
  return function* (catalog) {
    const { schemaFor, shownTo } = yield* schemasOf(catalog);
    const answer = async (
      head: RequestHead,
      { url }: PreparedRequest,
      admission: Admission,
      readBody: ReadBody,
      accept: string | undefined,
    ) => {
      const body = head.method === 'GET' ? undefined : await readBody();
      const owner = ownerOf(admission.principal);
      const findDocument: FindDocument = (members) => persisted.documentOf(members, owner);
      const schema = schemaFor(admission.principal, url, body, findDocument);
      const { readOperationRequest, findHidden, answerWithYoga, followOperation } =
        schema instanceof Promise ? await schema : schema;
      const read = readOperationRequest(url, body, owner);
      const { compiled: operation, parts } = read instanceof Promise ? await read : read;
      const format = parts && acceptedFormat(head.headers.accept);
      if (parts !== undefined && format !== undefined) {
        const { answerDeferred } = await import('./deferred/answer-deferred.ts');
        const answerPart = async ({ compiled, document }: RequestPart, partHead: RequestHead) =>
          (compiled && (await answerCompiled(compiled, partHead, admission))) ??
          answerWithYoga({ head: partHead, url, body, admission, document });
        return answerDeferred({ parts, format, head, owner, answerPart }, options);
      }
      if (isSubscription(operation)) {
        if (!namesStream(accept)) throw onlyAsStream(accept);
        return (await followOperation())(operation, head, admission);
      }
      const reply = operation && (await answerCompiled(operation, head, admission));
      if (reply !== undefined) return reply;
      for (const endpoint of findHidden(url, body, findDocument)) {
        audit(unknownQuery({ reason: 'endpoint', endpoint }), head, admission.principal.id);
      }
      const shownSchema = introspection ? async () => (await shownTo(admission.principal)).schema : undefined;
      return answerWithYoga({ head, url, body, admission, shownSchema });
    };
    return async (head, request, admission, readBody) => {
      checkMediaTypes(head);
      const { accept } = head.headers;
      const stream = acceptedStream(accept);
      if (stream === undefined) return answer(head, request, admission, readBody, accept);
      if (stream === 'rows') throw onlyWholeResults();
      const reply = await answer(requestForJson(head), request, admission, readBody, accept);
      const { asEvents } = await import('./subscriptions/events-reply.ts');
      return asEvents(reply, { owner: ownerOf(admission.principal), budget, turns });
    };
  };
}

const isSubscription = (operation: OperationRequest | undefined): operation is SubscriptionRequest =>
  operation?.subscription !== undefined;

/** The same request for the body of an event. */
function requestForJson(head: RequestHead): RequestHead {
  const { method, url, headers, trace, results } = head;
  const forJson = { ...headers, accept: 'application/json', 'accept-encoding': undefined };
  return Object.assign(new TranslatedHead({ method, url, headers: forJson }, head), { trace, results });
}

/** Apollo Client sends subscriptions in a protocol of its own, by `multipart/mixed`. */
const onlyAsStream = (accept = '') => {
  const cure = /multipart\/mixed/i.test(accept)
    ? "; Apollo Client's HttpLink cannot, and needs a link of graphql-sse beside it, as docs/live.md#clients has it"
    : '';
  return new GatewayError(
    'NOT_ACCEPTABLE',
    `Subscriptions are answered with events; accept ${eventStreamType}${cure}`,
  );
};

const onlyWholeResults = () =>
  new GatewayError('NOT_ACCEPTABLE', 'Accept: GraphQL sends whole results; leave out delta');
