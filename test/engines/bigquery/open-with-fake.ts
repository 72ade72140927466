import { bind } from '../../../src/catalog/binding/bind.ts';
import type { SavedQuery } from '../../../src/catalog/model/saved-query.ts';
import { readConfig } from '../../../src/config.ts';
import { openBigquery } from '../../../src/engines/bigquery/open-bigquery.ts';
import type { Engine, Rows } from '../../../src/engine-contract/engine.ts';
import { engineHost } from '../../support/engine-host.ts';
import { type FakeBigquery, startFakeBigquery } from '../../support/fake-bigquery.ts';
import { draftQuery } from '../../support/queries.ts';

export const testQuery = draftQuery({
  name: 'numbers.of-something',
  columns: { x: 'integer' },
  parameters: { word: '{ type: string, description: Text. }', where: '{ type: pattern, description: RE2. }' },
  maxRows: 25,
  sql: 'select x from secret_table where word = @word and regexp_contains(y, @where)',
});

export interface FakeSetup {
  readonly fake: FakeBigquery;
  readonly engine: Engine;
  run(parameters?: Record<string, string>, signal?: AbortSignal): Promise<Rows>;
  /** The error of a run that fails. */
  runError(parameters?: Record<string, string>): Promise<unknown>;
  close(): Promise<void>;
}

/** Opens the engine over a fake BigQuery. */
export async function openWithFake(
  env: Record<string, string> = {},
  queries: readonly SavedQuery[] = [testQuery],
): Promise<FakeSetup> {
  const fake = await startFakeBigquery();
  const config = readConfig({
    ENGINE: 'bigquery',
    ENGINE_TIMEOUT_MS: '5000',
    BIGQUERY_PROJECT: 'our-project',
    BIGQUERY_DATASET: 'logs',
    BIGQUERY_API_ENDPOINT: fake.endpoint,
    BIGQUERY_START_CHECK: 'off',
    ...env,
  });
  const engine = await openBigquery(
    engineHost({ catalog: { queries, tables: [] }, config }),
    config.bigquery,
  );
  const run = (parameters: Record<string, string> = {}, signal = new AbortController().signal) => {
    const raw = new Map(Object.entries(parameters).map(([name, value]) => [name, [value]]));
    return engine.run(bind(testQuery, raw), { signal });
  };
  return {
    fake,
    engine,
    run,
    runError: (parameters) =>
      run(parameters).then(
        () => {
          throw new Error('the run did not fail');
        },
        (error: unknown) => error,
      ),
    async close() {
      await engine.close();
      await fake.close();
    },
  };
}
