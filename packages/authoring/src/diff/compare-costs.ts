import type { AnalyzedCatalog, QueryCheck, SavedQuery } from 'querygate';
import type { ForecastCosts } from '../workspace.ts';
import { type Change, type CostPair, change, type Pair } from './change.ts';
import { withExamplesOf } from './measure-bytes.ts';

interface CostOptions {
  readonly forecast: ForecastCosts;
  readonly before: AnalyzedCatalog;
  readonly after: AnalyzedCatalog;
  /** The dry runs that are known already. */
  readonly checks: readonly QueryCheck[];
}

/** Forecasts what both versions of endpoints cost while they are warm, and compares it. */
export async function compareCosts(
  pairs: readonly CostPair[],
  { forecast, before, after, checks }: CostOptions,
): Promise<(pair: CostPair) => readonly Change[]> {
  const former = new Map(pairs.flatMap((pair) => (isPair(pair) ? [[pair.after, withExamplesOf(pair)]] : [])));
  const forecasts = [
    ...(await forecast({ ...before, queries: [...former.values()] }, checks)),
    ...(await forecast({ ...after, queries: pairs.map((pair) => pair.after) }, checks)),
  ];
  const of = (query: SavedQuery | undefined) => forecasts.find((one) => one.query === query);
  return (pair) => {
    const [was, is] = [of(former.get(pair.after)), of(pair.after)];
    if (is?.summary === undefined) return [];
    const path = pair.before === undefined ? [] : ['sql'];
    const isMore = (is.usdPerMonth ?? 0) > (was?.usdPerMonth ?? 0);
    if (is.problem !== undefined && isMore) return [change('cost-over-maximum', path, is.problem)];
    if (was?.summary === undefined) return [change('cost', path, `costs ${is.summary}`)];
    if (was.summary === is.summary) return [];
    return [change('cost', path, `costs ${is.summary}; before: ${was.summary}`)];
  };
}

const isPair = (pair: CostPair): pair is Pair => pair.before !== undefined;
