import type { Problem } from '../errors.ts';
import { camelCase, pascalCase, sqlField } from './names.ts';
import type { EnumParameter, SavedQuery } from './saved-query.ts';

/** Root fields that describe the catalog itself; reserved names. */
const reservedFields = ['endpoint', 'endpoints'];

/** Types that every schema has; reserved names for enums. */
const reservedTypes = new Set([
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
    'SqlColumn',
    'SqlResult',
    'String',
    'UUID',
  ],
]);

/** Conflicts between files: ids, GraphQL fields and enums must be unique. */
export function checkCatalog(queries: readonly SavedQuery[]): readonly Problem[] {
  const resultTypes = new Set(
    queries.flatMap(({ name }) => [`${pascalCase(name)}Row`, `${pascalCase(name)}Result`]),
  );
  return queries.flatMap((query, at) => {
    const earlier = queries.slice(0, at);
    const problems: Problem[] = [];
    const add = (message: string) => problems.push({ file: query.source.file, line: 1, message });

    const sameId = earlier.find((other) => other.id === query.id);
    if (sameId !== undefined) add(`id ${query.id} is already used by ${sameId.source.file}`);

    const field = camelCase(query.name);
    const sameField = earlier.find((other) => camelCase(other.name) === field);
    if (sameField !== undefined) add(`has the same GraphQL field as ${sameField.source.file}: ${field}`);
    const ofSql = queries.find(
      (other) => other.querySandboxing === 'enabled' && sqlField(other.name) === field,
    );
    if (ofSql !== undefined)
      add(
        `has the GraphQL field ${field}, which is that of SQL over ${ofSql.source.file}; choose another name`,
      );
    if (reservedFields.includes(field))
      add(`the GraphQL field ${field} is reserved for the catalog; choose another name`);

    for (const parameter of enumsOf(query)) {
      if (reservedTypes.has(parameter.enum) || resultTypes.has(parameter.enum)) {
        add(
          `parameters.${parameter.name}: ${parameter.enum} is another type of the schema; choose another enum name`,
        );
      }
      const other = earlier.flatMap(enumsOf).find(({ enum: name }) => name === parameter.enum);
      if (other !== undefined && !sameValues(parameter, other)) {
        add(`parameters.${parameter.name}: enum ${parameter.enum} has different values in another file`);
      }
    }
    return problems;
  });
}

function enumsOf(query: SavedQuery): readonly EnumParameter[] {
  return query.parameters.filter((parameter) => parameter.type === 'enum');
}

function sameValues(a: EnumParameter, b: EnumParameter): boolean {
  // Other spellings are not part of the GraphQL type that the queries share.
  const typeOf = ({ values }: EnumParameter) =>
    values.map(({ value, name, description }) => [value, name, description]);
  return JSON.stringify(typeOf(a)) === JSON.stringify(typeOf(b));
}
