import { compileTree, schemaTables } from '@querygate/bigquery-sql/tree';
import { describeType, unknown } from '@querygate/bigquery-sql/types';
import type { Assertion } from '../catalog/parts/assertions.ts';
import type { Catalog } from '../catalog/model/saved-query.ts';
import { distinctProblems, type Problem } from '../errors.ts';
import type { Dialect } from './analyze-catalog.ts';
import { queryProblems } from './query-problems.ts';

/**
 * The problems of the SQL of ASSERT statements, as far as an engine's SQL and tables are known: where it has tables of its
 * own, only those of types.
 */
export function assertionProblems(
  assertions: readonly Assertion[],
  tables: Catalog['tables'],
  dialect: Dialect,
): readonly Problem[] {
  if (dialect.sql === 'native') return [];
  const hasOpenTables = dialect.flags?.hasOwnTables ?? false;
  const stored = schemaTables(tables);
  return distinctProblems(assertions.flatMap((one) => problemsOf(one, stored, hasOpenTables)));
}

function problemsOf(
  { query, place }: Assertion,
  tables: ReturnType<typeof schemaTables>,
  hasOpenTables: boolean,
): readonly Problem[] {
  try {
    const type = compileTree(query, tables, { hasOpenTables }).columns[0]?.type ?? unknown;
    const isBool = type.kind === 'unknown' || (type.kind === 'scalar' && type.name === 'BOOL');
    if (isBool) return [];
    const message = `ASSERT takes a condition, which is a BOOL; this is of type ${describeType(type)}`;
    return [{ ...place, message }];
  } catch (error) {
    return hasOpenTables ? [] : queryProblems(query, error);
  }
}
