import type { ResultColumn } from '../../../catalog/model/header-types.ts';
import type { Column } from '../../../catalog/model/saved-query.ts';
import { ownerOf } from '../../../keys/principal.ts';
import type { RouteHost } from '../../../gateway/plugin.ts';
import type { EndpointRequest } from '../../../call/endpoint-request.ts';
import type { Obtained } from '../../../call/obtain.ts';
import { GatewayError } from '../../../errors.ts';
import { memoize } from '../../../memoize.ts';
import type { JsonMembers } from '../protocol/message.ts';
import { resultText } from '../protocol/result-text.ts';
import type { AnswerLimits } from '../rows/cut-rows.ts';
import { writeResult } from '../rows/render-result.ts';
import type { CallFacts, CallRequest } from './call-request.ts';
import { buildReadCall } from './read-call.ts';
import { rowHints } from './suggest.ts';
import type { NamedTool } from './tool-names.ts';

/** The result of a call: the JSON text of a tool's result, in UTF-8. */
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

/** A longer text is hardly sent twice, and would take memory. */
const maxKeptLength = 2_048;

/** Bytes of a result beyond which its answer is kept as long as the result would be. */
const largeBytes = 4_000_000;

/** Estimated: what an answer takes in memory besides its bytes. */
const overheadBytes = 512;

/** An answer is written once for all who may get it, while the rows are the same. */
export function buildCallQuery(
  {
    open,
    obtain,
    openAnswers,
    turns,
    rejectKeys,
  }: Pick<RouteHost, 'open' | 'obtain' | 'openAnswers' | 'turns' | 'rejectKeys'>,
  limits: AnswerLimits,
): CallQuery {
  const answers = openAnswers<CallAnswer>();
  const read = buildReadCall(rejectKeys);
  const write = async (
    { fullName, endpoint: { name } }: NamedTool,
    { parameters }: EndpointRequest,
    obtained: Obtained,
    { origin, era, admission }: CallRequest,
  ) => {
    const owner = ownerOf(admission.principal);
    const { members, end } = await writeResult(
      { ...obtained, name, parameters, origin, owner },
      { limits, turns },
    );
    const facts = Object.freeze({ tool: fullName, rows: obtained.result.document.metadata.rowCount });
    const bytes = Buffer.from(resultText(era, { ...members }));
    const standIn = standInFor(obtained, end);
    const ofStandIn = standIn?.encodings.identity.byteLength ?? 0;
    return { value: { bytes, facts }, bytes: bytes.byteLength + ofStandIn + overheadBytes, standIn };
  };
  const answer = async (
    tool: NamedTool,
    given: JsonMembers,
    request: CallRequest,
    key: string | undefined,
  ): Promise<CallAnswer> => {
    const { head, admission } = request;
    const endpoint = read(tool, given, admission.principal);
    const call = await open(endpoint, { head, admission });
    const obtained = await obtain(call, rowHints);
    const { query } = call.bound;
    if (query.rowArguments !== undefined && given.select !== undefined && given.select !== '*')
      requireSchema(query.columns, obtained.result.document.metadata.columns);
    const written = await write(tool, endpoint, obtained, request);
    if (key !== undefined) answers.keep(key, request, () => written, true);
    return written.value;
  };
  return (tool, given, request) => {
    const { origin, era } = request;
    const text = textOfArguments(given);
    const key = text === tooLong ? undefined : [era, tool.fullName, origin, text].join('\n');
    const found = key === undefined ? undefined : answers.find(key, request);
    return found?.value ?? answer(tool, given, request, key);
  };
}

/**
 * Clients refuse aggregates that are not as the tool's output schema says of a column with their name.
 *
 * @throws GatewayError INVALID_PARAMETER
 */
function requireSchema(declared: readonly Column[], columns: readonly ResultColumn[] = []): void {
  const named = new Map(declared.map((column) => [column.name, column]));
  const other = columns.find(({ name, type }) => {
    const column = named.get(name);
    return column !== undefined && (column.type !== type || column.repeated);
  });
  if (other === undefined) return;
  const { name } = other;
  throw new GatewayError(
    'INVALID_PARAMETER',
    `select: ${name} would have another type than the column ${name}; name it otherwise, as in ${name}_value`,
    { parameter: 'select' },
  );
}

/**
 * The rows of a large result that its answer has. The answer is sent for as long as the result is fresh, also if that has no
 * room in memory: to compute it again takes seconds.
 */
function standInFor({ result: { document } }: Obtained, end: number): typeof document | undefined {
  const { identity } = document.encodings;
  if (identity.byteLength <= largeBytes) return undefined;
  const start = end === 0 ? Buffer.from('{"result":[') : identity.subarray(0, end);
  return { ...document, encodings: { identity: Buffer.concat([start, Buffer.from(']}')]) } };
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
