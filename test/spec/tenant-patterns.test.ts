import { afterAll, beforeAll, expect, test } from 'vitest';
import { plainParameters } from '../../src/catalog/binding/bind.ts';
import { bindTenants } from '../../src/catalog/binding/bind-tenant.ts';
import { loadCatalog } from '../../src/catalog/folder/load-catalog.ts';
import { isNightly } from '../support/nightly.ts';
import { describeOnEngines } from '../support/on-engines.ts';
import { ago, type TestApp } from '../support/test-app.ts';

/** Every ASCII character except letters and digits, inside a name; without the dot, which ends a label of a host. */
const punctuation = Array.from({ length: 127 }, (_, code) => String.fromCharCode(code))
  .filter((character) => /[^A-Za-z0-9.\0]/.test(character))
  .map((character) => `a${character}b`);
const tenants = ['a', 'b', 'ab', 'aab', 'AB', 'aäb', 'a👍b', '.*', '\\E|\\Q', '$&', '(?i)ab'].concat(
  punctuation.filter((_, at) => isNightly || at % 4 === 0),
);

describeOnEngines('the tenant_pattern of usage.api-counts', (openTestApp) => {
  let app: TestApp;
  const usage = loadCatalog('queries').queries.find(({ name }) => name === 'usage.api-counts');
  beforeAll(async () => {
    app = await openTestApp({
      edge_logs: tenants.flatMap((tenant, at) =>
        Array.from({ length: 1 + (at % 3) }, (_, row) => ({
          id: `${at} ${row}`,
          timestamp: ago({ minutes: 1 }),
          project: tenant,
          metadata: [{ request: [{ path: '/rest/v1', url: `https://${tenant}.example.co/rest/v1` }] }],
        })),
      ),
    });
  });
  afterAll(() => app.close());

  test('matches the URLs of the tenant, whatever its characters are, and of no other', async () => {
    if (usage === undefined) throw new Error('usage.api-counts does not exist');
    for (const [at, tenant] of tenants.entries()) {
      const raw = plainParameters({ project: tenant, interval: 'hourly' });
      const { parameters } = bindTenants(usage, raw, [tenant]);
      const counted = (await app.rows('usage.api-counts', parameters)).map((row) => row.total_rest_requests);
      expect(counted, JSON.stringify(tenant)).toEqual([1 + (at % 3)]);
    }
  });
});
