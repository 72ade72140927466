import DataLoader from 'dataloader';
import type { Answer, Ask } from '../answer/answer.ts';
import { questionKey } from '../answer/question-key.ts';
import { type Bound, bind, type RawParameters } from '../catalog/bind.ts';
import type { SavedQuery } from '../catalog/saved-query.ts';
import type { Incoming } from './incoming.ts';
import { withLabels } from './request-labels.ts';

/** What the answers of one request were, once it is answered. */
export interface Given {
  readonly answers: Answer[];
  hasErrors: boolean;
}

/** What GraphQL resolvers may reach: for one request, answers, where equal questions are asked once. */
export interface Context {
  answer(query: SavedQuery, raw: RawParameters): Promise<Answer>;
}

export interface ContextOptions {
  readonly ask: Ask;
  readonly incoming: Incoming;
  readonly forced: boolean;
  /** Takes up every answer. */
  readonly given: Given;
}

export function buildContext({ ask, incoming, forced, given }: ContextOptions): Context {
  const loader = new DataLoader<Bound, Answer, string>(
    (questions) =>
      Promise.all(
        questions.map((bound) => ask(bound, { incoming, forced }).catch((error: unknown) => toError(error))),
      ),
    { cacheKeyFn: questionKey },
  );
  return {
    async answer(query, raw) {
      const answer = await loader.load(withLabels(bind(query, raw), incoming.header));
      given.answers.push(answer);
      return answer;
    },
  };
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
