import { problemOf } from '@querygate/bigquery-sql/problem';
import { graphqlNames, isRenamed } from '../names/graphql-names.ts';
import type { Catalog, RecordField, SavedQuery } from '../catalog/model/saved-query.ts';
import type { Problem } from '../errors.ts';
import { isSameColumn } from './check-columns.ts';
import { compareFields, undeclaredFields } from './compare-fields.ts';
import type { KnownColumn } from './known-columns.ts';

/** @param columnsOf called only if the header declares records */
export function recordProblemsOf(
  { columns, source }: SavedQuery,
  columnsOf: () => readonly KnownColumn[] | undefined,
): readonly Problem[] {
  const records = columns.filter(({ type }) => type === 'record');
  if (records.length === 0) return [];
  const known = columnsOf() ?? [];
  return records.flatMap((column) => {
    const found = known.find(({ name }) => isSameColumn(name, column.name));
    if (found === undefined) return [];
    const path = `columns.${column.name}`;
    const compared = column.fields?.some(isDeclared)
      ? [...compareFields(path, column, found), ...undeclaredFields(path, column, found)]
      : [];
    return [
      ...compared.map(({ line = source.line, message }) => ({ file: source.file, line, message })),
      ...impossibleFields(path, found).map((message) => problemOf(source, message)),
    ];
  });
}

/** The fields that no result can have, as messages: JSON has no form for some types, and JavaScript reserves a name. */
const impossibleFields = (path: string, { fields = [] }: KnownColumn): readonly string[] =>
  fields.flatMap((field) => {
    const own = `${path}.${field.name}`;
    if (field.name === '__proto__') return [`${own}: is reserved in JavaScript; choose another name`];
    return /^(?:INTERVAL$|RANGE<)/.test(field.type ?? '')
      ? [`${own}: is ${field.type}, which a result cannot have; CAST it to STRING`]
      : impossibleFields(own, field);
  });

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
