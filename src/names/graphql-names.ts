/**
 * A name that a field, a type or a value may have: names that begin with two underscores are those of GraphQL itself.
 */
export const graphqlName = /^(?!__)[_A-Za-z][_A-Za-z0-9]*$/;

/** A name of a query, parameter or column (`orders.by-day@2`) as a GraphQL field (`ordersByDayV2`). */
export function camelCase(name: string): string {
  // Most names are one word, and a schema has thousands.
  if (!/[._@-]/.test(name)) return name;
  const words = name.replace('@', '.v').split(/[._-]+/);
  const [first = '', ...rest] = words.filter((word) => word !== '');
  return [first, ...rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join('');
}

/** A name as a GraphQL type (`ApiInvocationStats`). */
export function pascalCase(name: string): string {
  const camel = camelCase(name);
  return camel.charAt(0).toUpperCase() + camel.slice(1);
}

/** The GraphQL field of a caller's SQL over a saved query whose own field is given: `ordersByDay` → `ordersByDaySql`. */
export const sqlFieldOf = (field: string): string => `${field}Sql`;

/** The GraphQL field of the pages of a saved query whose own field is given: `logsAll` → `logsAllConnection`. */
export const connectionFieldOf = (field: string): string => `${field}Connection`;

/**
 * The GraphQL names of the fields of one record, in their order: in camelCase, as columns have them. Every character that
 * no name of GraphQL may have separates words too; a name that would begin with a digit begins with `_`. Of several fields
 * with one name, those after the first get a number.
 */
export function graphqlNames(fields: readonly { readonly name: string }[]): readonly string[] {
  const taken = new Set<string>();
  return fields.map(({ name }) => {
    const plain = plainName(name);
    let own = plain;
    for (let count = 2; taken.has(own); count += 1) own = `${plain}_${count}`;
    taken.add(own);
    return own;
  });
}

/** True if the GraphQL name of a field differs from the one that a reader expects. */
export const isRenamed = (name: string, graphqlName: string): boolean =>
  /[^A-Za-z0-9_]/.test(name) || graphqlName !== camelCase(name);

function plainName(name: string): string {
  const camel = camelCase(name.replaceAll(/[^A-Za-z0-9_]/g, '-'));
  if (camel === '') return 'field';
  return /^[0-9]/.test(camel) ? `_${camel}` : camel;
}

/** Root fields that describe the catalog itself: no saved query may have them. */
export const reservedFields: ReadonlySet<string> = new Set(['endpoint', 'endpoints']);

/** Types that a schema has whatever its queries are named. */
export const reservedTypes: ReadonlySet<string> = new Set([
  ...['Query', 'Mutation', 'Subscription'],
  ...['Endpoint', 'EndpointParameter', 'EndpointColumn', 'EndpointDeprecation'],
  ...['_Any', '_Entity', '_Service'],
  ...['CacheStatus', 'Cost', 'PageInfo', 'RowOrder', 'SqlColumn', 'SqlResult'],
  ...[
    'String',
    'Integer',
    'Float',
    'Decimal',
    'Boolean',
    'Timestamp',
    'Datetime',
    'Date',
    'Time',
    'Bytes',
  ].map((kind) => `${kind}Comparison`),
  ...['Boolean', 'DateTime', 'Float', 'ID', 'Int', 'JSON', 'SafeInt', 'String', 'UUID'],
]);
