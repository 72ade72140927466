import type { Obtained } from '../../../call/obtain.ts';

/** Sentences about rows that a result lacks. */
export function incompleteTexts(obtained: Obtained): readonly string[] {
  const { bound, result } = obtained;
  const { maxRows } = bound.query;
  const { rowCount, ofRows, truncated } = result.document.metadata;
  const more =
    ofRows === undefined
      ? `There are more: the query returns at most ${maxRows} rows.`
      : `The result has the first ${maxRows} rows only: others are not counted and not found.`;
  const beyond = `The query returns at most these ${ofRows ?? rowCount} rows at once; limit, and then after, reads the rows beyond them.`;
  return [...(truncated ? [more] : []), ...(hasRowsBeyond(obtained) ? [beyond] : [])];
}

/** True if the query ends with a LIMIT, or is cut, where its pages go on. */
export function hasRowsBeyond({ bound: { query, sql }, result, page }: Obtained): boolean {
  if (query.pages === undefined || page !== undefined || sql !== undefined) return false;
  const { rowCount, ofRows = rowCount, truncated } = result.document.metadata;
  return truncated || ofRows === query.pages.limit;
}

/** When rows were computed, and why that is long ago. */
export function computedText({ document, cacheStatus }: Obtained['result']): string {
  const reason = '; they are older than they should be, because the engine fails';
  return `computed at ${new Date(document.computedAt).toISOString()}${cacheStatus === 'STALE' ? reason : ''}`;
}
