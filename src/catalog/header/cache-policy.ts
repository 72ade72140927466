import { problem, type SchemaProblem } from '../../files/schema-problems.ts';
import type { CachePolicy, IncrementalPolicy } from '../model/saved-query.ts';
import type { Header } from './header-schema.ts';

/** How long results are kept; without `stale_if_error` an old one answers for as long again when the engine fails. */
export function toCachePolicy({
  caching,
  cache_warming,
  stale_if_error,
  live,
}: Header): CachePolicy | 'disabled' {
  if (caching === 'disabled') return 'disabled';
  return {
    ttlSeconds: caching,
    warmingSeconds: cache_warming,
    staleIfErrorSeconds: stale_if_error ?? caching,
    liveSeconds: live,
  };
}

export function checkCaching({
  caching,
  cache_warming,
  stale_if_error,
  live,
  warm,
}: Header): readonly SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  if (caching === 'disabled') {
    const message = 'cannot be used with caching: disabled';
    if (cache_warming !== undefined) problems.push(problem(['cache_warming'], message));
    if (stale_if_error !== undefined) problems.push(problem(['stale_if_error'], message));
    if (live !== undefined) problems.push(problem(['live'], message));
  } else if (cache_warming !== undefined && cache_warming >= caching) {
    problems.push(problem(['cache_warming'], `must be shorter than caching (${caching}s)`));
  }
  if (caching !== 'disabled' && live !== undefined && live > caching)
    problems.push(problem(['live'], `must not be longer than caching (${caching}s)`));
  if (warm.length > 0 && cache_warming === undefined) problems.push(problem(['warm'], 'needs cache_warming'));
  return problems;
}

const defaultLateSeconds = 600;
const defaultReconcileSeconds = 6 * 3_600;

/** How refreshes read only what has changed. */
export const toIncremental = ({
  late = defaultLateSeconds,
  reconcile = defaultReconcileSeconds,
}: Header): IncrementalPolicy => ({ lateSeconds: late, reconcileSeconds: reconcile });

export function checkIncremental({
  caching,
  incremental,
  late,
  reconcile,
}: Header): readonly SchemaProblem[] {
  if (incremental)
    return caching === 'disabled'
      ? [
          problem(
            ['incremental'],
            'cannot be used with caching: disabled, which keeps no result to begin with',
          ),
        ]
      : [];
  return Object.entries({ late, reconcile }).flatMap(([name, seconds]) =>
    seconds === undefined ? [] : problem([name], 'needs incremental: true'),
  );
}

/** The columns of `key` must have values that can be compared. */
export function checkRowKey({ key = [], columns }: Header): readonly SchemaProblem[] {
  return key.flatMap((name, at) => {
    const column = columns[name];
    if (column === undefined) return problem(['key', at], `no column is named ${name}`);
    if (column.repeated || column.type === 'record' || column.type === 'json')
      return problem(['key', at], `${name} must not be a record, JSON or repeated`);
    return key.indexOf(name) < at ? problem(['key', at], `${name} is listed twice`) : [];
  });
}
