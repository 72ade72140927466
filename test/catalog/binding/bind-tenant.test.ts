import { describe, expect, test } from 'vitest';
import { plainParameters } from '../../../src/catalog/binding/bind.ts';
import { bindTenant, forbiddenTenant, tenantOf } from '../../../src/catalog/binding/bind-tenant.ts';
import { draftQuery } from '../../support/queries.ts';

const pattern = "{ type: pattern, tenant: true, tenant_pattern: '^/{p}/', description: P. }";
const query = draftQuery({ columns: { x: 'string' }, parameters: { p: pattern }, sql: 'select @p as x' });
const open = draftQuery({ columns: { x: 'string' }, parameters: { p: 'string' }, sql: 'select @p as x' });

describe('the tenant of a question', () => {
  test('is what the caller wrote, letter for letter', () => {
    for (const text of ['abc', ' ABC\n', '.*', '('])
      expect(tenantOf(query, plainParameters({ p: text }))).toBe(text);
    expect(tenantOf(query, new Map())).toBe('');
    const fallback = '{ type: string, tenant: true, default: demo, description: P. }';
    const other = draftQuery({
      columns: { x: 'string' },
      parameters: { p: fallback },
      sql: 'select @p as x',
    });
    expect(tenantOf(other, plainParameters({ p: '' }))).toBe('demo');
  });

  test('named twice is refused as a parameter is, and a query without one as a whole', () => {
    const twice = { code: 'INVALID_PARAMETER', parameter: 'p' };
    expect(() => tenantOf(query, new Map([['p', ['a', 'a']]]))).toThrow(expect.objectContaining(twice));
    const closed = expect.objectContaining({ code: 'FORBIDDEN', status: 403 });
    expect(() => tenantOf(open, plainParameters({ p: 'abc' }))).toThrow(closed);
    expect(forbiddenTenant(query)).toMatchObject({ code: 'FORBIDDEN', parameter: 'p' });
  });

  test('is filled into the query’s own pattern, which runs', () => {
    const bound = bindTenant(query, plainParameters({ p: 'a.b' }), 'a.b');
    expect(bound).toEqual({ query, parameters: { p: '^/a\\.b/' } });
  });
});
