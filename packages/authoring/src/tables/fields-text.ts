import type { DeclaredField } from 'querygate/catalog';

/** The text of a table's file: JSON with one line for each field that has no fields of its own. */
export function fieldsText(fields: readonly DeclaredField[], indent = ''): string {
  const items = fields.map((field) => `${indent}  ${fieldText(field, `${indent}  `)}`);
  return `[\n${items.join(',\n')}\n${indent}]`;
}

function fieldText({ fields, ...field }: DeclaredField, indent: string): string {
  const { name, type, mode, maxLength, precision, scale, collation, description } = field;
  const members = Object.entries({
    name,
    type,
    mode,
    maxLength,
    precision,
    scale,
    collation,
    description,
  }).flatMap(([key, value]) =>
    value === undefined ? [] : [`${JSON.stringify(key)}: ${JSON.stringify(value)}`],
  );
  if (fields === undefined) return `{ ${members.join(', ')} }`;
  const inner = `${indent}  `;
  return `{\n${inner}${members.join(`,\n${inner}`)},\n${inner}"fields": ${fieldsText(fields, inner)}\n${indent}}`;
}
