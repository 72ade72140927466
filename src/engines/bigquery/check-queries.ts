import { offsetOf, problemAt, problemOf } from '@querygate/bigquery-sql/problem';
import { exampleParameters } from '../../catalog/binding/example-parameters.ts';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import type { AnalyzedCatalog } from '../../catalog-analysis/analyze-catalog.ts';
import type { QueryAnalysis } from '../../catalog-analysis/analyze-query.ts';
import { checkColumns, isSameColumn } from '../../catalog-analysis/check-columns.ts';
import { compareFields } from '../../catalog-analysis/compare-fields.ts';
import { Slots } from '../../concurrency/slots.ts';
import type { QueryCheck } from '../../engine-contract/engine.ts';
import type { CheckOptions } from '../../engine-contract/engine-factory.ts';
import { GatewayError, type Problem, StartError } from '../../errors.ts';
import { openClient } from './api/client.ts';
import type { BigqueryOptions } from './bigquery-options.ts';
import { compareDefinitions, noDifferences } from './definitions/compare-definitions.ts';
import { readPartitionings } from './definitions/read-partitionings.ts';
import { type DryRun, type DryRunContext, dryRun } from './dry-run.ts';
import { toResultColumn } from './result-column.ts';

interface CheckContext extends DryRunContext {
  /** How many queries are checked at a time. */
  readonly concurrency: number;
  /** The most bytes that a query may read; undefined for BIGQUERY_MAXIMUM_BYTES_BILLED. */
  readonly maximumBytes?: number | undefined;
}

/**
 * Checks every query of the catalog by a dry run, without opening an engine. A failed check does not stop the others.
 *
 * @returns the problems of all queries
 */
export async function checkQueries(
  catalog: AnalyzedCatalog,
  { limits, maximumBytes, onChecked, onPartitioning, onNote }: CheckOptions,
  options: BigqueryOptions,
): Promise<readonly Problem[]> {
  const client = openClient(options);
  const { signal } = new AbortController();
  try {
    const context = { client, options, ...limits, signal, maximumBytes };
    const checks = await checkAll(catalog, context);
    for (const check of checks) onChecked(check);
    if (onPartitioning !== undefined)
      for (const [table, one] of await readPartitionings(catalog.queries, context))
        onPartitioning(table, one);
    const definitions =
      options.definitions === 'stored' ? await compareDefinitions(catalog.queries, context) : noDifferences;
    for (const note of definitions.notes) onNote?.(note);
    return [...checks.flatMap(({ problems }) => problems), ...definitions.problems];
  } finally {
    await client.close();
  }
}

/** Checks every query of the catalog over an open client, at most ENGINE_CONCURRENCY at a time. */
export function checkAll(
  { queries, analysisOf }: AnalyzedCatalog,
  context: CheckContext,
): Promise<readonly QueryCheck[]> {
  const slots = new Slots(context.concurrency);
  return Promise.all(
    queries.map((query) => slots.run(context.signal, () => checkQuery(query, analysisOf(query), context))),
  );
}

/** @throws StartError with the problems of all queries, if any has one */
export function requireNoProblems(checks: readonly QueryCheck[]): void {
  const problems = checks.flatMap((check) => check.problems);
  if (problems.length > 0) throw new StartError('Saved queries cannot run on BigQuery', problems);
}

async function checkQuery(
  query: SavedQuery,
  { recordProblems }: QueryAnalysis,
  context: CheckContext,
): Promise<QueryCheck> {
  try {
    const outcome = await dryRun({ query, parameters: exampleParameters(query) }, context);
    const messages = [...columnProblems(query, outcome), ...byteProblems(outcome, context)];
    return {
      query,
      bytesProcessed: outcome.totalBytesProcessed,
      problems: [
        ...messages.map((message) => problemOf(query.source, message)),
        // Those that the files show are known already.
        ...(recordProblems().length === 0 ? fieldProblems(query, outcome) : []),
      ],
    };
  } catch (error) {
    return { query, bytesProcessed: undefined, problems: [toProblem(query, error)] };
  }
}

function columnProblems({ columns }: SavedQuery, { schema, isScript }: DryRun): readonly string[] {
  if (isScript) return [];
  if (schema === undefined) return ['BigQuery reported no columns, so they could not be checked'];
  return checkColumns(columns, schema.fields.map(toResultColumn));
}

/** Tables gain fields while gateways run: a field that no header declares is not a problem. */
function fieldProblems({ columns, source }: SavedQuery, { schema }: DryRun): readonly Problem[] {
  return columns.flatMap((column) => {
    const field = schema?.fields.find(({ name }) => isSameColumn(name, column.name));
    if (field === undefined) return [];
    return compareFields(`columns.${column.name}`, column, toResultColumn(field)).map(
      ({ line = source.line, message }) => ({ file: source.file, line, message }),
    );
  });
}

function byteProblems(
  { totalBytesProcessed = 0 }: DryRun,
  { options, maximumBytes = options.maximumBytesBilled ?? Number.POSITIVE_INFINITY }: CheckContext,
): readonly string[] {
  if (totalBytesProcessed <= maximumBytes) return [];
  return [`would read ${totalBytesProcessed} bytes with its examples; at most ${maximumBytes} are allowed`];
}

/** BigQuery's own text, for the author of the query, at the position in the file that it ends with: `… at [3:14]`. */
export function toProblem({ sql, source }: SavedQuery, error: unknown): Problem {
  const cause = error instanceof GatewayError ? (error.cause ?? error) : error;
  const [message = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
  const position = /\[(?:at )?(?<line>\d+):(?<column>\d+)\]/.exec(message)?.groups;
  if (position === undefined) return problemOf(source, message);
  const start = offsetOf(sql, Number(position.line), Number(position.column));
  return problemAt(sql, source, start, message.replace(/,? ?(at )?\[(at )?\d+:\d+\]$/, ''));
}
