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
