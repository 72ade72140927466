import { bind, bindForTenants } from 'querygate/catalog';
import { GatewayError, type SavedQuery } from 'querygate';
import { type ComparedRow, type Comparison, compareRows, resultRow } from './compare-rows.ts';
import type { QueryTest } from './load-tests.ts';
import type { FixtureEngine } from './fixture-engine.ts';

/** The result of a query, as the caller of a test gets it. */
export type TestResult =
  | { readonly rows: readonly ComparedRow[]; readonly truncated: boolean; readonly isExact: boolean }
  | { readonly error: GatewayError };

/** The verdict on a result: it is the expected one, or why it is not. */
export type Verdict =
  | { readonly passed: true }
  | { readonly passed: false; readonly reason: string; readonly comparison?: Comparison };

/** Runs the query of a test as a caller would, who may be bound to a tenant. */
export async function runTest(
  query: SavedQuery,
  test: QueryTest,
  fixtures: FixtureEngine,
): Promise<TestResult> {
  try {
    const { rows, truncated } = await fixtures.run(boundQuery(query, test), test.now);
    return { rows: rows.map((row) => resultRow(row, query.columns)), truncated, isExact: fixtures.isExact };
  } catch (error) {
    if (error instanceof GatewayError) return { error };
    throw error;
  }
}

function boundQuery(query: SavedQuery, { now, parameters, tenant }: QueryTest) {
  const raw = new Map(Object.entries(parameters));
  if (tenant === undefined) return bind(query, raw, now.getTime());
  const name = query.tenant?.parameter;
  // The parameter may name another tenant, which is an error.
  if (name !== undefined && !raw.has(name)) raw.set(name, [tenant]);
  return bindForTenants(query, raw, new Set([tenant]), now.getTime()).bound;
}

/** Compares a result with what a test expects. */
export function judge(
  query: SavedQuery,
  { approximate, expect, unordered }: QueryTest,
  result: TestResult,
): Verdict {
  const { count, error: expected, rows, truncated } = expect ?? {};
  if (expect === undefined || [count, expected, rows, truncated].every((one) => one === undefined)) {
    if ('error' in result) return { passed: false, reason: `failed with ${describeError(result.error)}` };
    return {
      passed: false,
      reason: 'expects neither rows nor an error; --update writes the rows of this run',
    };
  }
  if (expected !== undefined)
    return judgeError(typeof expected === 'string' ? { code: expected } : expected, result);
  if ('error' in result) return { passed: false, reason: `failed with ${describeError(result.error)}` };
  if (truncated !== undefined && truncated !== result.truncated) {
    return { passed: false, reason: `rows are ${result.truncated ? '' : 'not '}cut off at max_rows` };
  }
  if (count !== undefined && count !== result.rows.length) {
    return { passed: false, reason: `${count} rows expected, ${result.rows.length} returned` };
  }
  if (rows === undefined) return { passed: true };
  const columns = query.columns
    .filter(({ name }) => result.isExact || !approximate.includes(name))
    .map((column) => ({ ...column, isUnordered: unordered.has(column.name.toLowerCase()) }));
  const comparison = compareRows(result.rows, expect, columns);
  if (comparison.differences.length === 0) return { passed: true };
  const counts = `${rows.length} expected, ${result.rows.length} returned`;
  const reason = comparison.isOnlyOrder ? 'the rows are in another order' : `rows differ: ${counts}`;
  return { passed: false, reason, comparison };
}

interface ExpectedError {
  readonly code: string;
  readonly message?: string | undefined;
  readonly parameter?: string | undefined;
}

function judgeError({ code, message, parameter }: ExpectedError, result: TestResult): Verdict {
  if (!('error' in result)) {
    const rows = `${result.rows.length} ${result.rows.length === 1 ? 'row' : 'rows'}`;
    return { passed: false, reason: `expected the error ${code}, got ${rows}` };
  }
  const { error } = result;
  const isExpected =
    error.code === code &&
    (message === undefined || error.message.includes(message)) &&
    (parameter === undefined || error.parameter === parameter);
  if (isExpected) return { passed: true };
  const described = [code, message, parameter && `parameter ${parameter}`].filter(Boolean).join(', ');
  return { passed: false, reason: `expected the error ${described}; got ${describeError(error)}` };
}

function describeError({ code, message, cause }: GatewayError): string {
  // Tests show the author of a query what callers never see.
  const [reason = ''] = cause instanceof Error ? cause.message.split('\n') : [];
  return `${code}: ${message}${reason === '' || message.includes(reason) ? '' : ` (${reason})`}`;
}
