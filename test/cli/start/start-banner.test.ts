import { expect, test } from 'vitest';
import { startBanner } from '../../../src/cli/start/start-banner.ts';

test.each([
  ['qg_made', 'the key is filled in'],
  ['$API_KEY', 'type your key at the top'],
])('the banner says where GraphiQL has its key from: %s', (shownKey, where) => {
  const served = { pages: true, mcp: undefined };
  const banner = startBanner({ examples: [] }, 'http://127.0.0.1:1', shownKey, served);
  expect(banner).toContain(`GraphiQL, in a browser (${where}):\n  http://127.0.0.1:1/graphql`);
});

test('all addresses in the banner have the path below which the gateway is', () => {
  const served = { pages: true, mcp: {}, basePath: '/warehouse' };
  const banner = startBanner({ examples: ['/warehouse/api/x'] }, 'http://127.0.0.1:1', '$API_KEY', served);
  const addresses = banner.match(/http:\S+/g) ?? [];
  expect(addresses.length).toBeGreaterThan(4);
  for (const address of addresses) expect(address).toMatch(/^http:\/\/127\.0\.0\.1:1\/warehouse\//);
});
