import { quoteText } from '../expr/literals.ts';
import type { Sql } from '../scope.ts';
import type { Translator } from '../translator.ts';
import { anonymousField, type Type } from '../types.ts';

/** How values of each type are written as text. All texts are DuckDB expressions, NULL if the value is NULL. */
export interface ValueTextFormat {
  readonly null: string;
  scalar(value: Sql): string;
  /**
   * @param elements an array of the elements' texts
   * @param depth the number of enclosing arrays and structs
   */
  array(elements: string, depth: number): string;
  struct(fields: readonly { readonly name: string; readonly text: string }[], depth: number): string;
}

/** The text of a value, including its elements and fields; never NULL. */
export function valueText(value: Sql, format: ValueTextFormat, tr: Translator, depth = 0): string {
  return `coalesce(${nonNullText(value, format, tr, depth)}, ${quoteText(format.null)})`;
}

function nonNullText(value: Sql, format: ValueTextFormat, tr: Translator, depth: number): string {
  const { text, type } = value;
  if (type.kind === 'array') {
    const item = tr.fresh('item');
    const element = valueText({ text: item, type: type.element }, format, tr, depth + 1);
    return format.array(`list_transform(${text}, lambda ${item}: ${element})`, depth);
  }
  if (type.kind !== 'struct') return type.kind === 'null' ? 'NULL' : format.scalar(value);
  const fields = type.fields.map((field, index) => ({
    name: field.name,
    text: valueText(fieldOf(text, field.name || anonymousField(index), field.type), format, tr, depth + 1),
  }));
  return `CASE WHEN ${text} IS NOT NULL THEN ${format.struct(fields, depth)} END`;
}

const fieldOf = (struct: string, name: string, type: Type): Sql => ({
  text: `struct_extract(${struct}, ${quoteText(name)})`,
  type,
});
