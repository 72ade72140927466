import { parseQuery, SyntaxProblem } from '@querygate/bigquery-sql/syntax';
import { exampleParameters } from '../../catalog/binding/example-parameters.ts';
import type { ParameterText, SavedQuery } from '../../catalog/model/saved-query.ts';
import type { Partitioning } from '../../engine-contract/engine.ts';
import { once } from '../../memoize.ts';
import { partitionBounds, type PartitionBound } from './partition-bounds.ts';
import { openSecondsAgo, type SecondsAgo } from './seconds-ago.ts';

const hour = 3_600;
const seconds = { HOUR: hour, DAY: 24 * hour, MONTH: 30 * 24 * hour, YEAR: 365 * 24 * hour };

/** Values of an enum beyond these are not named. */
const maxForms = 20;

/**
 * The reasons why BigQuery reads no fewer partitions of a query's tables: conditions by which it cannot prune, and windows
 * within one partition, of which a refresh always reads all.
 */
export async function pruningNotes(
  query: SavedQuery,
  partitions: ReadonlyMap<string, Partitioning>,
): Promise<readonly string[]> {
  if (partitions.size === 0) return [];
  const bounds = boundsOf(query, partitions);
  const wrapped = bounds.flatMap(({ column, text, isWrapped }) =>
    isWrapped
      ? [`${text}: BigQuery does not prune partitions by ${column} in it; compare the column itself`]
      : [],
  );
  return [...new Set(wrapped), ...(await windowNotes(query, bounds))];
}

function boundsOf(
  { sql }: SavedQuery,
  partitions: ReadonlyMap<string, Partitioning>,
): readonly PartitionBound[] {
  try {
    return partitionBounds(parseQuery(sql).query, sql, partitions);
  } catch (error) {
    if (error instanceof SyntaxProblem) return [];
    throw error;
  }
}

async function windowNotes(query: SavedQuery, bounds: readonly PartitionBound[]): Promise<readonly string[]> {
  const lower = bounds.flatMap(({ unit, after }) => (after === undefined ? [] : [{ unit, after }]));
  if (lower.length === 0) return [];
  const secondsAgo = await sessions();
  if (secondsAgo === undefined) return [];
  const notes: string[] = [];
  for (const { name, values } of formsOf(
    query,
    lower.flatMap(({ after }) => [...after.parameters]),
  ))
    for (const { unit, after } of lower) {
      const window = await secondsAgo(after, query, values);
      if (window === undefined || window <= 0 || window > seconds[unit]) continue;
      notes.push(
        `${name}: window ${duration(window)}, partition 1 ${unit.toLowerCase()}: a refresh of what has changed saves nothing`,
      );
    }
  return [...new Set(notes)];
}

/** One for the process: it is of DuckDB, in memory. */
const sessions: () => Promise<SecondsAgo | undefined> = once(openSecondsAgo);

interface Form {
  readonly name: string;
  readonly values: Readonly<Record<string, ParameterText>>;
}

/** The sets of values that windows may depend on: each value of an enum, else the example. */
function formsOf(query: SavedQuery, used: readonly string[]): readonly Form[] {
  const values = exampleParameters(query);
  const found = query.parameters.find(({ name, type }) => type === 'enum' && used.includes(name));
  if (found?.type !== 'enum') return [{ name: 'example', values }];
  return found.values.slice(0, maxForms).map(({ value }) => ({
    name: `${found.name}=${value}`,
    values: { ...values, [found.name]: found.repeated ? [value] : value },
  }));
}

function duration(total: number): string {
  const [name, unit] = (
    [
      ['day', 24 * hour],
      ['hour', hour],
      ['minute', 60],
    ] as const
  ).find(([, one]) => total % one === 0) ?? ['second', 1];
  const count = total / unit;
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
