import type { Column, RecordField } from '../../src/catalog/model/saved-query.ts';
import { camelCase, graphqlNames } from '../../src/names/graphql-names.ts';

/** The GraphQL selection of whole columns: every field of their records. */
export const selectColumns = (columns: readonly Column[]): string =>
  columns.map((column) => selectField(column, camelCase(column.name))).join(' ');

function selectField({ fields }: RecordField, name: string): string {
  if (fields === undefined) return name;
  const names = graphqlNames(fields);
  return `${name} { ${fields.map((field, at) => selectField(field, names[at] ?? '')).join(' ')} }`;
}
