import { problem, type SchemaProblem } from '../../files/schema-problems.ts';
import { exampleTenantPattern, tenantPatternProblem } from '../binding/patterns/tenant-pattern.ts';
import { checkCaching, checkIncremental, checkRowKey } from './cache-policy.ts';
import { checkNames } from './check-names.ts';
import { checkParameters } from './check-parameters.ts';
import { checkPrometheus } from './check-prometheus.ts';
import { checkRecordFields } from './check-record-fields.ts';
import { checkFederation } from './federation/check-federation.ts';
import { checkRowArguments } from './rows/check-row-arguments.ts';
import type { Header } from './header-schema.ts';

/** Checks that the schema cannot express: relations between keys, default values, names. */
export function checkHeader(header: Header): readonly SchemaProblem[] {
  return [
    ...checkCaching(header),
    ...checkIncremental(header),
    ...checkRowKey(header),
    ...checkParameters(header),
    ...checkTenant(header),
    ...checkNames(header),
    ...checkPrometheus(header),
    ...checkRecordFields(header),
    ...checkRowArguments(header),
    ...checkFederation(header),
  ];
}

function checkTenant({
  parameters,
  tenant_unchecked: unchecked,
  query_sandboxing: sandboxing,
}: Header): readonly SchemaProblem[] {
  const tenants = Object.keys(parameters).filter((name) => parameters[name]?.tenant);
  if (unchecked !== undefined && sandboxing === 'enabled')
    return [
      problem(
        ['tenant_unchecked'],
        "cannot be used with query_sandboxing: enabled: a caller's SQL can return every row of the common tables",
      ),
    ];
  if (unchecked !== undefined && tenants.length === 0)
    return [problem(['tenant_unchecked'], 'needs a parameter with tenant: true')];
  return Object.entries(parameters).flatMap(([name, { type, tenant, tenant_pattern: pattern }]) => {
    const problems: SchemaProblem[] = [];
    const add = (key: string, message: string) => problems.push(problem(['parameters', name, key], message));

    if (tenant && tenants[0] !== name) {
      add('tenant', `${tenants[0]} is already the tenant; only one parameter can be`);
    }
    if (tenant && type !== 'string' && type !== 'pattern') add('tenant', 'must be a string or a pattern');
    if (tenant && type === 'pattern' && pattern === undefined) {
      add('tenant', `a pattern needs a tenant_pattern, as in '${exampleTenantPattern(name)}'`);
    }
    if (pattern === undefined) return problems;
    if (!tenant || type !== 'pattern') {
      add('tenant_pattern', 'needs type: pattern and tenant: true');
      return problems;
    }
    const wrong = tenantPatternProblem(pattern, name);
    if (wrong !== undefined) add('tenant_pattern', wrong);
    return problems;
  });
}
