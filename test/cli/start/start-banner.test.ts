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
