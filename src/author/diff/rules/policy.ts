import { type Rules, rule } from './rule.ts';

/** Changes of limits, caching, labels, sandboxing and metrics. */
export const policyRules = {
  'max-rows-lowered': rule(
    'dangerous',
    'dangerous',
    '`max_rows` is lower',
    'results are cut earlier, which `truncated` says',
  ),
  'max-rows-raised': rule('safe', 'safe', '`max_rows` is higher', 'results may have more rows'),
  'caching-longer': rule(
    'dangerous',
    'dangerous',
    '`caching` is longer, or enabled',
    'rows may be older than before',
  ),
  'caching-shorter': rule(
    'safe',
    'safe',
    '`caching` is shorter, or disabled',
    'newer rows; the query runs more often',
  ),
  'stale-shorter': rule(
    'dangerous',
    'dangerous',
    '`stale_if_error` is shorter',
    'more requests fail while the engine fails',
  ),
  'stale-longer': rule(
    'safe',
    'safe',
    '`stale_if_error` is longer',
    'older rows instead of errors while the engine fails',
  ),
  'cache-warming': rule('safe', 'safe', '`cache_warming` or `warm` is changed', 'nothing but time and cost'),
  'label-added': rule('safe', 'safe', 'a label is new', 'requests may set it'),
  'label-removed': rule(
    'dangerous',
    'dangerous',
    'a label is removed',
    'requests that set it succeed, but the bill lacks it',
  ),

  'sandboxing-enabled': rule(
    'dangerous',
    'dangerous',
    '`query_sandboxing` is enabled',
    'callers may read every row and column of the common tables',
  ),
  'sandboxing-disabled': rule(
    'breaking',
    'breaking',
    '`query_sandboxing` is disabled',
    'requests with SQL get 400, and the field for them is invalid',
  ),
  'sandbox-removed': rule(
    'breaking',
    'breaking',
    'a common table that callers may read, or a column of it, is removed or has another type',
    'SQL of callers that reads it gets 400',
  ),
  'sandbox-added': rule(
    'safe',
    'safe',
    'a common table that callers may read, or a column of it, is new',
    'nothing',
  ),

  'metric-added': rule('safe', 'safe', 'a metric is new in `prometheus`', 'a further series'),
  'metric-removed': rule(
    'breaking',
    'safe',
    'a metric, or the whole of `prometheus`, is removed',
    'Prometheus gets no samples, or 406',
  ),
  'metric-changed': rule(
    'dangerous',
    'safe',
    'a metric has another column or other labels',
    'Prometheus stores other series; queries and alerts may find none',
  ),
} as const satisfies Rules;
