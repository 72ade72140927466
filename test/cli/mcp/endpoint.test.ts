import { expect, test } from 'vitest';
import { endpointOf } from '../../../src/cli/mcp/serve-stdio.ts';

test.each([
  ['http://127.0.0.1:4000', 'http://127.0.0.1:4000/mcp'],
  ['http://127.0.0.1:4000/', 'http://127.0.0.1:4000/mcp'],
  ['https://data.example.com/mcp/', 'https://data.example.com/mcp'],
  ['https://data.example.com/mcp/billing', 'https://data.example.com/mcp/billing'],
  ['https://data.example.com/warehouse', 'https://data.example.com/warehouse/mcp'],
  ['https://data.example.com/warehouse/mcp', 'https://data.example.com/warehouse/mcp'],
])('agents of %s are answered at %s', (url, endpoint) => {
  expect(String(endpointOf(new URL(url)))).toBe(endpoint);
});
