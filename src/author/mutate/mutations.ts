import { parseQuery, walk } from '@querygate/bigquery-sql/syntax';
import { mutateNode } from './mutate-node.ts';
import { buildMutator, type Mutation } from './mutator.ts';

/** Every change that is made of a query, in the order of the text, none twice. */
export function mutationsOf(sql: string): readonly Mutation[] {
  const mutator = buildMutator(sql);
  walk(parseQuery(sql), (node, around) => mutateNode(node, around, mutator));
  const seen = new Set([sql]);
  return mutator.mutations
    .filter((mutation) => !seen.has(mutation.sql) && seen.add(mutation.sql))
    .sort((a, b) => a.start - b.start);
}

/** Makes several changes at once; their places do not overlap. */
export const combinedSql = (sql: string, mutations: readonly Mutation[]): string =>
  mutations
    .toSorted((a, b) => b.start - a.start)
    .reduce((changed, { start, end, text }) => changed.slice(0, start) + text + changed.slice(end), sql);
