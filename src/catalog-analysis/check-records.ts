import { graphqlNames, isRenamed } from '../names/graphql-names.ts';
import type { Catalog, RecordField, SavedQuery } from '../catalog/model/saved-query.ts';
import type { Problem } from '../errors.ts';
import { isSameColumn } from './check-columns.ts';
import { compareFields, undeclaredFields } from './compare-fields.ts';
import type { KnownColumn } from './known-columns.ts';

/** @param columnsOf called only if the header declares fields */
export function recordProblemsOf(
  { columns, source }: SavedQuery,
  columnsOf: () => readonly KnownColumn[] | undefined,
): readonly Problem[] {
  const declaring = columns.filter(({ fields }) => fields?.some(isDeclared));
  if (declaring.length === 0) return [];
  const known = columnsOf() ?? [];
  return declaring.flatMap((column) => {
    const found = known.find(({ name }) => isSameColumn(name, column.name));
    if (found === undefined) return [];
    const path = `columns.${column.name}`;
    return [...compareFields(path, column, found), ...undeclaredFields(path, column, found)].map(
      ({ line = source.line, message }) => ({ file: source.file, line, message }),
    );
  });
}

const isDeclared = ({ line }: RecordField): boolean => line !== undefined;

/** Notes for authors on their records, one line each. */
export function recordNotes({ queries }: Catalog): readonly string[] {
  return queries.flatMap(({ name, columns }) =>
    columns.flatMap((column) => notesOf(column, column.name).map((note) => `${name}: ${note}`)),
  );
}

function notesOf({ type, fields, isFreeForm }: RecordField, path: string): readonly string[] {
  if (type !== 'record' || isFreeForm) return [];
  if (fields === undefined)
    return [
      `the fields of ${path} are not known, so that GraphQL has it as JSON; declare them under fields, or "fields: any"`,
    ];
  const names = graphqlNames(fields);
  return fields.flatMap((field, at) => {
    const own = `${path}.${field.name}`;
    const graphqlName = names[at] ?? '';
    const renamed = isRenamed(field.name, graphqlName) ? [`${own} is ${graphqlName} in GraphQL`] : [];
    return [...renamed, ...notesOf(field, own)];
  });
}
