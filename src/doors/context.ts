import DataLoader from 'dataloader';
import type { Answer, Ask } from '../answer/answer.ts';
import { questionKey } from '../answer/question-key.ts';
import { type Bound, bind, type RawParameters } from '../catalog/bind.ts';
import type { SavedQuery } from '../catalog/saved-query.ts';
import { requestLabels } from './request-labels.ts';

/** What GraphQL resolvers may reach: for one request, answers, where equal questions are asked once. */
export interface Context {
  answer(query: SavedQuery, raw: RawParameters): Promise<Answer>;
}

export function buildContext(ask: Ask, { headers, signal }: Request): Context {
  const loader = new DataLoader<Bound, Answer, string>(
    (questions) =>
      Promise.all(questions.map((bound) => ask(bound, signal).catch((error: unknown) => toError(error)))),
    { cacheKeyFn: questionKey },
  );
  return {
    answer: async (query, raw) => loader.load({ ...bind(query, raw), ...requestLabels(query, headers) }),
  };
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
