import type { Problem } from '../errors.ts';
import { camelCase, pascalCase } from './names.ts';
import type { EnumParameter, SavedQuery } from './saved-query.ts';

/** Root fields that describe the catalog itself; no saved query may take their names. */
const ownFields = ['endpoint', 'endpoints'];

/** Types that the schema has whatever the catalog holds; no enum may take their names. */
const ownTypes = new Set([
  ...['Query', 'Mutation', 'Subscription', 'Endpoint', 'EndpointParameter', 'EndpointColumn'],
  ...[
    'Boolean',
    'CacheStatus',
    'Cost',
    'DateTime',
    'Float',
    'ID',
    'Int',
    'JSON',
    'LocalDateTime',
    'SafeInt',
    'String',
    'UUID',
  ],
]);

/** What files that are right one by one get wrong together: addresses, GraphQL fields and enums must be unique. */
export function checkCatalog(queries: readonly SavedQuery[]): readonly Problem[] {
  const resultTypes = new Set(
    queries.flatMap(({ name }) => [`${pascalCase(name)}Row`, `${pascalCase(name)}Result`]),
  );
  return queries.flatMap((query, at) => {
    const earlier = queries.slice(0, at);
    const problems: Problem[] = [];
    const add = (message: string) => problems.push({ file: query.source.file, line: 1, message });

    const sameId = earlier.find((other) => other.id === query.id);
    if (sameId !== undefined) add(`id ${query.id} is taken by ${sameId.source.file}`);

    const field = camelCase(query.name);
    const sameField = earlier.find((other) => camelCase(other.name) === field);
    if (sameField !== undefined) add(`is the GraphQL field ${field}, as ${sameField.source.file} is`);
    if (ownFields.includes(field))
      add(`the GraphQL field ${field} describes the catalog; choose another name`);

    for (const parameter of enumsOf(query)) {
      if (ownTypes.has(parameter.enum) || resultTypes.has(parameter.enum)) {
        add(
          `parameters.${parameter.name}: ${parameter.enum} is a type of the schema's own; choose another enum name`,
        );
      }
      const other = earlier.flatMap(enumsOf).find(({ enum: name }) => name === parameter.enum);
      if (other !== undefined && !sameValues(parameter, other)) {
        add(`parameters.${parameter.name}: enum ${parameter.enum} has other values in another file`);
      }
    }
    return problems;
  });
}

function enumsOf(query: SavedQuery): readonly EnumParameter[] {
  return query.parameters.filter((parameter) => parameter.type === 'enum');
}

function sameValues(a: EnumParameter, b: EnumParameter): boolean {
  return JSON.stringify(a.values) === JSON.stringify(b.values);
}
