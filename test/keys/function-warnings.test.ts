import { expect, test, vi } from 'vitest';
import { pino } from 'pino';
import type { KeyHost } from '../../src/keys/key-source.ts';
import { newLocalRateLimit } from '../../src/keys/rates/rate-limiter.ts';
import { keyFunction } from '../../src/keys/sources/key-function.ts';

const host: KeyHost = {
  catalog: { queries: [], tables: [] },
  hideEndpoints: 'tenants',
  newRateLimit: newLocalRateLimit,
  log: pino({ enabled: false }),
  now: () => new Date(),
};

test.each([
  ['a misspelt property', { id: 'ann', tenant: 'acme' }, 'unknown: tenant; did you mean tenants?'],
  ['no id', { tenants: ['acme'] }, 'id: is missing'],
  ['a text', 'ann', 'is a text; return undefined for an unknown caller'],
  ['null', null, 'is null; return undefined for an unknown caller'],
  ['true', true, 'is true; return undefined for an unknown caller'],
  ['a set', { id: 'ann', tenants: new Set(['acme']) }, 'tenants: must be a list of texts, or all'],
  ['one text', { id: 'ann', endpoints: 'logs' }, 'endpoints: must be a list of texts, or all'],
  ['an empty list', { id: 'ann', tenants: [] }, 'tenants: must list at least one; write all, or omit it'],
])('without a log, %s of a function of keys is said in a warning, once', async (_, caller, said) => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const { find } = await keyFunction(() => caller as never).open(host);
  const request = { method: 'GET', url: 'http://gateway.test/', headers: {}, address: undefined };
  for (let at = 0; at < 2; at += 1)
    expect(() => find(undefined, request)).toThrow('the function of keys has failed');
  expect(warn.mock.calls.map(([message]) => String(message))).toEqual([expect.stringContaining(said)]);
  warn.mockRestore();
});
