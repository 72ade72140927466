import { afterAll, beforeAll, describe } from 'vitest';
import { type DemoGateway, openDemoGateway } from './demo-gateway.ts';
import { browserSettings, testRecipes } from './recipes.ts';
import { testEndpoints } from './studio/endpoints.ts';
import { testLogPages } from './studio/log-pages-tests.ts';
import { testWrapper } from './wrapper/wrapper.ts';

// One gateway for all: the demo takes seconds to start.
describe('clients over the demo', () => {
  let gateway: DemoGateway;
  beforeAll(async () => {
    gateway = await openDemoGateway(browserSettings());
  });
  afterAll(() => gateway.close());

  testEndpoints(() => gateway);
  testLogPages(() => gateway);
  testWrapper(() => gateway);
  testRecipes(() => gateway);
});
