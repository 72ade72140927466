import { describe, expect, test } from 'vitest';
import type { Derivation, DerivedQuery } from '../../src/catalog-analysis/derived/derive-query.ts';
import type { GatewayPlugin, PluginHost } from '../../src/gateway/plugin.ts';
import { NotDerivable } from '../../packages/bigquery-sql/src/derive/edit-text.ts';
import { ago, openTestApp } from '../support/test-app.ts';

const endpoint = 'functions.invocation-stats';

/** Three invocations, each in an hour of its own. */
const rows = {
  function_edge_logs: [1, 2, 3].map((hours) => ({
    id: `${hours}`,
    timestamp: ago({ hours }),
    metadata: [{ project_ref: 'abc', execution_time_ms: hours, response: [{ status_code: 200 }] }],
  })),
};

/** Those rows of the query that have more than one invocation, or less than a number of them. */
const fewerThan =
  (limit: number): Derivation =>
  ({ sql, ...query }) => ({ ...query, sql: `select * from (${sql}\n) where min_execution_time < ${limit}` });

/** Runs the statement that the last of some derivations gives, each derived from the one before it. */
function derives(...derivations: readonly Derivation[]): GatewayPlugin & { readonly problems: string[] } {
  let host: PluginHost | undefined;
  const problems: string[] = [];
  return {
    name: 'derives',
    problems,
    open(given) {
      host = given;
    },
    async aroundRun(bound, options, run) {
      let { query } = bound;
      for (const derivation of derivations) {
        const derived = (await host?.derive(query, derivation)) as DerivedQuery;
        if (derived.problem !== undefined) problems.push(derived.problem.message);
        query = derived.query ?? query;
      }
      return run(options, { ...bound, query });
    },
  };
}

async function countsOf(plugin: GatewayPlugin, isolate: boolean): Promise<readonly unknown[]> {
  const app = await openTestApp(rows, {}, { duckdb: { isolate }, options: { plugins: [plugin] } });
  try {
    return (await app.rows(endpoint, { project: 'abc' })).map((row) => row.min_execution_time);
  } finally {
    await app.close();
  }
}

describe.each([
  ['of this process', false],
  ['of a process of its own', true],
])('a derived query on a DuckDB %s', (_, isolate) => {
  test('is run in place of the saved one, as the plug-ins behind do', async () => {
    const seen: string[] = [];
    const behind: GatewayPlugin = {
      name: 'behind',
      aroundRun(bound, options, run) {
        seen.push(bound.query.sql.slice(-30));
        return run(options);
      },
    };
    const app = await openTestApp(
      rows,
      {},
      { duckdb: { isolate }, options: { plugins: [derives(fewerThan(3)), behind] } },
    );
    expect(await app.rows(endpoint, { project: 'abc' })).toHaveLength(2);
    expect(seen).toEqual([expect.stringContaining('min_execution_time < 3')]);
    await app.close();
  });

  test('is derived again', async () => {
    expect(await countsOf(derives(fewerThan(3), fewerThan(2)), isolate)).toEqual([1]);
  });
});

describe('a statement that cannot be derived', () => {
  const fails: readonly (readonly [string, Derivation, string])[] = [
    [
      'that says why',
      () => {
        throw new NotDerivable('LIMIT is below the top', 3);
      },
      'LIMIT is below the top',
    ],
    ['that does not compile', ({ sql, ...query }) => ({ ...query, sql: `${sql} limit` }), 'expected'],
    [
      'without a declared column',
      ({ ...query }) => ({ ...query, sql: 'select 1 as x' }),
      'the statement made from it is not right',
    ],
    [
      'that reads rows of all tenants',
      ({ sql, ...query }) => ({ ...query, sql: sql.replace('m.project_ref = @project', 'true') }),
      'rows of other tenants',
    ],
  ];

  test.each(fails)('%s has the reason, and the query runs as it is', async (_, derivation, reason) => {
    const plugin = derives(derivation);
    expect(await countsOf(plugin, false)).toEqual([3, 2, 1]);
    expect(plugin.problems).toEqual([expect.stringContaining(reason)]);
  });
});
