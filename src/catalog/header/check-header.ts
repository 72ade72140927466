import { problem, type SchemaProblem } from '../../files/schema-problems.ts';
import { exampleTenantPattern, tenantPatternProblem } from '../binding/patterns/tenant-pattern.ts';
import { isCredentialName } from '../../names/credential-names.ts';
import { camelCase } from '../../names/graphql-names.ts';
import { sqlParameter } from '../binding/caller-sql.ts';
import { checkCaching } from './cache-policy.ts';
import { checkParameters } from './check-parameters.ts';
import { checkPrometheus } from './check-prometheus.ts';
import { checkRecordFields } from './check-record-fields.ts';
import type { Header } from './header-schema.ts';

/** Checks that the schema cannot express: relations between keys, default values, names. */
export function checkHeader(header: Header): readonly SchemaProblem[] {
  return [
    ...checkCaching(header),
    ...checkParameters(header),
    ...checkTenant(header),
    ...checkNames(header),
    ...checkPrometheus(header),
    ...checkRecordFields(header),
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

/** Names of parameters, in lower case, that mean the same in every request, each with what. */
const reservedParameters: ReadonlyMap<string, string> = new Map([
  ['format', 'the format of a REST response'],
  [sqlParameter, "a caller's own SQL (query_sandboxing)"],
]);

function checkNames(header: Header): readonly SchemaProblem[] {
  return (['parameters', 'columns'] as const).flatMap((section) => {
    const names = Object.keys(header[section]);
    return names.flatMap((name, at) => {
      const path = [section, name];
      const camel = camelCase(name);
      if (section === 'parameters' && isCredentialName(name)) {
        return problem(path, 'is a name for API keys, which must not be in a URL; choose another name');
      }
      const reservedFor = section === 'parameters' ? reservedParameters.get(name.toLowerCase()) : undefined;
      if (reservedFor !== undefined)
        return problem(path, `is reserved for ${reservedFor}; choose another name`);
      if (camel === '' || /^[0-9]/.test(camel)) {
        return problem(path, 'must have a letter before the first digit');
      }
      const twin = names.slice(0, at).find((other) => camelCase(other).toLowerCase() === camel.toLowerCase());
      if (twin === undefined) return [];
      return problem(path, `is the same name as ${twin} in SQL, or as ${camel} in GraphQL`);
    });
  });
}
