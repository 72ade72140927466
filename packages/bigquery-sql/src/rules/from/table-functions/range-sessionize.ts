import type * as Syntax from '../../../syntax/nodes.ts';
import { describeType } from '../../../types.ts';
import type { Context, ResolvedFrom } from '../../context.ts';
import { isGroupableAnywhere } from '../../queries/after-grouping.ts';
import type { Scope } from '../../scope.ts';
import { Unsupported } from '../../unsupported.ts';
import { expand } from './expand.ts';
import { columnNamed, type Input } from './input.ts';
import { argumentsByName, itemsOf, textOf } from './table-arguments.ts';

const argumentNames = ['range_column', 'partitioning_columns', 'sessionize_option'] as const;

/**
 * `RANGE_SESSIONIZE(TABLE t, 'duration', ['user'])`: the rows with a further column `session_range`, from the start of
 * the first to the end of the last of the ranges that meet or overlap.
 *
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/range-functions#range_sessionize
 */
export function rangeSessionize(
  call: Syntax.TableFunction,
  input: Input,
  scope: Scope,
  context: Context,
): ResolvedFrom {
  const args = argumentsByName(call, 'RANGE_SESSIONIZE', argumentNames, scope, context);
  const [named, partitions] = [args.get('range_column'), args.get('partitioning_columns')];
  if (!named || !partitions)
    throw new Unsupported(call, 'RANGE_SESSIONIZE takes a table, a range column and partitioning columns');
  const range = columnNamed(textOf(named, 'range_column'), input, named.node, 'RANGE_SESSIONIZE');
  if (range.type.kind !== 'range')
    throw new Unsupported(named.node, `${range.name} is ${describeType(range.type)}, not a RANGE`);
  const keys = itemsOf(partitions, 'partitioning_columns').map((item) => {
    const key = columnNamed(textOf(item, 'a partitioning column'), input, item.node, 'RANGE_SESSIONIZE');
    if (isGroupableAnywhere(key.type) && key.type.kind !== 'range') return key.own;
    throw new Unsupported(item.node, `RANGE_SESSIONIZE cannot partition by ${describeType(key.type)}`);
  });
  const option = args.get('sessionize_option');
  const mode = option ? textOf(option, 'sessionize_option').toUpperCase() : 'MEETS';
  if (mode !== 'MEETS' && mode !== 'OVERLAPS')
    throw new Unsupported(option?.node ?? call, "sessionize_option is 'MEETS' or 'OVERLAPS'");
  return expand(
    call,
    sessionizeSql(range.own, keys, mode === 'MEETS' ? '<=' : '<'),
    input,
    { values: [], names: [...input.columns.map(({ name }) => name), 'session_range'] },
    context,
  );
}

/**
 * An unbounded side is NULL, as RANGE_START and RANGE_END give it. Ranges with one start are in one session, and each window
 * has them in an order of its own: the frame that numbers the sessions has all of them.
 */
function sessionizeSql(range: string, keys: readonly string[], joins: '<=' | '<'): string {
  const partition = (more: readonly string[] = []) => {
    const all = [...keys, ...more];
    return all.length > 0 ? `PARTITION BY ${all.join(', ')}` : '';
  };
  const sorted = `${partition()} ORDER BY range_start`;
  const order = `${sorted} ROWS BETWEEN UNBOUNDED PRECEDING`;
  const session = partition(['session']);
  return `WITH sides AS (
    SELECT *, RANGE_START(${range}) AS range_start, RANGE_END(${range}) AS range_end FROM input
  ), earlier AS (
    SELECT *, MAX(range_end) OVER (${order} AND 1 PRECEDING) AS earlier_end,
      COUNTIF(range_end IS NULL) OVER (${order} AND 1 PRECEDING) > 0 AS earlier_is_open,
      COUNT(*) OVER (${order} AND 1 PRECEDING) AS earlier_rows
    FROM sides
  ), sessions AS (
    SELECT *, COUNTIF(earlier_rows = 0 OR NOT (range_start IS NULL OR earlier_is_open OR range_start ${joins} earlier_end))
      OVER (${sorted}) AS session
    FROM earlier
  )
  SELECT * EXCEPT (range_start, range_end, earlier_end, earlier_is_open, earlier_rows, session),
    IF(${range} IS NULL, ERROR('RANGE_SESSIONIZE takes no NULL as range'), RANGE(
      IF(COUNTIF(range_start IS NULL) OVER (${session}) > 0, NULL, MIN(range_start) OVER (${session})),
      IF(COUNTIF(range_end IS NULL) OVER (${session}) > 0, NULL, MAX(range_end) OVER (${session}))
    )) AS session_range
  FROM sessions`;
}
