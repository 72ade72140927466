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
    'SafeInt',
    'SqlColumn',
    'SqlResult',
    'String',
    'UUID',
  ],
]);

/**
 * Conflicts between files: ids, GraphQL fields and types must be unique. Of two queries in conflict, the later one has the
 * problem.
 */
export function checkCatalog(queries: readonly SavedQuery[]): readonly Problem[] {
  const ids = new Map<string, string>();
  const fields = new Map<string, string>();
  /** Of SQL over queries that take it. */
  const sqlFields = new Map<string, string>();
  const resultTypes = new Map<string, string>();
  const timeScalars = scalarsOfTimes(queries);
  const enums = new Map<string, { readonly parameter: EnumParameter; readonly file: string }>();
  return queries.flatMap((query) => {
    const { file } = query.source;
    const problems: Problem[] = [];
    const add = (message: string) => problems.push({ file, line: 1, message });

    const sameId = addName(ids, query.id, file);
    if (sameId !== undefined) add(`id ${query.id} is already used by ${sameId}`);

    const field = camelCase(query.name);
    const sameField = addName(fields, field, file);
    if (sameField !== undefined) add(`has the same GraphQL field as ${sameField}: ${field}`);
    const ofSql = sqlFields.get(field);
    if (ofSql !== undefined)
      add(`has the GraphQL field ${field}, which is that of SQL over ${ofSql}; choose another name`);
    if (query.querySandboxing === 'enabled') {
      const ownSqlField = sqlField(query.name);
      addName(sqlFields, ownSqlField, file);
      const other = fields.get(ownSqlField);
      if (other !== undefined)
        add(`the GraphQL field of SQL over it, ${ownSqlField}, is that of ${other}; choose another name`);
    }
    if (reservedFields.includes(field))
      add(`the GraphQL field ${field} is reserved for the catalog; choose another name`);

    for (const type of [`${pascalCase(query.name)}Row`, `${pascalCase(query.name)}Result`]) {
      addName(resultTypes, type, file);
      const other = enums.get(type);
      if (other !== undefined) add(`its type ${type} is an enum of ${other.file}; choose another name`);
    }
    for (const parameter of enumsOf(query)) {
      const { name, enum: type } = parameter;
      if (reservedTypes.has(type) || resultTypes.has(type) || timeScalars.has(type)) {
        add(`parameters.${name}: ${type} is another type of the schema; choose another enum name`);
      }
      const other = enums.get(type);
      if (other === undefined) enums.set(type, { parameter, file });
      else if (!sameValues(parameter, other.parameter)) {
        add(`parameters.${name}: enum ${type} has different values in another file`);
      }
    }
    return problems;
  });
}

/** The types that a schema has only if a query has such a parameter. */
function scalarsOfTimes(queries: readonly SavedQuery[]): ReadonlySet<string> {
  const types = queries.flatMap(({ parameters }) => parameters.map(({ type }) => type));
  return new Set([
    ...(types.includes('date') ? ['Date'] : []),
    ...(types.includes('datetime') ? ['LocalDateTime'] : []),
  ]);
}

/** @returns the file that has the name already */
function addName(names: Map<string, string>, name: string, file: string): string | undefined {
  const known = names.get(name);
  if (known === undefined) names.set(name, file);
  return known;
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
