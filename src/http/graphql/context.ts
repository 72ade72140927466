import DataLoader from 'dataloader';
import type { BoundQuery, RawParameters } from '../../catalog/binding/bind.ts';
import type { SavedQuery } from '../../catalog/saved-query.ts';
import { GatewayError } from '../../errors.ts';
import type { Principal } from '../../keys/principal.ts';
import { cacheKey } from '../../results/cache-key.ts';
import type { CachedResult, GetResult } from '../../results/get-result.ts';
import type { Admission } from '../access/admission.ts';
import { questionFor } from '../access/authorize.ts';
import type { RequestHead } from '../head.ts';
import { withLabels } from '../request-labels.ts';

/** What the answers of one request were, once it is answered. */
export interface Given {
  readonly answers: CachedResult[];
  hasErrors: boolean;
  /** True where the key's rate is why there is nothing in the response. */
  isRateLimited: boolean;
}

/** What GraphQL resolvers may reach: for one request, answers, where equal questions are asked once. */
export interface Context {
  /** Who asks. */
  readonly holder: Principal;
  /** @throws GatewayError FORBIDDEN where the caller may not ask this; else as binding and asking do */
  answer(query: SavedQuery, raw: RawParameters): Promise<CachedResult>;
  /** Counts rows that the response will have. @throws GatewayError QUERY_TOO_EXPENSIVE where it would be too long */
  spend(bytes: number): void;
}

/** As much text as one response may be made of, in bytes: it is in memory several times while it is written. */
const longestResponse = 64_000_000;

export interface ContextOptions {
  readonly ask: GetResult;
  readonly incoming: RequestHead;
  readonly visit: Admission;
  /** Takes up every answer. */
  readonly given: Given;
}

export function buildContext({ ask, incoming, visit, given }: ContextOptions): Context {
  const { holder, forced, inTurn } = visit;
  const loader = new DataLoader<BoundQuery, CachedResult, string>(
    (questions) =>
      Promise.all(
        questions.map((bound) =>
          inTurn(() => ask(bound, { caller: incoming, noCache: forced }), incoming).catch((error: unknown) =>
            toError(error),
          ),
        ),
      ),
    { cacheKeyFn: cacheKey },
  );
  let spent = 0;
  return {
    holder,
    spend(bytes) {
      spent += bytes;
      if (spent <= longestResponse) return;
      throw new GatewayError(
        'QUERY_TOO_EXPENSIVE',
        `The response would have more than ${longestResponse / 1e6} MB of rows; ask for them in several requests`,
      );
    },
    async answer(query, raw) {
      const answer = await loader.load(withLabels(questionFor(holder, { query, raw }), incoming.header));
      given.answers.push(answer);
      return answer;
    },
  };
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
