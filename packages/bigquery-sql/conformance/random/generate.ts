import { openRandom } from '../../test/support/random.ts';
import { makeExpression } from './expressions.ts';
import { makeFrom } from './from.ts';
import type { Made, Maker } from './maker.ts';
import { makeQuery } from './queries.ts';

/** The grammar with its inputs, without what is random. */
export type Grammar = Pick<Maker, 'inputs' | 'templates' | 'tables'>;

/** The query of a seed: the same one each time. */
export function generate(grammar: Grammar, seed: number): Made {
  const random = openRandom(seed);
  let names = 0;
  const maker: Maker = {
    ...grammar,
    random,
    fresh: (prefix) => `${prefix}${names++}`,
    expression: (type, scope, depth) => makeExpression(maker, type, scope, depth),
    query: (options) => makeQuery(maker, options),
    from: (depth, scope) => makeFrom(maker, depth, scope),
  };
  return maker.query({ depth: random.one([1, 1, 1, 2, 2]) });
}
