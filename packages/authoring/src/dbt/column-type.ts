import { scalarNamed } from '@querygate/bigquery-sql/signatures';
import { parseQuery, type Syntax, SyntaxProblem } from '@querygate/bigquery-sql/syntax';
import { absentTypes, fieldTypes, legacyNames } from '@querygate/bigquery-sql/table-schema';
import type { DeclaredField } from 'querygate/catalog';

/** The type of a column; a record has its fields, as far as the type lists them. */
export interface ColumnType
  extends Pick<DeclaredField, 'type' | 'mode' | 'maxLength' | 'precision' | 'scale'> {
  readonly fields?: readonly DeclaredField[];
}

/** A record whose fields are columns of their own, as dbt writes them. */
const bareRecord = /^(array|repeated)$|^(?:(array)\s*<\s*)?(?:record|struct)\s*>?$/i;

/** Names of types that dbt knows besides those of GoogleSQL. */
const otherNames: Readonly<Record<string, DeclaredField['type']>> = { FLOAT: 'FLOAT', TEXT: 'STRING' };

/** Reads the `data_type` of a column. @returns undefined for what is not a type that columns have */
export function parseColumnType(text: string): ColumnType | undefined {
  const name = text.trim();
  const bare = bareRecord.exec(name);
  if (bare) return { type: 'RECORD', mode: bare[1] || bare[2] ? 'REPEATED' : 'NULLABLE', fields: [] };
  return typeOf(parseType(name));
}

function parseType(text: string): Syntax.Type | undefined {
  const before = 'SELECT CAST(NULL AS ';
  try {
    const { body } = parseQuery(`${before}${text}\n)`).query;
    const [item] = body.kind === 'Select' ? body.items : [];
    const cast = item?.kind === 'SelectExpression' ? item.expression : undefined;
    // Otherwise the text was more than a type.
    return cast?.kind === 'Cast' && cast.type.end === before.length + text.length ? cast.type : undefined;
  } catch (error) {
    if (error instanceof SyntaxProblem) return undefined;
    throw error;
  }
}

function typeOf(node: Syntax.Type | undefined): ColumnType | undefined {
  if (node?.kind === 'ArrayType') {
    const element = typeOf(node.element);
    return element?.mode === 'NULLABLE' ? { ...element, mode: 'REPEATED' } : undefined;
  }
  if (node?.kind === 'RangeType') return { type: 'RANGE', mode: 'NULLABLE' };
  if (node?.kind === 'NamedType') return scalarType(node);
  if (node === undefined || node.fields.length === 0) return undefined;
  const fields = node.fields.map(({ name, type }): DeclaredField | undefined => {
    const inner = typeOf(type);
    return inner && name && { name: name.name, ...inner };
  });
  return fields.includes(undefined)
    ? undefined
    : { type: 'RECORD', mode: 'NULLABLE', fields: fields.filter((field) => field !== undefined) };
}

function scalarType({ name: { parts }, parameters }: Syntax.NamedType): ColumnType | undefined {
  const name = parts.map((part) => part.name).join('.');
  const key = name.toUpperCase();
  const absent = absentTypes.find((own) => own === key);
  const known = scalarNamed(name);
  const resolved = known?.kind === 'scalar' ? (legacyNames[known.name] ?? known.name) : undefined;
  const type = absent ?? otherNames[key] ?? fieldTypes.find((own) => own === resolved);
  if (type === undefined) return undefined;
  const [first, scale] = parameters.map((one) =>
    one.kind === 'IntegerLiteral' ? String(one.value) : undefined,
  );
  const ofText = { ...(first && { maxLength: first }) };
  const ofNumber = { ...(first && { precision: first }), ...(scale && { scale }) };
  return { type, mode: 'NULLABLE', ...(type === 'STRING' || type === 'BYTES' ? ofText : ofNumber) };
}
