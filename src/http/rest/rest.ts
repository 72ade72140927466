import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import type { FairShare, Owner } from '../../concurrency/fair-share.ts';
import { GatewayError } from '../../errors.ts';
import { ownerOf, type Principal } from '../../keys/principal.ts';
import { formats } from '../../formats/format.ts';
import { memoize, once } from '../../memoize.ts';
import type { CachedResult } from '../../results/get-result.ts';
import type { DerivedStore } from '../../results/memory-store.ts';
import type { PageOfResult } from '../../row-pages/page-of-result.ts';
import type { BoundPage } from '../../row-pages/page-request.ts';
import { authorizeAndBind, hiddenQuery, mayQuery } from '../access/authorize.ts';
import {
  acceptedStream,
  type EventStream,
  isFollowable,
  onlyWhole,
  requireFollowable,
  waitSeconds,
} from '../live/negotiate.ts';
import type { Live } from '../live/live.ts';
import type { ByteBudget } from '../message/byte-budget.ts';
import type { RequestHead, RequestHeaders } from '../message/head.ts';
import { endpointPath } from '../message/paths.ts';
import type { EndpointAddress, FormatOfUrl } from '../message/prepared-request.ts';
import { decodeText, EndpointRequest, type PreparedRequest } from '../message/prepared-request.ts';
import type { Reply } from '../message/reply.ts';
import type { Admission, Answer } from '../message/route.ts';
import type { ApplyRowRequest } from './apply-row-request.ts';
import type { FollowingRequest } from './follow.ts';
import type { FormattedRequest } from './formatted/formatted-request.ts';
import { buildReplyFormatted } from './formatted/reply-formatted.ts';
import { type ObtainOptions, runBound } from './obtain-result.ts';
import { withNearestEndpoint } from './nearest-endpoint.ts';
import { replyResult, replyToHead } from './reply-result.ts';
import { buildRowsOfRequest } from './push-row-request.ts';
import { linkOf } from './row-page.ts';
import { chooseFormat, findEndpoint } from './requested-format.ts';
import { readPartRequest } from './row-parameters.ts';
import { refuseUndeclared, withParameterWarning } from './undeclared-parameters.ts';

interface RestOptions extends ObtainOptions {
  readonly catalog: Catalog;
  readonly derived: DerivedStore;
  readonly applyRowRequest: ApplyRowRequest;
  readonly pageOfResult: PageOfResult;
  /** Opens what follows results, when it is first needed. */
  readonly openLive: () => Promise<Live>;
  /** Requests in flight, by key. */
  readonly inFlight: FairShare;
  readonly budget: ByteBudget;
}

/**
 * REST: `GET /api/endpoints/query/<uuid|name>`.
 *
 * @see spec "Common call shape"
 */
export function buildRest(options: RestOptions): Answer {
  const { catalog, getResult, turns, now, applyRowRequest, pageOfResult, openLive, inFlight } = options;
  const replyFormatted = buildReplyFormatted(options);
  /** All who waited for one run fail, each in a turn of the event loop. */
  const resultOf = async (running: CachedResult | Promise<CachedResult>, owner: Owner) => {
    try {
      return await running;
    } catch (error) {
      await turns.wait(owner);
      throw error;
    }
  };
  /** All who waited for one run continue in the same way. */
  const replyInTurn = async (running: Promise<CachedResult>, headers: RequestHeaders, owner: Owner) => {
    const result = await resultOf(running, owner);
    const turn = result.cacheStatus === 'HIT' ? undefined : turns.next(owner);
    if (turn !== undefined) await turn;
    return replyResult(result, headers);
  };
  const replyInFormat = async (
    running: CachedResult | Promise<CachedResult>,
    request: Omit<FormattedRequest, 'result'>,
  ) => {
    const result = await resultOf(running, request.owner);
    return replyFormatted({ ...request, result });
  };
  const replyPage = async (
    running: CachedResult | Promise<CachedResult>,
    bound: BoundPage,
    { search }: URL,
    request: Omit<FormattedRequest, 'result'>,
  ): Promise<Reply> => {
    const page = await pageOfResult(await resultOf(running, request.owner), bound, request.owner);
    const { result } = page;
    const reply =
      request.format === formats.json
        ? replyResult(result, request.head.headers)
        : await replyFormatted({ ...request, result });
    const link = linkOf(page, search);
    return link === undefined ? reply : { ...reply, headers: { ...reply.headers, link } };
  };
  const rowsOfRequest = buildRowsOfRequest(getResult, applyRowRequest);
  /** Most gateways have no caller who follows results. */
  const follow = once(async () => {
    const [{ buildFollow }, live] = await Promise.all([import('./follow.ts'), openLive()]);
    return buildFollow({ live, turns, inFlight, now });
  });
  const replyStream = async (accepted: EventStream, following: Following) => {
    const { bound, head, admission } = following;
    requireFollowable(bound);
    const running = runBound(getResult, bound, head, admission, true);
    const result = await resultOf(running, ownerOf(admission.principal));
    return (await follow()).stream({ ...following, result }, accepted);
  };
  const replyWhenChanged = async (
    seconds: number,
    following: Following,
    running: CachedResult | Promise<CachedResult>,
  ) => {
    const { head, admission } = following;
    const result = await resultOf(running, ownerOf(admission.principal));
    const get = (bound: BoundQuery) => runBound(getResult, bound, head, { ...admission, noCache: false });
    return (await follow()).wait({ ...following, result }, seconds, get);
  };
  const replyWithRows = (
    endpoint: EndpointRequest,
    ofUrl: FormatOfUrl | undefined,
    head: RequestHead,
    request: PreparedRequest,
    admission: Admission,
  ) => {
    const { principal } = admission;
    const owner = ownerOf(principal);
    refuseUndeclared(principal, endpoint);
    const bound = authorizeAndBind(principal, endpoint, head.headers, now);
    const { query } = bound;
    const { accept, prefer } = head.headers;
    const isSaved = bound.sql === undefined;
    const { rowRequest, page } = readPartRequest(endpoint, bound);
    const isWhole = page === undefined && rowRequest === undefined;
    const stream = ofUrl === undefined ? acceptedStream(accept) : undefined;
    if (stream !== undefined) {
      if (!isWhole) throw onlyWhole();
      return replyStream(stream, { endpoint, bound, head, admission, resolve: queryAt(request) });
    }
    const format = chooseFormat(ofUrl, accept, bound);
    const whole = runBound(getResult, page?.bound ?? bound, head, admission);
    if (page !== undefined) return replyPage(whole, page, request.url, { format, query, head, owner });
    const mayWait = prefer !== undefined && isWhole && isSaved && format === formats.json;
    const seconds = mayWait && isFollowable(query) ? waitSeconds(head.headers) : undefined;
    if (seconds !== undefined)
      return replyWhenChanged(
        seconds,
        { endpoint, bound, head, admission, resolve: queryAt(request) },
        whole,
      );
    const result =
      rowRequest === undefined ? whole : rowsOfRequest(whole, rowRequest, bound, head, admission);
    if (format !== formats.json) return replyInFormat(result, { format, query, head, owner });
    return result instanceof Promise
      ? replyInTurn(result, head.headers, owner)
      : replyResult(result, head.headers);
  };
  const reply = (...request: Parameters<typeof replyWithRows>) => {
    const replied = withParameterWarning(replyWithRows(...request), request[0]);
    const [, , head, , { noCache }] = request;
    if (head.method !== 'HEAD') return replied;
    return replied instanceof Promise
      ? replied.then((later) => replyToHead(later, noCache))
      : replyToHead(replied, noCache);
  };
  const find = (request: PreparedRequest) => {
    const { parameters = new Map() } = request;
    const { query, format } = addressOf(catalog, request);
    return { endpoint: new EndpointRequest(query, parameters), format };
  };
  /** One that is hidden from the key fails as one that does not exist. */
  const findFor = (principal: Principal, request: PreparedRequest) => {
    try {
      request.addressed ??= find(request);
      const { query } = request.addressed.endpoint;
      if (principal.hidesEndpoints && !mayQuery(principal, query)) throw hiddenQuery(query);
      return request.addressed;
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      throw withNearestEndpoint(error, catalog, addressText(request), principal);
    }
  };
  return (head, request, admission) => {
    const { endpoint, format } = findFor(admission.principal, request);
    if (endpoint.isBound) return reply(endpoint, format, head, request, admission);
    // To check a pattern takes up to two milliseconds, and many requests may arrive in one turn of the event loop.
    const turn = turns.next(ownerOf(admission.principal));
    return turn === undefined
      ? reply(endpoint, format, head, request, admission)
      : turn.then(() => reply(endpoint, format, head, request, admission));
  };
}

const addressText = ({ url }: PreparedRequest): string => decodeText(url.pathname.slice(endpointPath.length));

/** What the path of a request addresses, and in which format. @throws GatewayError UNKNOWN_QUERY */
export const addressOf = (catalog: Catalog, request: PreparedRequest): EndpointAddress =>
  findEndpoint(catalog, addressText(request), request.parameters ?? new Map());

/** A request whose caller wants to know when the result changes. */
type Following = Omit<FollowingRequest, 'result'>;

/** The same query in another version of the catalog; undefined if the request means no query there. */
const queryAt = memoize((request: PreparedRequest) => (catalog: Catalog): SavedQuery | undefined => {
  try {
    return addressOf(catalog, request).query;
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
});
