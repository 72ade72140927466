import { tablesRead } from '@querygate/bigquery-sql/analysis';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import { memoize } from '../../memoize.ts';

const megabyte = 2 ** 20;

/** BigQuery bills at least so much for each table. */
const leastBytes = 10 * megabyte;

/** The least that BigQuery bills for a run that reads something. */
export const leastBilled = (tables: number): number => tables * leastBytes;

/**
 * The most that BigQuery bills for a run that reads so many bytes: it rounds up for each table. All may be in one of them.
 *
 * @see https://cloud.google.com/bigquery/pricing#on-demand
 */
export function mostBilled(bytes: number, tables: number): number {
  if (bytes <= 0) return 0;
  const rounded = Math.ceil(bytes / megabyte) * megabyte;
  return Math.max(rounded, leastBytes) + Math.max(0, tables - 1) * leastBytes;
}

/**
 * How many tables a query reads at most, in views and functions that are its parts, too; a caller's SQL over it reads no others.
 * A view that only BigQuery has counts as one. undefined if the text does not say it.
 */
export const countTables = (query: Pick<SavedQuery, 'sql'>): number | undefined => counted(query).tables;

const counted = memoize(({ sql }: Pick<SavedQuery, 'sql'>) => ({ tables: tablesRead(sql)?.size }));
