import type { DuckDBConnection } from '@duckdb/node-api';
import { compile } from '../../src/compile.ts';
import { printPlan } from '../../src/duckdb/plan.ts';
import { duckdbText } from '../../src/passes/duckdb-text.ts';
import { runPasses } from '../../src/passes/passes.ts';
import { freshNames } from '../../src/tree/fresh-names.ts';
import type { Query } from '../../src/tree/nodes.ts';
import { flags } from './nested-calls.ts';

const treeOf = (sql: string): Query => compile({ sql, source: { file: 'case', line: 1 } }, [flags]).query;

/** The text of a query without passes. */
export const textOf = (sql: string): string => duckdbText(treeOf(sql));

/** The text of a query as it is served. */
export function servedTextOf(sql: string): string {
  const query = treeOf(sql);
  return printPlan(runPasses(query, { known: {}, fresh: freshNames(query) })).sql;
}

/** How many words the text of a query has, and the plan that DuckDB's optimizer takes; it needs `explain_output`. */
export async function sizesOf(connection: DuckDBConnection, sql: string): Promise<readonly number[]> {
  const text = textOf(sql);
  const withoutParameters = text.replace(/\$[a-z_]+ AS/g, 'NULL AS');
  const explained = await connection.runAndReadAll(`EXPLAIN (FORMAT JSON) ${withoutParameters}`);
  const plans = explained
    .getRows()
    .flatMap(([stage, plan]) => (stage === 'logical_plan' ? [String(plan)] : []));
  return [text, ...plans].map((part) => part.match(/\w+/g)?.length ?? 0);
}
