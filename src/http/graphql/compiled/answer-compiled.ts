import { type FieldNode, GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import type { BoundQuery } from '../../../catalog/binding/bind.ts';
import type { Owner } from '../../../concurrency/fair-share.ts';
import { callerDisconnected, GatewayError, statusOf } from '../../../errors.ts';
import { cacheKey } from '../../../results/cache-key.ts';
import type { CachedResult, GetResult } from '../../../results/get-result.ts';
import type { Admission } from '../../access/admission.ts';
import type { Audit } from '../../access/audit.ts';
import { authorizeAndBind } from '../../access/authorize.ts';
import type { RequestHead } from '../../head.ts';
import { httpLimits } from '../../limits.ts';
import { logOf } from '../../observe/request-trace.ts';
import type { Reply } from '../../reply.ts';
import { maskError, responseTooLarge, withNodes } from '../errors.ts';
import { chooseMediaType } from '../media-type.ts';
import { rowListBytes } from '../row-size.ts';
import { toBinaryText } from './binary-text.ts';
import { BodyMemory } from './body-memory.ts';
import type { CollectedField } from './collect-fields.ts';
import type { DerivedCache } from './derived-cache.ts';
import type { OperationRequest, QueryField } from './operation-request.ts';
import { buildRenderBody, type RenderBody, type RenderOptions, rowBytes } from './render-body.ts';
import { postHeaders, RenderedResponse } from './rendered-response.ts';

export interface CompiledOptions extends RenderOptions {
  readonly getResult: GetResult;
  readonly audit: Audit;
  readonly log: Logger;
  readonly now: () => Date;
}

/**
 * Answers an operation without an executor.
 *
 * @returns undefined if a cell does not fit its type: Yoga must answer; not a promise if the response is in memory
 */
export type AnswerCompiled = (
  request: OperationRequest,
  head: RequestHead,
  admission: Admission,
) => Reply | Promise<Reply | undefined>;

/** What became of one root field. */
type Outcome = { readonly result: CachedResult } | { readonly error: unknown };

export function buildAnswerCompiled(options: CompiledOptions): AnswerCompiled {
  const { derived, turns, log, now } = options;
  const renderBody = buildRenderBody(options);
  const renderReply = buildRenderReply(renderBody, options);
  const reply = (
    request: OperationRequest,
    outcomes: readonly Outcome[],
    head: RequestHead,
    admission: Admission,
  ): Reply | Promise<Reply | undefined> => {
    const results = outcomes.flatMap((outcome) => ('result' in outcome ? [outcome.result] : []));
    if (results.length < outcomes.length || !isWithinBytes(request.fields, results)) {
      if (head.signal.aborted && outcomes.some(isCancelled)) throw callerDisconnected();
      return replyPartial(request, outcomes, head, admission, renderBody, logOf(head, log));
    }
    const key = renderedKey(request, results, derived);
    const known = derived.rendered(key);
    if (known === undefined)
      return renderReply({ key, request, results, head, owner: admission.principal.id });
    compressIfAccepted(known, head, () => derived.setRendered(key, known), log);
    // Who kept it has hashed it, if it is an answer to GET.
    return known.reply(head, results, now);
  };
  const replyInTurn = async (
    request: OperationRequest,
    running: readonly (Outcome | Promise<Outcome>)[],
    head: RequestHead,
    admission: Admission,
  ) => {
    const outcomes = await Promise.all(running);
    const turn = areHits(outcomes) ? undefined : turns.next(admission.principal.id);
    if (turn !== undefined) await turn;
    return reply(request, outcomes, head, admission);
  };
  return (request, head, admission) => {
    const outcomes = getOutcomes(request.fields, head, admission, options);
    return areHits(outcomes)
      ? reply(request, outcomes, head, admission)
      : replyInTurn(request, outcomes, head, admission);
  };
}

/** A response that has to be rendered. */
interface NewResponse {
  readonly key: string;
  readonly request: OperationRequest;
  readonly results: readonly CachedResult[];
  readonly head: RequestHead;
  readonly owner: Owner;
}

/** A rendering that is under way. */
interface Running {
  readonly rendered: Promise<Rendered>;
  /** Whether several requests wait for it. */
  isShared: boolean;
}

interface Rendered {
  /** undefined if a cell does not fit its type. */
  readonly response: RenderedResponse | undefined;
  /** The memory of the body, if it is to be given back. */
  readonly memory: Buffer | undefined;
}

/** Equal requests of a key that arrive while the response is being rendered wait for it. */
function buildRenderReply(renderBody: RenderBody, { derived, turns, now }: CompiledOptions) {
  const bodyMemory = new BodyMemory();
  const renderings = new Map<string, Running>();

  const render = async ({ key, request, results, head, owner }: NewResponse): Promise<Rendered> => {
    const isKept = derived.isRepeated(key);
    let memory: Buffer | undefined;
    const allocate = (byteLength: number) => {
      // A small buffer from Node's pool that is kept would keep its whole slab in memory.
      if (isKept) return Buffer.allocUnsafeSlow(byteLength);
      memory = bodyMemory.take(byteLength);
      return memory;
    };
    const body = await renderBody({ request, results, errors: undefined, owner, allocate });
    if (body === undefined) return { response: undefined, memory };
    const response = new RenderedResponse(body);
    if (head.method === 'GET' && results.length > 0) await response.hash(turns, owner);
    if (isKept) derived.setRendered(key, response);
    return { response, memory };
  };
  return async (response: NewResponse): Promise<Reply | undefined> => {
    const { key, results, head, owner } = response;
    // Another key's share of memory must not decide about this one's.
    const renderingKey = `${owner} ${key}`;
    const known = renderings.get(renderingKey);
    if (known !== undefined) {
      known.isShared = true;
      return (await known.rendered).response?.reply(head, results, now);
    }
    const running: Running = { rendered: render(response), isShared: false };
    renderings.set(renderingKey, running);
    try {
      const { response, memory } = await running.rendered;
      const reply = response?.reply(head, results, now);
      if (reply === undefined || memory === undefined || running.isShared) return reply;
      return { ...reply, recycle: () => bodyMemory.giveBack(memory) };
    } finally {
      renderings.delete(renderingKey);
    }
  };
}

/** Equal queries of one request are one call. */
function getOutcomes(
  fields: readonly QueryField[],
  head: RequestHead,
  { principal, noCache, schedule }: Admission,
  { getResult, audit }: Pick<CompiledOptions, 'getResult' | 'audit'>,
): readonly (Outcome | Promise<Outcome>)[] {
  const get = (bound: BoundQuery) =>
    schedule(() => getResult(bound, { caller: head, noCache, owner: principal.id }), head);
  const calls = new Map<string, CachedResult | Promise<CachedResult>>();
  const getOnce = (bound: BoundQuery) => {
    const key = cacheKey(bound);
    const call = calls.get(key) ?? get(bound);
    calls.set(key, call);
    return call;
  };
  const toFailure = (error: unknown): Outcome => {
    audit(error, head, principal.id);
    return { error };
  };
  return fields.map(({ endpoint }) => {
    try {
      const bound = authorizeAndBind(principal, endpoint, head.headers);
      const result = fields.length === 1 ? get(bound) : getOnce(bound);
      return result instanceof Promise ? result.then(toOutcome, toFailure) : { result };
    } catch (error) {
      return toFailure(error);
    }
  });
}

const toOutcome = (result: CachedResult): Outcome => ({ result });

const isCancelled = (outcome: Outcome): boolean =>
  'error' in outcome && outcome.error instanceof GatewayError && outcome.error.code === 'CANCELLED';

/** Whether nothing has to be waited for. Others wait for a run, and may be many. */
function areHits(outcomes: readonly (Outcome | Promise<Outcome>)[]): outcomes is readonly Outcome[] {
  return outcomes.every((outcome) => 'result' in outcome && outcome.result.cacheStatus === 'HIT');
}

const { maxResponseBytes } = httpLimits;

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
  const chargeRows = buildChargeRows();
  const failures: {
    readonly error: unknown;
    readonly nodes: readonly FieldNode[];
    readonly path: string[];
  }[] = [];
  const results = request.fields.map((field, at) => {
    const outcome = outcomes[at];
    if (outcome === undefined || 'error' in outcome) {
      failures.push({ error: outcome?.error, nodes: field.nodes, path: [field.responseKey] });
      return undefined;
    }
    const exceeding = chargeRows(field, outcome.result);
    if (exceeding === undefined) return outcome.result;
    const path = [field.responseKey, exceeding.responseKey];
    failures.push({ error: responseTooLarge(), nodes: exceeding.nodes, path });
    return undefined;
  });
  let errors: readonly GraphQLError[] = [];
  const errorText = () => {
    // Logs what only operators may know.
    errors = failures.map(({ error, nodes, path }) => errorAt(error, nodes, path, log));
    return toBinaryText(JSON.stringify(errors.map(withoutHttp)));
  };
  const body = await renderBody({
    request,
    results,
    errors: errorText,
    owner: principal.id,
    allocate: Buffer.allocUnsafeSlow,
  });
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
    writer.rowLists.find(({ size }) => {
      bytes += rowListBytes(size, document);
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
