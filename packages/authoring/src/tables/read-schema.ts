import { type DeclaredField, isAbsentType, parseFields } from 'querygate/catalog';
import { absentTypes, fieldTypes } from '@querygate/bigquery-sql/table-schema';
import { parseJson } from '@querygate/text';
import { ProblemError } from '@querygate/bigquery-sql/problem';

/** The fields for the file of a table. */
export interface DeclaredFields {
  readonly fields: readonly DeclaredField[];
  /** Notes for the author: what to check or to know. */
  readonly notes: readonly string[];
}

const knownTypes: ReadonlySet<string> = new Set([...fieldTypes, ...absentTypes]);

/**
 * The fields in what `bq show` prints, with or without `--schema`, and a note of each that local data does not have.
 *
 * @param file where the text comes from, for messages
 * @returns undefined if the text is something else, such as rows
 * @throws ProblemError if a field of the schema is wrong
 */
export function readSchema(text: string, file: string): DeclaredFields | undefined {
  const data = fieldsIn(text);
  if (data === undefined) return undefined;
  const parsed = parseFields(data);
  if (parsed.success) return { fields: parsed.data, notes: notesOf(parsed.data) };
  throw new ProblemError(
    'The schema cannot be that of a table',
    parsed.error.issues.map(({ path, message }) => ({
      file,
      message: [...nameAt(data, path), message].join(': '),
    })),
  );
}

/** A part of a schema, not validated yet. */
type GivenField = Readonly<Record<string, unknown>>;

function fieldsIn(text: string): readonly GivenField[] | undefined {
  let data: unknown;
  try {
    data = parseJson(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
  const { schema, fields } = (data ?? {}) as {
    readonly schema?: { readonly fields?: unknown };
    readonly fields?: unknown;
  };
  const found = Array.isArray(data) ? data : (schema?.fields ?? fields);
  return Array.isArray(found) && isSchema(found) ? found : undefined;
}

/** Rows may have members named so, too, but not types of BigQuery in them. */
function isSchema(items: readonly unknown[]): items is readonly GivenField[] {
  const fields = items.map((item) => (item ?? {}) as GivenField);
  const hasKnownType = fields.some(({ type }) => knownTypes.has(String(type).toUpperCase()));
  return hasKnownType && fields.every(({ name, type }) => name !== undefined && type !== undefined);
}

function notesOf(fields: readonly DeclaredField[], path = ''): readonly string[] {
  const notes = fields
    .filter(({ type }) => isAbsentType(type))
    .map(({ name, type }) => `${path}${name} is kept in the file only: local tables have no ${type}`);
  return [...notes, ...fields.flatMap(({ name, fields: inner = [] }) => notesOf(inner, `${path}${name}.`))];
}

/** `host.cpu` and `type` for the type of a field in a record. */
function nameAt(data: readonly GivenField[], path: readonly PropertyKey[]): readonly string[] {
  const names: string[] = [];
  let at: unknown = data;
  for (const key of path) {
    at = (at as Readonly<Record<PropertyKey, unknown>> | undefined)?.[key];
    if (typeof key === 'number') names.push(String((at as Partial<DeclaredField> | undefined)?.name));
  }
  const property = path.at(-1);
  return [names.join('.'), typeof property === 'string' ? property : ''].filter((part) => part !== '');
}
