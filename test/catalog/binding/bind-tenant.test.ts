import { describe, expect, test } from 'vitest';
import { plainParameters } from '../../../src/catalog/binding/bind.ts';
import {
  bindForTenants,
  bindTenants,
  forbiddenTenant,
  tenantsOf,
} from '../../../src/catalog/binding/bind-tenant.ts';
import { draftQuery } from '../../support/queries.ts';

const pattern = "{ type: pattern, tenant: true, tenant_pattern: '^/{p}/', description: P. }";
const query = draftQuery({ columns: { x: 'string' }, parameters: { p: pattern }, sql: 'select @p as x' });
const open = draftQuery({ columns: { x: 'string' }, parameters: { p: 'string' }, sql: 'select @p as x' });

describe('the tenant of a request', () => {
  test('is the parameter as the caller wrote it', () => {
    for (const text of ['abc', ' ABC\n', '.*', '('])
      expect(tenantsOf(query, plainParameters({ p: text }))).toEqual([text]);
    expect(tenantsOf(query, new Map())).toEqual([]);
    const withDefault = '{ type: string, tenant: true, default: demo, description: P. }';
    const other = draftQuery({
      columns: { x: 'string' },
      parameters: { p: withDefault },
      sql: 'select @p as x',
    });
    expect(tenantsOf(other, plainParameters({ p: '' }))).toEqual(['demo']);
  });

  test('must not be repeated; a query without a tenant is forbidden', () => {
    const repeated = { code: 'INVALID_PARAMETER', parameter: 'p' };
    expect(() => tenantsOf(query, new Map([['p', ['a', 'a']]]))).toThrow(expect.objectContaining(repeated));
    const forbidden = expect.objectContaining({ code: 'FORBIDDEN', status: 403 });
    expect(() => tenantsOf(open, plainParameters({ p: 'abc' }))).toThrow(forbidden);
    expect(forbiddenTenant(query, ['other'], new Set())).toMatchObject({
      code: 'FORBIDDEN',
      parameter: 'p',
      refusal: { reason: 'tenant', endpoint: query.name, tenant: 'other' },
    });
  });

  test('is inserted into the query’s own pattern, which runs', () => {
    const bound = bindTenants(query, plainParameters({ p: 'a.b' }), ['a.b']);
    expect(bound).toEqual({ query, parameters: { p: '^/a\\.b/' } });
  });

  test('must be one of the caller’s', () => {
    const tenants = new Set(['a.b', 'c']);
    expect(bindForTenants(query, plainParameters({ p: 'a.b' }), tenants)).toEqual({
      tenants: ['a.b'],
      bound: { query, parameters: { p: '^/a\\.b/' } },
    });
    const forbidden = expect.objectContaining({ code: 'FORBIDDEN', parameter: 'p' });
    for (const p of ['A.B', 'a', 'a.b ', '.*', '', 'toString']) {
      expect(() => bindForTenants(query, plainParameters({ p }), tenants), p).toThrow(forbidden);
    }
    expect(() => bindForTenants(query, new Map(), tenants)).toThrow(forbidden);
    const repeated = new Map([['p', ['c', 'd']]]);
    expect(() => bindForTenants(query, repeated, tenants)).toThrow(
      expect.objectContaining({ code: 'INVALID_PARAMETER' }),
    );
    expect(() => bindForTenants(open, plainParameters({ p: 'c' }), tenants)).toThrow(
      expect.objectContaining({ code: 'FORBIDDEN' }),
    );
  });

  test('is checked before the other parameters', () => {
    const parameters = { n: '{ type: integer, required: true, description: N. }', p: pattern };
    const two = draftQuery({ columns: { x: 'string' }, parameters, sql: 'select @p as x, @n' });
    const raw = plainParameters({ n: 'x', p: 'other' });
    expect(() => bindForTenants(two, raw, new Set(['mine']))).toThrow(
      expect.objectContaining({ code: 'FORBIDDEN', parameter: 'p' }),
    );
    expect(() => bindForTenants(two, raw, new Set(['other']))).toThrow(
      expect.objectContaining({ code: 'INVALID_PARAMETER', parameter: 'n' }),
    );
  });
});
