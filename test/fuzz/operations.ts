import type { Random } from '../../packages/bigquery-sql/test/support/random.ts';
import { nastyText } from './values.ts';

const roots = [
  'logsAll',
  'usageApiCounts',
  'functionsInvocationStats',
  'endpoints',
  'endpoint',
  '__schema',
  '__type',
  '__typename',
  'nope',
] as const;
const inner = [
  'rows',
  'rowCount',
  'truncated',
  'computedAt',
  'stale',
  'cacheStatus',
  'cost',
  'timestamp',
  'id',
  'eventMessage',
  'metadata',
  'request',
  'path',
  'count',
  'totalRestRequests',
  'name',
  'query',
  'parameters',
  'columns',
  'types',
  'fields',
  'type',
  'ofType',
  '__typename',
  'nope',
] as const;
const names = [
  'project',
  'interval',
  'projectTier',
  'isoTimestampStart',
  'isoTimestampEnd',
  'functionId',
  'id',
  'name',
  'nope',
] as const;
const words = [
  'DAILY',
  'HOURLY',
  'ONE_DAY',
  'FREE',
  'PRO',
  'NOPE',
  'null',
  'true',
  '1',
  '-1.5e300',
  '$v',
  '[]',
  '{}',
  '[[1]]',
] as const;

/** A GraphQL document, mostly a plausible one. */
export function operation(random: Random): string {
  const fragments = random.some(
    2,
    () =>
      `fragment ${random.one(['A', 'B', 'C'])} on ${random.one(['Query', 'Endpoint', 'Nope'])} ${selections(random, 1)}`,
  );
  const head = random.one([
    '',
    '',
    '',
    'query ',
    'query Q($v: String) ',
    'query ($v: DateTime = "2026-01-01") ',
    'mutation ',
    'subscription ',
  ]);
  return [`${head}${selections(random, 0)}`, ...fragments].join(' ');
}

function selections(random: Random, depth: number): string {
  const count = 1 + random.below(random.percent(5) ? 30 : 4);
  return `{ ${Array.from({ length: count }, () => selection(random, depth)).join(' ')} }`;
}

function selection(random: Random, depth: number): string {
  if (random.percent(8)) return `...${random.one(['A', 'B', 'C', 'Nope'])}`;
  if (random.percent(4))
    return `... on ${random.one(['Query', 'Endpoint'])} ${depth > 8 ? '{ __typename }' : selections(random, depth + 1)}`;
  const alias = random.percent(20) ? `a${random.below(5)}: ` : '';
  const name = depth === 0 ? random.one(roots) : random.one(inner);
  const directive = random.percent(5)
    ? random.one([' @skip(if: true)', ' @include(if: $v)', ' @defer', ' @nope'])
    : '';
  const args = depth === 0 || random.percent(5) ? argumentsOf(random) : '';
  const below =
    depth < 18 && random.percent(depth === 0 ? 80 : 35) ? ` ${selections(random, depth + 1)}` : '';
  return `${alias}${name}${args}${directive}${below}`;
}

function argumentsOf(random: Random): string {
  const others = random.some(
    4,
    () =>
      `${random.one(names)}: ${random.percent(50) ? JSON.stringify(nastyText(random)) : random.one(words)}`,
  );
  // Arguments of most operations, so that some are valid.
  const usual = random.percent(60)
    ? [
        `project: ${JSON.stringify(random.percent(70) ? 'p' : nastyText(random))}`,
        ...(random.percent(50) ? ['interval: DAILY'] : []),
      ]
    : [];
  const all = [...usual, ...others];
  return all.length === 0 ? '' : `(${all.join(', ')})`;
}
