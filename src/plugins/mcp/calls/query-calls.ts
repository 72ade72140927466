import { ownerOf } from '../../../keys/principal.ts';
import { LRUCache } from 'lru-cache';
import type { RouteHost } from '../../../gateway/plugin.ts';
import type { EndpointRequest } from '../../../call/endpoint-request.ts';
import type { Call } from '../../../call/gate.ts';
import type { Obtained } from '../../../call/obtain.ts';
import { memoize } from '../../../memoize.ts';
import { freshnessOf } from '../../../results/freshness.ts';
import type { ObtainedResult } from '../../../results/get-result.ts';
import type { Era } from '../protocol/era.ts';
import type { JsonMembers } from '../protocol/message.ts';
import { resultText } from '../protocol/result-text.ts';
import type { AnswerLimits } from '../rows/cut-rows.ts';
import { writeResult } from '../rows/render-result.ts';
import type { CallFacts, CallRequest } from './call-request.ts';
import { buildReadCall } from './read-call.ts';
import { rowHints } from './suggest.ts';
import type { NamedTool } from './tool-names.ts';

/** What a call gives: the JSON text of a tool's result, in UTF-8. */
export interface CallAnswer {
  readonly bytes: Buffer;
  readonly facts: CallFacts;
}

/** Calls a saved query. @throws WrongArguments; GatewayError as `RouteHost.open` and `obtain` do */
export type CallQuery = (
  tool: NamedTool,
  given: JsonMembers,
  request: CallRequest,
) => CallAnswer | Promise<CallAnswer>;

/** A call as far as its arguments say it, with the answer that was written last. */
interface KnownCall {
  readonly endpoint: EndpointRequest;
  /** The id of the document that the answers are made of: the document itself would stay in memory as long as the call. */
  documentId: number | undefined;
  readonly answers: Map<Era, CallAnswer>;
  /** What they have of a result that is so large that the cache may have had no room for it. */
  lasting: ObtainedResult | undefined;
}

/** How many calls are kept: agents repeat theirs, and each other's. */
const maxCalls = 1_000;

/** Bytes of all answers that are kept. */
const maxKeptBytes = 32_000_000;

/** A longer text is hardly sent twice, and would take memory. */
const maxKeptLength = 2_048;

/** Bytes of a result beyond which its answer is kept as long as the result would be: to compute it again takes seconds. */
const largeBytes = 4_000_000;

/** An answer that is sent again while the rows are the same is written once for all who may get it. */
export function buildCallQuery(
  {
    open,
    obtain,
    turns,
    isKeyText,
    clock,
    showResult,
  }: Pick<RouteHost, 'open' | 'obtain' | 'turns' | 'isKeyText' | 'clock' | 'showResult'>,
  limits: AnswerLimits,
): CallQuery {
  const calls = new LRUCache<string, KnownCall>({
    max: maxCalls,
    maxSize: maxKeptBytes,
    sizeCalculation: sizeOf,
  });
  const read = buildReadCall(isKeyText);
  const write = async (
    call: KnownCall,
    key: string | undefined,
    tool: NamedTool,
    obtained: Obtained,
    request: CallRequest,
  ): Promise<CallAnswer> => {
    const { result } = obtained;
    const { origin, era } = request;
    const owner = ownerOf(request.admission.principal);
    const { parameters } = call.endpoint;
    const { name } = tool.endpoint;
    const { members, end } = await writeResult(
      { ...obtained, name, parameters, origin, owner },
      { limits, turns },
    );
    const facts = Object.freeze({ tool: tool.fullName, rows: result.document.metadata.rowCount });
    const answer = { bytes: Buffer.from(resultText(era, { ...members })), facts };
    if (key === undefined || result.cacheStatus === 'STALE' || result.caching === 'disabled') return answer;
    const { id } = result.document;
    if (call.documentId !== id) call.answers.clear();
    call.documentId = id;
    call.answers.set(era, answer);
    call.lasting = lastingOf(obtained, end);
    // Its size is read again only if it is a new entry.
    calls.delete(key);
    calls.set(key, call);
    return answer;
  };
  const lastingAnswer = (
    { lasting, answers }: KnownCall,
    { bound }: Call,
    { admission, head, era }: CallRequest,
  ): CallAnswer | undefined => {
    const known = answers.get(era);
    const now = clock.elapsedMs();
    if (bound !== lasting?.bound || known === undefined || admission.noCache) return undefined;
    const { result } = lasting;
    if (result.caching === 'disabled' || freshnessOf(result.document, result.caching, now) !== 'fresh')
      return undefined;
    showResult({ bound, result: { ...result, obtainedAt: now } }, head);
    return known;
  };
  return async (tool, given, request) => {
    const { admission, head, origin, era } = request;
    const { tenants } = admission.principal;
    const text = textOfArguments(given);
    const tenant = tenants?.size === 1 ? [...tenants] : [];
    const key = text === tooLong ? undefined : [text, tool.name, origin, ...tenant].join('\n');
    const call = (key === undefined ? undefined : calls.get(key)) ?? {
      endpoint: read(tool, given, admission.principal),
      documentId: undefined,
      answers: new Map(),
      lasting: undefined,
    };
    const opened = await open(call.endpoint, { head, admission });
    const lasting = call.lasting && lastingAnswer(call, opened, request);
    if (lasting !== undefined) return lasting;
    const answer = (obtained: Obtained) => {
      const { document, cacheStatus } = obtained.result;
      const known =
        call.documentId === document.id && cacheStatus !== 'STALE' ? call.answers.get(era) : undefined;
      return known ?? write(call, key, tool, obtained, request);
    };
    return answer(await obtain(opened, rowHints));
  };
}

/**
 * Binding gives the same object for equal requests, for as long as they mean the same rows.
 *
 * @param end of the rows in the document that the answer has: without the others, keeping it takes little memory
 */
function lastingOf({ bound, result }: Obtained, end: number): KnownCall['lasting'] {
  const { identity } = result.document.encodings;
  if (identity.byteLength <= largeBytes) return undefined;
  const shown = Buffer.concat([
    end === 0 ? Buffer.from('{"result":[') : identity.subarray(0, end),
    Buffer.from(']}'),
  ]);
  return {
    bound,
    result: {
      ...result,
      cacheStatus: 'HIT',
      document: { ...result.document, encodings: { identity: shown } },
    },
  };
}

/** Other arguments are refused; a text of JSON has not all of them, as a number that is too large, or is too deep. */
const isFlat = (given: JsonMembers): boolean =>
  Object.values(given).every((value) => [value].flat().every(isScalar));

const isScalar = (value: unknown): boolean =>
  value === null || (typeof value === 'number' ? Number.isFinite(value) : typeof value !== 'object');

const tooLong = '';

/** Equal messages have the same arguments. */
const textOfArguments = memoize((given: JsonMembers): string => {
  const text = isFlat(given) ? JSON.stringify(given) : tooLong;
  return text.length > maxKeptLength ? tooLong : text;
});

const sizeOf = ({ answers, lasting }: KnownCall, key: string): number =>
  [...answers.values()].reduce(
    (sum, { bytes }) => sum + bytes.byteLength,
    2 * key.length + 1_024 + (lasting?.result.document.encodings.identity.byteLength ?? 0),
  );
