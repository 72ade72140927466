import type * as Syntax from '../../../syntax/nodes.ts';
import { literal } from '../../../tree/build.ts';
import type { Expression } from '../../../tree/nodes.ts';
import { describeType, isScalar, scalar, type Type } from '../../../types.ts';
import { convert, distance } from '../../coercion.ts';
import type { Context, ResolvedFrom } from '../../context.ts';
import { dependsOnRows } from '../../expressions/constant-values.ts';
import { isGroupableAnywhere } from '../../queries/after-grouping.ts';
import type { Scope } from '../../scope.ts';
import { Unsupported } from '../../unsupported.ts';
import { expand } from './expand.ts';
import { columnNamed, type Input, type InputColumn } from './input.ts';
import { type Argument, argumentsByName, itemsOf, textOf } from './table-arguments.ts';

/** How the value of a column at a point of the grid is found if no row has this time. */
type Method = 'null' | 'locf' | 'linear';

interface FilledColumn extends InputColumn {
  readonly method: Method;
}

type TimeType = 'DATE' | 'DATETIME' | 'TIMESTAMP';

const argumentNames = [
  'ts_column',
  'bucket_width',
  'partitioning_columns',
  'value_columns',
  'origin',
  'ignore_null_values',
] as const;

/**
 * `GAP_FILL(TABLE t, ts_column => 'time', bucket_width => INTERVAL 1 HOUR, …)`: a row for each start of a bucket from the
 * first time of a series to its last.
 *
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/time-series-functions#gap_fill
 */
export function gapFill(
  call: Syntax.TableFunction,
  input: Input,
  scope: Scope,
  context: Context,
): ResolvedFrom {
  const args = argumentsByName(call, 'GAP_FILL', argumentNames, scope, context);
  const columnOf = (argument: Argument, what: string) =>
    columnNamed(textOf(argument, what), input, argument.node, 'GAP_FILL');
  const time = columnOf(required(call, args.get('ts_column'), 'ts_column'), 'ts_column');
  const timeType = (['DATE', 'DATETIME', 'TIMESTAMP'] as const).find((name) => isScalar(time.type, name));
  if (!timeType)
    throw new Unsupported(
      call,
      `GAP_FILL: ${time.name} is ${describeType(time.type)}; ts_column is a DATE, DATETIME or TIMESTAMP`,
    );
  const keys = itemsOf(args.get('partitioning_columns'), 'partitioning_columns').map((item) => {
    const key = columnOf(item, 'a partitioning column');
    if (isGroupableAnywhere(key.type)) return key;
    throw new Unsupported(item.node, `GAP_FILL cannot partition by ${describeType(key.type)}`);
  });
  const values = valueColumns(args.get('value_columns'), input, [time, ...keys], columnOf);
  const shown = [time, ...keys, ...values];
  const repeated = shown.find(({ own }, at) => shown.findIndex((other) => other.own === own) !== at);
  if (repeated) throw new Unsupported(call, `GAP_FILL takes each column once, and ${repeated.name} twice`);
  const width = required(call, args.get('bucket_width'), 'bucket_width');
  return expand(
    call,
    gapFillSql(timeType, time.own, keys, values, ignoresNulls(args.get('ignore_null_values'))),
    input,
    {
      values: [
        { name: 'width', value: constant(width, scalar('INTERVAL'), 'bucket_width') },
        { name: 'origin', value: originOf(args.get('origin'), timeType) },
      ],
      names: shown.map(({ name }) => name),
    },
    context,
  );
}

function required(call: Syntax.TableFunction, argument: Argument | undefined, name: string): Argument {
  if (argument) return argument;
  throw new Unsupported(call, `GAP_FILL needs ${name}`);
}

/** All other columns without a list. */
function valueColumns(
  argument: Argument | undefined,
  { columns }: Input,
  others: readonly InputColumn[],
  columnOf: (argument: Argument, what: string) => InputColumn,
): readonly FilledColumn[] {
  if (!argument)
    return columns.filter((one) => !others.includes(one)).map((column) => ({ ...column, method: 'null' }));
  return itemsOf(argument, 'value_columns').map(({ node, value }): FilledColumn => {
    const [name, method] = value.kind === 'struct' ? value.fields : [];
    if (!name || !method)
      throw new Unsupported(node, "value_columns has pairs such as ('requests', 'linear')");
    const column = columnOf({ node, value: name.value }, 'a value column');
    const text = textOf({ node, value: method.value }, 'a method of GAP_FILL').toLowerCase();
    if (text !== 'null' && text !== 'locf' && text !== 'linear')
      throw new Unsupported(node, `GAP_FILL has no method ${text}; it has 'null', 'linear' and 'locf'`);
    if (text === 'linear' && !isScalar(column.type, 'INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC'))
      throw new Unsupported(
        node,
        `'linear' takes numbers, and ${column.name} is ${describeType(column.type)}: use 'locf' or 'null'`,
      );
    return { ...column, method: text };
  });
}

function ignoresNulls(argument: Argument | undefined): boolean {
  if (!argument) return true;
  const { node, value } = argument;
  if (value.kind === 'literal' && typeof value.value === 'boolean') return value.value;
  throw new Unsupported(node, 'ignore_null_values is TRUE or FALSE');
}

/** An argument that is the same for all rows. */
function constant({ node, value }: Argument, type: Type, name: string): Expression {
  if (distance(value, type) === undefined)
    throw new Unsupported(node, `${name} is ${describeType(type)}, not ${describeType(value.type)}`);
  if (dependsOnRows(value)) throw new Unsupported(node, `${name} must be the same for all rows`);
  return convert(value, type);
}

function originOf(argument: Argument | undefined, name: TimeType): Expression {
  if (argument) return constant(argument, scalar(name), 'origin');
  const start = { DATE: '', DATETIME: ' 00:00:00', TIMESTAMP: ' 00:00:00+00' }[name];
  return literal(scalar(name), `1950-01-01${start}`);
}

/**
 * The meaning of GAP_FILL. `points` are the times that rows have, `grid` are the starts of buckets. A value that two rows
 * of one time give differently is an error as soon as it counts: BigQuery does not say which row it takes.
 */
function gapFillSql(
  type: TimeType,
  time: string,
  keys: readonly InputColumn[],
  values: readonly FilledColumn[],
  skipsNulls: boolean,
): string {
  const key = keys.map(({ own }) => `${own}, `).join('');
  const partition = keys.length > 0 ? `PARTITION BY ${keys.map(({ own }) => own).join(', ')}` : '';
  const of = (write: (value: FilledColumn) => string) => values.map((value) => `, ${write(value)}`).join('');
  const nearest = (value: FilledColumn, name: string, frame: string) =>
    `${name}(IF(NOT is_grid AND ${value.own}_counts, STRUCT(moment, ${value.own} AS value, ${value.own}_differs AS differs), NULL) IGNORE NULLS)
      OVER (${partition} ORDER BY moment, is_grid ROWS BETWEEN ${frame}) AS ${value.own}_${name === 'LAST_VALUE' ? 'before' : 'after'}`;
  const steps = timeSteps(type);
  return `WITH points AS (
    SELECT ${key}${time} AS moment${of((value) => pointValue(value, skipsNulls && value.method !== 'null'))} FROM input WHERE ${time} IS NOT NULL GROUP BY ${key}moment
  ), bounds AS (
    SELECT ${key}MIN(moment) AS first, ${type}_BUCKET(MIN(moment), width, origin) AS first_bucket, ${type}_BUCKET(MAX(moment), width, origin) AS last_bucket
    FROM points ${keys.length > 0 ? `GROUP BY ${keys.map(({ own }) => own).join(', ')}` : ''}
  ), grid AS (
    SELECT ${key}${steps.point} AS moment FROM (
      SELECT ${key}${steps.number('first_bucket')} + IF(first_bucket < first, 1, 0) AS first_step, ${steps.number('last_bucket')} AS last_step FROM bounds
    ), UNNEST(GENERATE_ARRAY(first_step, last_step)) AS step
  ), all_times AS (
    SELECT ${key}moment, FALSE AS is_grid${of(({ own }) => `${own}, ${own}_counts, ${own}_differs`)} FROM points
    UNION ALL
    SELECT ${key}moment, TRUE${of(() => 'NULL, FALSE, FALSE')} FROM grid
  ), near AS (
    SELECT ${key}moment, is_grid${of((value) => nearest(value, 'LAST_VALUE', 'UNBOUNDED PRECEDING AND CURRENT ROW'))}${values
      .filter(({ method }) => method === 'linear')
      .map((value) => `, ${nearest(value, 'FIRST_VALUE', 'CURRENT ROW AND UNBOUNDED FOLLOWING')}`)
      .join('')}
    FROM all_times
  )
  SELECT moment${keys.map(({ own }) => `, ${own}`).join('')}${of((value) => `${filledValue(value, type)} AS ${value.own}`)} FROM near WHERE is_grid`;
}

/** The value of a column at a time, whether it counts, and whether rows of this time differ in it. */
function pointValue({ own, type }: FilledColumn, skipsNulls: boolean): string {
  const several = isGroupableAnywhere(type)
    ? `COUNT(DISTINCT ${own}) > 1`
    : `COUNT(${skipsNulls ? own : '*'}) > 1`;
  const hasNullBeside = skipsNulls ? 'FALSE' : `COUNT(${own}) BETWEEN 1 AND COUNT(*) - 1`;
  // ANY_VALUE prefers what is not NULL.
  return `ANY_VALUE(${own}) AS ${own}, ${several} OR ${hasNullBeside} AS ${own}_differs, ${
    skipsNulls ? `COUNT(${own}) > 0` : 'TRUE'
  } AS ${own}_counts`;
}

const failDifferent =
  "ERROR('GAP_FILL: several rows of a series have the same time and different values: aggregate them first')";

function filledValue(column: FilledColumn, time: TimeType): string {
  const { own, method } = column;
  const checked = (side: string) => `IF(${own}_${side}.differs, ${failDifferent}, ${own}_${side}.value)`;
  const before = checked('before');
  if (method === 'locf') return before;
  if (method === 'null') return `IF(${own}_before.moment = moment, ${before}, NULL)`;
  return `CASE WHEN ${own}_before.moment = moment THEN ${before} WHEN ${own}_before.value IS NOT NULL AND ${own}_after.value IS NOT NULL THEN ${between(
    column,
    [before, checked('after')],
    time,
  )} END`;
}

/** The point of a line between two values. A cast to INT64 rounds. */
function between(
  { own, type }: InputColumn,
  [before, after]: readonly [before: string, after: string],
  time: TimeType,
): string {
  const unit = time === 'DATE' ? 'DAY' : 'MICROSECOND';
  const passed = `${time}_DIFF(moment, ${own}_before.moment, ${unit})`;
  const whole = `${time}_DIFF(${own}_after.moment, ${own}_before.moment, ${unit})`;
  const line = `${before} + (${after} - ${before}) * (${passed} / ${whole})`;
  if (isScalar(type, 'FLOAT64')) return line;
  const [from, to] = [before, after].map((value) => `CAST(${value} AS BIGNUMERIC)`);
  const exact = `CAST(${from} + (${to} - ${from}) * ${passed} / ${whole} AS ${describeType(type)})`;
  if (!isScalar(type, 'INT64')) return exact;
  // FLOAT64 has all integers to 2^53, and is much faster.
  const isSmall = [before, after].map((value) => `${value} BETWEEN -9007199254740992 AND 9007199254740992`);
  return `IF(${isSmall.join(' AND ')}, CAST(${line} AS INT64), ${exact})`;
}

/** Points of the grid, which are counted from the origin. */
function timeSteps(type: TimeType): { readonly point: string; number(bucket: string): string } {
  if (type === 'TIMESTAMP') {
    const micros = 'TIMESTAMP_DIFF(TIMESTAMP_SECONDS(0) + width, TIMESTAMP_SECONDS(0), MICROSECOND)';
    return {
      point: `TIMESTAMP_ADD(origin, INTERVAL step * ${micros} MICROSECOND)`,
      number: (bucket) => `DIV(TIMESTAMP_DIFF(${bucket}, origin, MICROSECOND), ${micros})`,
    };
  }
  const zero = "DATETIME '2000-01-01 00:00:00'";
  const months = '(12 * EXTRACT(YEAR FROM width) + EXTRACT(MONTH FROM width))';
  const micros = `DATETIME_DIFF(${zero} + width, ${zero}, MICROSECOND)`;
  const start = 'DATETIME(origin)';
  const point = `IF(${months} > 0, DATETIME_ADD(${start}, INTERVAL step * ${months} MONTH), DATETIME_ADD(${start}, INTERVAL step * ${micros} MICROSECOND))`;
  return {
    point: type === 'DATE' ? `DATE(${point})` : point,
    number: (bucket) =>
      `IF(${months} > 0, DIV(DATETIME_DIFF(DATETIME(${bucket}), ${start}, MONTH), ${months}), DIV(DATETIME_DIFF(DATETIME(${bucket}), ${start}, MICROSECOND), ${micros}))`,
  };
}
