import type { Select, SortKey } from '../../tree/nodes.ts';

/**
 * The sort keys of a query with the values that positions stand for, for a query whose columns become others. Constants
 * are left out: they order nothing, and DuckDB refuses a literal as a key.
 */
export const withoutPositions = ({ orderBy, columns }: Select): readonly SortKey[] =>
  orderBy.flatMap((key) => {
    if (key.value.kind !== 'position') return [key];
    const value = columns[key.value.index - 1]?.value;
    if (!value) return [key];
    return value.kind === 'literal' || value.kind === 'parameter' ? [] : [{ ...key, value }];
  });
