import { isCredentialName } from '../../names/credential-names.ts';
import { camelCase } from '../../names/graphql-names.ts';
import { problem, type SchemaProblem } from '../../files/schema-problems.ts';
import { sqlParameter } from '../binding/caller-sql.ts';
import type { Header } from './header-schema.ts';

/** Names of parameters, in lower case, that mean the same in every request, each with what. */
const reservedParameters: ReadonlyMap<string, string> = new Map([
  ['format', 'the format of a REST response'],
  [sqlParameter, "a caller's own SQL (query_sandboxing)"],
]);

/** Checks the names of parameters and columns: reserved ones, and those that are equal in SQL or in GraphQL. */
export function checkNames(header: Pick<Header, 'parameters' | 'columns'>): readonly SchemaProblem[] {
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
