/** A name of the spec (`api.invocation-stats`, `error_count`) as GraphQL users write it (`apiInvocationStats`). */
export function camelCase(name: string): string {
  const [first = '', ...rest] = name.split(/[._-]+/).filter((word) => word !== '');
  return [first, ...rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join('');
}

/** The same as a GraphQL type name (`ApiInvocationStats`). */
export function pascalCase(name: string): string {
  const camel = camelCase(name);
  return camel.charAt(0).toUpperCase() + camel.slice(1);
}
