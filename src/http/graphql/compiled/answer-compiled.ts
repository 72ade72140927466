import { ownerOf } from '../../../keys/principal.ts';
import type { Logger } from 'pino';
import type { CachedResult } from '../../../results/get-result.ts';
import { isPushed } from '../../../row-arguments/pushed/pushed-query.ts';
import type { RequestHead } from '../../message/head.ts';
import { httpLimits } from '../../message/http-limits.ts';
import type { Reply } from '../../message/reply.ts';
import { logOf } from '../../message/request-trace.ts';
import type { Admission } from '../../../call/caller.ts';
import { type LoadOptions, ResultLoader } from '../../../call/load-results.ts';
import { buildGetOutcome, type Outcome, resultsOf } from '../outcomes.ts';
import type { OperationRequest } from './operation-request.ts';
import { replyPartial } from './partial-reply.ts';
import type { QueryField } from './prepare-operation.ts';
import { buildRenderBody, type RenderOptions, rowBytes } from './render-body.ts';
import { buildRenderReply } from './render-reply.ts';

export interface CompiledOptions extends RenderOptions, Omit<LoadOptions, 'maxRunning'> {
  readonly log: Logger;
}

/**
 * Answers an operation without an executor.
 *
 * @returns undefined if a cell does not fit its type, or arguments are pushed into SQL: Yoga must answer; not a promise if the response is in memory
 */
export type AnswerCompiled = (
  request: OperationRequest,
  head: RequestHead,
  admission: Admission,
) => Reply | Promise<Reply | undefined>;

export function buildAnswerCompiled(options: CompiledOptions): AnswerCompiled {
  const { turns, log } = options;
  const renderBody = buildRenderBody(options);
  const renderReply = buildRenderReply(renderBody, options);
  const reply = (
    request: OperationRequest,
    outcomes: readonly Outcome[],
    head: RequestHead,
    admission: Admission,
  ): Reply | Promise<Reply | undefined> => {
    const results = resultsOf(outcomes, head);
    const isWhole = results.length === outcomes.length;
    const key = renderedKey(request, results);
    if (needsOtherRows(request.fields, outcomes)) return Promise.resolve(undefined);
    if (isWhole && isWithinBytes(request.fields, results)) {
      return renderReply({ key, request, results, head, owner: ownerOf(admission.principal) });
    }
    return replyPartial(request, outcomes, head, admission, renderBody, logOf(head, log));
  };
  const replyInTurn = async (
    request: OperationRequest,
    running: readonly (Outcome | Promise<Outcome>)[],
    head: RequestHead,
    admission: Admission,
  ) => {
    const outcomes = await Promise.all(running);
    const turn = areHits(outcomes) ? undefined : turns.next(ownerOf(admission.principal));
    if (turn !== undefined) await turn;
    return reply(request, outcomes, head, admission);
  };
  return (request, head, admission) => {
    const { fields } = request;
    if (fields.some((field) => isRunAgain(field, admission))) return Promise.resolve(undefined);
    const loader = new ResultLoader(
      { ...options, maxRunning: httpLimits.maxRootFields },
      { head, admission },
    );
    const getOutcome = buildGetOutcome(loader);
    return replyInTurn(
      request,
      fields.map(({ endpoint }) => getOutcome(endpoint)),
      head,
      admission,
    );
  };
}

/** Whether nothing has to be waited for. Others wait for a run, and may be many. */
function areHits(outcomes: readonly (Outcome | Promise<Outcome>)[]): outcomes is readonly Outcome[] {
  return outcomes.every((outcome) => 'result' in outcome && outcome.result.cacheStatus === 'HIT');
}

function isWithinBytes(fields: readonly QueryField[], results: readonly CachedResult[]): boolean {
  const bytes = results.reduce((sum, result, at) => {
    const field = fields[at];
    return field === undefined ? sum : sum + rowBytes(field, result);
  }, 0);
  return bytes <= httpLimits.maxResponseBytes;
}

/** Whether a result has not all rows for the arguments of a query that is pushed: they are queries of their own. */
const needsOtherRows = (fields: readonly QueryField[], outcomes: readonly Outcome[]): boolean =>
  fields.some(({ endpoint: { query }, rowTasks }, at) => {
    const outcome = outcomes[at];
    if (outcome === undefined || 'error' in outcome || !isPushed(query, outcome.result.document))
      return false;
    return rowTasks.some((task) => task !== undefined);
  });

/** Whether a result that is not in the cache would be needed again by an executor, which pushes arguments: it must not run twice. */
const isRunAgain = ({ endpoint: { query }, rowTasks }: QueryField, { noCache }: Admission): boolean =>
  query.rowArguments?.push !== undefined &&
  (noCache || query.caching === 'disabled') &&
  rowTasks.some((task) => task !== undefined);

/** The same request gives the same text while its documents are the same. */
function renderedKey({ id, fields }: OperationRequest, results: readonly CachedResult[]): string {
  let key = String(id);
  for (let at = 0; at < results.length; at += 1) {
    const result = results[at];
    if (result === undefined) continue;
    key += ` ${result.document.id}`;
    if (fields[at]?.writer.readsCacheStatus) key += result.cacheStatus;
  }
  return key;
}
