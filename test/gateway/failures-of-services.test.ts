import { expect, test } from 'vitest';
import type { EngineFlags } from '../../src/engine-contract/engine-factory.ts';
import { bigquery } from '../../src/engines/bigquery/bigquery.ts';
import { duckdb } from '../../src/engines/duckdb/duckdb.ts';
import { quack } from '../../src/engines/quack/quack.ts';
import { GatewayError } from '../../src/errors.ts';
import { systemClock } from '../../src/concurrency/clock.ts';
import { fakeEngine } from '../support/fake-engine.ts';
import { fakeShared } from '../support/fake-shared.ts';
import { openFolderApp } from '../support/folder-app.ts';
import { queryText } from '../support/queries.ts';
import { openedEngine } from '../support/test-app.ts';

test.each([
  ['one per gateway, with a clock', { hasClock: true }, []],
  ['a service', { isService: true }, ['ENGINE_UNAVAILABLE']],
] as const)(
  'gateways that share an engine share its failures: %s',
  async (_, flags: EngineFlags, expected) => {
    const failures: unknown[] = [];
    const { open } = fakeShared();
    const unused = () => Promise.reject(new Error('not used'));
    const shared = {
      warnings: [],
      openRates: unused,
      openState: unused,
      openCache:
        async () =>
        (...use: Parameters<typeof open>) => ({
          ...open(...use),
          release: async (_key: string, _token: string, failure?: { readonly code: string }) =>
            void (failure && failures.push(failure.code)),
        }),
    };
    const engine = fakeEngine({ clock: systemClock, queryMs: 1 });
    engine.failing = true;
    engine.fault = new GatewayError('ENGINE_UNAVAILABLE', 'It is away');
    const folder = await openFolderApp(
      {
        'one.sql': queryText({
          name: 'one',
          caching: ['caching: 60s'],
          columns: { n: 'integer' },
          sql: 'select 1 as n',
        }),
      },
      { options: { engine: { ...openedEngine(engine), flags }, cache: { shared }, plugins: [] } },
    );
    expect((await folder.get('one')).status).toBe(503);
    expect(failures).toEqual(expected);
    await folder.close();
  },
);

test('BigQuery and servers of DuckDB are services, the embedded one is not', () => {
  expect(bigquery({ projectId: 'p', dataset: 'd' }).flags?.isService).toBe(true);
  expect(quack({ url: 'quack://host:9494/db', token: 'a-token' }).flags?.isService).toBe(true);
  expect(duckdb({}).flags?.isService).toBeUndefined();
});
