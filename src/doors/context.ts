import DataLoader from 'dataloader';
import type { Answer, Ask, Asking } from '../answer/answer.ts';
import { questionKey } from '../answer/question-key.ts';
import { type Bound, bind, type RawParameters } from '../catalog/bind.ts';
import type { SavedQuery } from '../catalog/saved-query.ts';

/** What the answers of one request were, once it is answered. */
export interface Given {
  readonly answers: Answer[];
  hasErrors: boolean;
}

/** What GraphQL resolvers may reach: for one request, answers, where equal questions are asked once. */
export interface Context {
  answer(query: SavedQuery, raw: RawParameters): Promise<Answer>;
}

/** @param given takes up every answer */
export function buildContext(ask: Ask, asking: Asking, given: Given): Context {
  const loader = new DataLoader<Bound, Answer, string>(
    (questions) =>
      Promise.all(questions.map((bound) => ask(bound, asking).catch((error: unknown) => toError(error)))),
    { cacheKeyFn: questionKey },
  );
  return {
    async answer(query, raw) {
      const answer = await loader.load(bind(query, raw));
      given.answers.push(answer);
      return answer;
    },
  };
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
