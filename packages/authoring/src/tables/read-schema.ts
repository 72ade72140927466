import { parseFields } from 'querygate/catalog';
import type { InferredFields } from 'querygate/data-files';
import { type Field, fieldTypes } from '@querygate/bigquery-sql/table-schema';
import { parseJson } from '@querygate/text';
import { ProblemError } from '@querygate/bigquery-sql/problem';

/** Types of BigQuery that no table of the local engine can have. */
const otherTypes: readonly string[] = ['GEOGRAPHY', 'RANGE', 'INTERVAL'];

const knownTypes: ReadonlySet<string> = new Set([...fieldTypes, ...otherTypes]);

/**
 * The fields in what `bq show` prints, with or without `--schema`. Fields of types that the local engine lacks are left out,
 * with a note.
 *
 * @param file where the text comes from, for messages
 * @returns undefined if the text is something else, such as rows
 * @throws ProblemError if a field of the schema is wrong
 */
export function readSchema(text: string, file: string): InferredFields | undefined {
  const given = fieldsIn(text);
  if (given === undefined) return undefined;
  const notes: string[] = [];
  const data = withoutOtherTypes(given, '', notes);
  const parsed = parseFields(data);
  if (parsed.success) return { fields: parsed.data, notes };
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

function withoutOtherTypes(
  fields: readonly GivenField[],
  path: string,
  notes: string[],
): readonly GivenField[] {
  return fields.flatMap((field) => {
    const own = `${path}${field.name}`;
    const type = String(field.type).toUpperCase();
    if (otherTypes.includes(type)) {
      notes.push(`${own} is left out: local tables have no ${type}`);
      return [];
    }
    const { fields: inner } = field;
    return [Array.isArray(inner) ? { ...field, fields: withoutOtherTypes(inner, `${own}.`, notes) } : field];
  });
}

/** `host.cpu` and `type` for the type of a field in a record. */
function nameAt(data: readonly GivenField[], path: readonly PropertyKey[]): readonly string[] {
  const names: string[] = [];
  let at: unknown = data;
  for (const key of path) {
    at = (at as Readonly<Record<PropertyKey, unknown>> | undefined)?.[key];
    if (typeof key === 'number') names.push(String((at as Partial<Field> | undefined)?.name));
  }
  const property = path.at(-1);
  return [names.join('.'), typeof property === 'string' ? property : ''].filter((part) => part !== '');
}
