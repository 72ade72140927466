import { afterAll, beforeAll, describe } from 'vitest';
import { isNightly } from '../support/nightly.ts';
import { type DemoGateway, openDemoGateway } from './demo-gateway.ts';
import { browserSettings, testRecipes } from './recipes.ts';
import { testEndpoints } from './studio/endpoints.ts';
import { testLogPages } from './studio/log-pages-tests.ts';
import { testWrapper } from './wrapper/wrapper.ts';

// One gateway for all tests of a mode: the demo takes seconds to start.
describe.each([
  ['clients over the demo', false],
  ['clients over the demo, with COMPAT=logflare', true],
])('recipes for %s', (_, isCompat) => {
  let gateway: DemoGateway;
  beforeAll(async () => {
    gateway = await openDemoGateway({ ...browserSettings(), ...(isCompat && { COMPAT: 'logflare' }) });
  });
  afterAll(() => gateway?.close());

  testEndpoints(() => gateway, isCompat);
  testWrapper(() => gateway, isCompat);
  if (isCompat) return;
  testLogPages(() => gateway, isNightly);
  testRecipes(() => gateway);
});
