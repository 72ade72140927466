import { camelCase } from './graphql-names.ts';

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

/** Whether the GraphQL name of a field is another one than a reader expects. */
export const isRenamed = (name: string, graphqlName: string): boolean =>
  /[^A-Za-z0-9_]/.test(name) || graphqlName !== camelCase(name);

function plainName(name: string): string {
  const camel = camelCase(name.replaceAll(/[^A-Za-z0-9_]/g, '-'));
  if (camel === '') return 'field';
  return /^[0-9]/.test(camel) ? `_${camel}` : camel;
}
