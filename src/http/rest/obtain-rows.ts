import { ownerOf } from '../../keys/principal.ts';
import type { GetResult, ObtainedResult } from '../../results/get-result.ts';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import type { Hints } from '../../row-arguments/argument-reader.ts';
import type { Page, PageOfResult } from '../../row-pages/page-of-result.ts';
import { authorizeAndBind } from '../access/authorize.ts';
import type { RequestHead } from '../message/head.ts';
import type { EndpointRequest } from '../message/prepared-request.ts';
import type { Admission } from '../message/route.ts';
import type { ApplyRowRequest } from './apply-row-request.ts';
import { type ObtainResult, runBound } from './obtain-result.ts';
import { buildRowsOfRequest } from './push-row-request.ts';
import { pageWords } from './row-page.ts';
import { readPartRequest, rowWords } from './row-parameters.ts';

/** The rows that a request wants of a saved query. */
export interface ObtainedRows extends ObtainedResult {
  /** undefined if it wants no page. */
  readonly page?: Page;
}

/**
 * As `ObtainResult`, with the row arguments and pages that REST has.
 *
 * @param hints for messages
 * @throws GatewayError as `ObtainResult`, `ReadRows` and `PageOfResult` do
 */
export type ObtainRows = (
  endpoint: EndpointRequest,
  head: RequestHead,
  admission: Admission,
  hints?: Hints,
) => ObtainedRows | Promise<ObtainedRows>;

interface ObtainRowsOptions {
  readonly obtain: ObtainResult;
  readonly getResult: GetResult;
  readonly applyRowRequest: ApplyRowRequest;
  readonly pageOfResult: PageOfResult;
  readonly turns: LoopTurns;
  readonly now: () => Date;
}

const words = [...rowWords, ...pageWords];

export function buildObtainRows(options: ObtainRowsOptions): ObtainRows {
  const { obtain, getResult, applyRowRequest, pageOfResult, turns, now } = options;
  const rowsOfRequest = buildRowsOfRequest(getResult, applyRowRequest);
  const obtainPart: ObtainRows = async (endpoint, head, admission, hints) => {
    const { principal } = admission;
    const owner = ownerOf(principal);
    if (!endpoint.isBound) await turns.next(owner);
    const bound = authorizeAndBind(principal, endpoint, head.headers, now);
    const { rowRequest, page } = readPartRequest(endpoint, bound, hints);
    const run = async () => {
      try {
        return await runBound(getResult, page?.bound ?? bound, head, admission);
      } catch (error) {
        // All who waited for one run fail, each in a turn of the event loop.
        await turns.wait(owner);
        throw error;
      }
    };
    const result = await run();
    if (page !== undefined) {
      const made = await pageOfResult(result, page, owner);
      return { bound, result: made.result, page: made };
    }
    if (rowRequest === undefined) return { bound, result };
    const rows = await rowsOfRequest(result, rowRequest, bound, head, admission);
    return { bound, result: rows };
  };
  return (endpoint, head, admission, hints) => {
    const { query, parameters } = endpoint;
    const hasParts = query.rowArguments !== undefined || query.pages !== undefined;
    return hasParts && words.some((word) => parameters.has(word))
      ? obtainPart(endpoint, head, admission, hints)
      : obtain(endpoint, head, admission);
  };
}
