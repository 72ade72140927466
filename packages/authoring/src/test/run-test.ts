import { bind, bindForTenants } from 'querygate/catalog';
import { GatewayError, type Rows, type SavedQuery } from 'querygate';
import type { Assertion } from '../catalog-types.ts';
import { type ComparedRow, type Comparison, compareRows, resultRow } from './compare-rows.ts';
import type { QueryTest } from './load-tests.ts';
import type { FixtureEngine } from './fixture-engine.ts';

/** The result of a query, as the caller of a test gets it. */
export type TestResult =
  | { readonly rows: readonly ComparedRow[]; readonly truncated: boolean; readonly isExact: boolean }
  | { readonly error: GatewayError };

/** The verdict on a result: it is the expected one, or why it is not. */
export type Verdict = { readonly passed: true } | Failed;

interface Failed {
  readonly passed: false;
  readonly reason: string;
  readonly comparison?: Comparison;
  /** True if the rows are as expected, and an ASSERT does not hold. */
  readonly isOfAssert?: true;
  /** Set if the rows differ, and an ASSERT does not hold either: the verdict once these rows are the expected ones. */
  readonly ofAsserts?: Failed;
}

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

/** Runs the ASSERT statements of a test with its parameters. @returns why some do not hold; undefined if all do */
export async function runAsserts(
  query: SavedQuery,
  test: QueryTest,
  fixtures: FixtureEngine,
): Promise<Failed | undefined> {
  const reasons: string[] = [];
  for (const assertion of test.asserts) {
    const bound = { ...boundQuery(query, test), query: assertion.query };
    const reason = await assertionProblem(assertion, () => fixtures.run(bound, test.now));
    if (reason !== undefined) reasons.push(`${describePlace(assertion)} ${assertion.title}: ${reason}`);
  }
  return reasons.length === 0 ? undefined : { passed: false, reason: reasons.join('\n'), isOfAssert: true };
}

const describePlace = ({ place: { file, line } }: Assertion) => `${file}:${line}`;

/** Why an ASSERT statement does not hold; undefined if it does. */
export async function assertionProblem(
  {
    query: {
      columns: [column],
    },
  }: Assertion,
  run: () => Promise<Rows>,
): Promise<string | undefined> {
  try {
    const [row = '{}'] = (await run()).rows;
    const value = (JSON.parse(row) as Readonly<Record<string, unknown>>)[column?.name ?? ''] ?? null;
    return value === true ? undefined : `the condition is ${String(value).toUpperCase()}`;
  } catch (error) {
    if (error instanceof GatewayError) return `failed with ${describeError(error)}`;
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
  const { asserts, count, error: expected, rows, truncated } = expect ?? {};
  if ([asserts, count, expected, rows, truncated].every((one) => one === undefined)) {
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
  if (expect === undefined || rows === undefined) return { passed: true };
  const columns = query.columns
    .filter(({ name }) => result.isExact || !approximate.includes(name))
    .map((column) => ({ ...column, unordered: unordered.get(column.name.toLowerCase()) }));
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
  const [first = ''] = cause instanceof Error ? cause.message.split('\n') : [];
  // An error of SQL is for DuckDB a text that is not a value.
  const reason = first.replace(/^Conversion Error: Could not convert string 'error: (.*)' to \w+.*$/, '$1');
  return `${code}: ${message}${reason === '' || message.includes(reason) ? '' : ` (${reason})`}`;
}
