import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { EndpointRequest } from '../../src/call/endpoint-request.ts';
import * as gateModule from '../../src/call/gate.ts';
import { GatewayError } from '../../src/errors.ts';
import { type Principal, unrestricted } from '../../src/keys/principal.ts';
import { callOf, openGate } from '../support/calls.ts';
import { draftQuery } from '../support/queries.ts';

const query = draftQuery({
  parameters: { n: '{ type: integer, default: 0, description: A number. }' },
  columns: { text: 'string' },
  sql: 'select @n',
});

const head = { method: 'GET', headers: {}, address: undefined, signal: new AbortController().signal };
const callerWith = (rights: Partial<Principal>) => ({
  head,
  admission: { principal: { ...unrestricted('ann'), ...rights }, noCache: false, schedule: undefined },
});

describe('the gate', () => {
  test('is the only file that binds a query to a caller, and exports nothing that makes a call', () => {
    const sources = globSync(['src/**/*.ts', 'packages/*/src/**/*.ts']);
    const binding = sources.filter((file) =>
      /\.bind\(principal|authorizeAndBind/.test(readFileSync(file, 'utf8')),
    );
    expect(binding).toEqual(['src/call/gate.ts']);
    expect(Object.keys(gateModule).sort()).toEqual([
      'Gate',
      'labelsHeader',
      'mayQuery',
      'refusedEndpoint',
      'requireEndpoint',
    ]);
  });

  test.each([
    [{ endpoints: new Set<string>() }, 'FORBIDDEN'],
    [{ endpoints: new Set<string>(), hidesEndpoints: true }, 'UNKNOWN_QUERY'],
    [{ tenants: new Set(['a']) }, 'FORBIDDEN'],
    [{ tenants: new Set(['a']), hidesEndpoints: true }, 'UNKNOWN_QUERY'],
  ])(
    'refuses %o with %s, before parameters are checked, and writes it to the log once',
    async (rights, code) => {
      const written: unknown[] = [];
      const gate = openGate({ audit: (error) => void written.push(error) });
      const endpoint = new EndpointRequest(query, new Map([['n', ['x']]]));
      const opening = gate.open(endpoint, callerWith(rights));
      await expect(opening).rejects.toMatchObject({ code });
      expect(written).toEqual([expect.any(GatewayError)]);
    },
  );

  test('says that a query has no tenant, if the key may query it otherwise', () => {
    const messageFor = (rights: Partial<Principal>) =>
      gateModule.refusedEndpoint({ ...unrestricted('ann'), ...rights }, query).message;
    expect(messageFor({ tenants: new Set(['a']) })).toContain('cannot be limited to one tenant');
    for (const rights of [{}, { tenants: new Set(['a']) }])
      expect(messageFor({ endpoints: new Set<string>(), ...rights })).toContain(
        'may not query this endpoint',
      );
  });

  test('a call of other values than it was opened for cannot be made', () => {
    const call = callOf(query, new Map([['n', ['1']]]));
    const { bound } = call;
    expect(call.over({ ...bound, parameters: { ...bound.parameters, size: '2' } }).bound.parameters).toEqual({
      n: '1',
      size: '2',
    });
    expect(() => call.over({ ...bound, parameters: { n: '2' } })).toThrow('a call of another query');
    expect(() => call.over({ ...bound, query: { ...query, id: 'other' } })).toThrow(
      'a call of another query',
    );
  });
});
