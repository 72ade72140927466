import { type FieldNode, GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import type { BoundQuery } from '../../../catalog/binding/bind.ts';
import type { Owner } from '../../../concurrency/fair-share.ts';
import { callerDisconnected, GatewayError, statusOf } from '../../../errors.ts';
import { cacheKey } from '../../../results/cache-key.ts';
import type { CachedResult, GetResult } from '../../../results/get-result.ts';
import type { Admission } from '../../access/admission.ts';
import { authorizeAndBind } from '../../access/authorize.ts';
import type { RequestHead } from '../../head.ts';
import { httpLimits } from '../../limits.ts';
import { logOf } from '../../observe/request-trace.ts';
import type { Reply } from '../../reply.ts';
import { maskError, responseTooLarge, withNodes } from '../errors.ts';

import { chooseMediaType } from '../media-type.ts';
import { toBinaryText } from './binary-text.ts';
import type { CollectedField } from './collect-fields.ts';
import type { DerivedCache } from './derived-cache.ts';
import type { OperationRequest, QueryField } from './operation-request.ts';
import { buildRenderBody, type RenderBody, type RenderOptions } from './render-body.ts';
import { postHeaders, RenderedResponse } from './rendered-response.ts';

export interface CompiledOptions extends RenderOptions {
  readonly getResult: GetResult;
  readonly log: Logger;
  readonly now: () => Date;
}

/** Answers an operation without an executor. @returns undefined if a cell does not fit its type: Yoga must answer */
export type AnswerCompiled = (
  request: OperationRequest,
  head: RequestHead,
  admission: Admission,
) => Promise<Reply | undefined>;

/** What became of one root field. */
type Outcome = { readonly result: CachedResult } | { readonly error: unknown };

export function buildAnswerCompiled(options: CompiledOptions): AnswerCompiled {
  const { getResult, derived, turns, log, now } = options;
  const renderBody = buildRenderBody(options);
  const renderOnce = buildRenderOnce(renderBody, derived);
  return async (request, head, admission) => {
    const outcomes = await getOutcomes(request.fields, head, admission, getResult);
    const turn = outcomes.every(isHit) ? undefined : turns.next(admission.principal.id);
    if (turn !== undefined) await turn;
    const results = outcomes.flatMap((outcome) => ('result' in outcome ? [outcome.result] : []));
    if (results.length < outcomes.length || !isWithinBytes(request.fields, results)) {
      if (head.signal.aborted && outcomes.some(isCancelled)) throw callerDisconnected();
      return replyPartial(request, outcomes, head, admission, renderBody, logOf(head, log));
    }
    const key = renderedKey(request, results, derived);
    const known = derived.rendered(key);
    if (known !== undefined) {
      compressIfAccepted(known, head, () => derived.setRendered(key, known), log);
      return known.reply(head, results, now);
    }
    const rendered = await renderOnce(key, request, results, admission.principal.id);
    return rendered?.reply(head, results, now);
  };
}

/** Equal requests of a key that arrive while the response is being rendered wait for it. */
function buildRenderOnce(renderBody: RenderBody, derived: DerivedCache) {
  const renderings = new Map<string, Promise<RenderedResponse | undefined>>();
  return (key: string, request: OperationRequest, results: readonly CachedResult[], owner: Owner) => {
    // Another key's share of memory must not decide about this one's.
    const renderingKey = `${owner} ${key}`;
    const known = renderings.get(renderingKey);
    if (known !== undefined) return known;
    const rendering = renderBody({ request, results, errors: undefined, owner })
      .then((body) => {
        if (body === undefined) return undefined;
        const rendered = new RenderedResponse(body);
        derived.setRendered(key, rendered);
        return rendered;
      })
      .finally(() => renderings.delete(renderingKey));
    renderings.set(renderingKey, rendering);
    return rendering;
  };
}

/** Equal queries of one request are one call. */
function getOutcomes(
  fields: readonly QueryField[],
  head: RequestHead,
  { principal, noCache, schedule }: Admission,
  getResult: GetResult,
): Promise<readonly Outcome[]> {
  const get = (bound: BoundQuery) =>
    schedule(() => getResult(bound, { caller: head, noCache, owner: principal.id }), head);
  const calls = new Map<string, Promise<CachedResult>>();
  const getOnce = (bound: BoundQuery) => {
    const key = cacheKey(bound);
    const call = calls.get(key) ?? get(bound);
    calls.set(key, call);
    return call;
  };
  const outcomeOf = async ({ endpoint }: QueryField): Promise<Outcome> => {
    try {
      const bound = authorizeAndBind(principal, endpoint, head.headers);
      return { result: await (fields.length === 1 ? get(bound) : getOnce(bound)) };
    } catch (error) {
      return { error };
    }
  };
  return Promise.all(fields.map(outcomeOf));
}

const isCancelled = (outcome: Outcome): boolean =>
  'error' in outcome && outcome.error instanceof GatewayError && outcome.error.code === 'CANCELLED';

/** Others waited for a run, and may be many. */
const isHit = (outcome: Outcome): boolean => 'result' in outcome && outcome.result.cacheStatus === 'HIT';

const { maxResponseBytes } = httpLimits;

const rowBytes = ({ writer }: QueryField, { document }: CachedResult): number =>
  writer.rowLists.length * document.encodings.identity.byteLength;

function isWithinBytes(fields: readonly QueryField[], results: readonly CachedResult[]): boolean {
  const bytes = results.reduce((sum, result, at) => {
    const field = fields[at];
    return field === undefined ? sum : sum + rowBytes(field, result);
  }, 0);
  return bytes <= maxResponseBytes;
}

/** The same request gives the same text while its documents are the same. */
function renderedKey(
  { id, fields }: OperationRequest,
  results: readonly CachedResult[],
  derived: DerivedCache,
): string {
  let key = String(id);
  for (let at = 0; at < results.length; at += 1) {
    const result = results[at];
    if (result === undefined) continue;
    key += ` ${derived.idOf(result.document)}`;
    if (fields[at]?.writer.readsCacheStatus) key += result.cacheStatus;
  }
  return key;
}

/** A response is compressed when a caller that accepts it repeats the request: most responses are sent once. */
function compressIfAccepted(
  rendered: RenderedResponse,
  { headers }: RequestHead,
  onCompressed: () => void,
  log: Logger,
): void {
  if (rendered.isCompressed || headers['accept-encoding'] === undefined) return;
  rendered.compress().then(onCompressed, (err: unknown) => log.error({ err }, 'a bug in the gateway'));
}

/** A response in which some root fields are null, each with its error, as an executor gives it. */
async function replyPartial(
  request: OperationRequest,
  outcomes: readonly Outcome[],
  head: RequestHead,
  { principal }: Admission,
  renderBody: RenderBody,
  log: Logger,
): Promise<Reply | undefined> {
  const errors: GraphQLError[] = [];
  const chargeRows = buildChargeRows();
  const results = request.fields.map((field, at) => {
    const outcome = outcomes[at];
    if (outcome !== undefined && 'result' in outcome) {
      const exceeding = chargeRows(field, outcome.result);
      if (exceeding === undefined) return outcome.result;
      const path = [field.responseKey, exceeding.responseKey];
      errors.push(errorAt(responseTooLarge(), exceeding.nodes, path, log));
    } else {
      errors.push(errorAt(outcome?.error, field.nodes, [field.responseKey], log));
    }
    return undefined;
  });
  const errorText = toBinaryText(JSON.stringify(errors.map(withoutHttp)));
  const body = await renderBody({ request, results, errors: errorText, owner: principal.id });
  if (body === undefined) return undefined;
  const isRateLimited =
    results.every((result) => result === undefined) &&
    request.members.length === request.fields.length &&
    errors.every(({ extensions }) => extensions.code === 'RATE_LIMITED');
  const retry = errors.map(
    ({ extensions }) => (extensions.http as { headers?: object } | undefined)?.headers,
  );
  return {
    status: isRateLimited ? statusOf.RATE_LIMITED : 200,
    headers: {
      'content-type': `${chooseMediaType(head.headers.accept)}; charset=utf-8`,
      'content-length': String(body.byteLength),
      ...(head.method === 'GET' ? { 'cache-control': 'no-store' } : postHeaders),
      ...Object.assign({}, ...retry),
    },
    body,
  };
}

/** @returns gives the first list of rows with which the response becomes too large, if there is one */
function buildChargeRows() {
  let bytes = 0;
  return ({ writer }: QueryField, { document }: CachedResult): CollectedField | undefined =>
    writer.rowLists.find(() => {
      bytes += document.encodings.identity.byteLength;
      return bytes > maxResponseBytes;
    });
}

function errorAt(
  thrown: unknown,
  nodes: readonly FieldNode[],
  path: readonly string[],
  log: Logger,
): GraphQLError {
  const originalError = thrown instanceof Error ? thrown : new Error(String(thrown));
  const error = withNodes(new GraphQLError(originalError.message, { path, originalError }), nodes);
  const masked = maskError(error, log);
  return masked instanceof GraphQLError ? masked : new GraphQLError(masked.message, { nodes, path });
}

/** Headers of the response are not part of its body. */
function withoutHttp(error: GraphQLError): GraphQLError {
  const { http: _, ...extensions } = error.extensions;
  return new GraphQLError(error.message, { nodes: error.nodes, path: error.path, extensions });
}
