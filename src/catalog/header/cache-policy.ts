import { problem, type SchemaProblem } from '../../files/schema-problems.ts';
import type { CachePolicy } from '../model/saved-query.ts';
import type { Header } from './header-schema.ts';

/** How long results are kept; without `stale_if_error` an old one answers for as long again when the engine fails. */
export function toCachePolicy({ caching, cache_warming, stale_if_error }: Header): CachePolicy | 'disabled' {
  if (caching === 'disabled') return 'disabled';
  return {
    ttlSeconds: caching,
    warmingSeconds: cache_warming,
    staleIfErrorSeconds: stale_if_error ?? caching,
  };
}

export function checkCaching({
  caching,
  cache_warming,
  stale_if_error,
  warm,
}: Header): readonly SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  if (caching === 'disabled') {
    const message = 'cannot be used with caching: disabled';
    if (cache_warming !== undefined) problems.push(problem(['cache_warming'], message));
    if (stale_if_error !== undefined) problems.push(problem(['stale_if_error'], message));
  } else if (cache_warming !== undefined && cache_warming >= caching) {
    problems.push(problem(['cache_warming'], `must be shorter than caching (${caching}s)`));
  }
  if (warm.length > 0 && cache_warming === undefined) problems.push(problem(['warm'], 'needs cache_warming'));
  return problems;
}
