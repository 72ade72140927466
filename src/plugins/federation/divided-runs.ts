import { dividesList, NotDerivable } from '@querygate/bigquery-sql/derive';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import type { PluginHost } from '../../gateway/plugin.ts';
import type { ValuesOfList } from '../../call/load-results.ts';
import { memoize } from '../../memoize.ts';
import { getOrAdd } from '../../get-or-add.ts';

/** True if it is proved that the rows of a run for several values of a list are, divided, those of a run for each. */
export type IsDivided = (query: SavedQuery, list: ValuesOfList) => Promise<boolean>;

/** Finds it once for each query. */
export function buildIsDivided({ derive }: Pick<PluginHost, 'derive'>): IsDivided {
  const known = memoize((_query: SavedQuery) => new Map<string, Promise<boolean>>());
  const find: IsDivided = async (query, { parameter, column = '' }) => {
    const { problem } = await derive(query, (itself, compiled) => {
      if (!dividesList(compiled().query, parameter, column))
        throw new NotDerivable(`rows of different values of ${parameter} meet`);
      return itself;
    });
    return problem === undefined;
  };
  return (query, list) =>
    getOrAdd(known(query), JSON.stringify([list.parameter, list.column]), () => find(query, list));
}
