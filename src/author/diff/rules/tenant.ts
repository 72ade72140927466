import { type Rules, rule } from './rule.ts';

/** Changes of the parameter that names the tenant. */
export const tenantRules = {
  'tenant-added': rule(
    'dangerous',
    'dangerous',
    'a parameter became the tenant',
    'keys that are bound to tenants may query the endpoint',
  ),
  'tenant-removed': rule(
    'breaking',
    'breaking',
    'the tenant is removed',
    'keys that are bound to tenants get 403',
  ),
  'tenant-moved': rule(
    'breaking',
    'breaking',
    'another parameter is the tenant',
    'keys that are bound to tenants must send another parameter',
  ),
  'tenant-pattern': rule(
    'dangerous',
    'dangerous',
    '`tenant_pattern` is changed',
    'keys that are bound to tenants may get other rows',
  ),
  'tenant-unchecked': rule(
    'dangerous',
    'dangerous',
    '`tenant_unchecked` is added',
    'it is no longer checked that only rows of one tenant are returned',
  ),
  'tenant-checked': rule('safe', 'safe', '`tenant_unchecked` is removed', 'nothing'),
} as const satisfies Rules;
