import { quoteText } from '../expr/literals.ts';
import type { Sql } from '../scope.ts';
import type { Translator } from '../translator.ts';
import { anonymousField, type Type } from '../types.ts';

/** How values of any type are told as text. Texts are DuckDB's, and NULL where the value is. */
export interface ValueTextFormat {
  readonly null: string;
  scalar(value: Sql): string;
  /** @param elements the elements' texts, as an array; depth: how many arrays and structs are around it */
  array(elements: string, depth: number): string;
  struct(fields: readonly { readonly name: string; readonly text: string }[], depth: number): string;
}

/** The text of a value, of its elements and of its fields; never NULL. */
export function valueText(value: Sql, spelling: ValueTextFormat, tr: Translator, depth = 0): string {
  return `coalesce(${nonNullText(value, spelling, tr, depth)}, ${quoteText(spelling.null)})`;
}

function nonNullText(value: Sql, spelling: ValueTextFormat, tr: Translator, depth: number): string {
  const { text, type } = value;
  if (type.kind === 'array') {
    const item = tr.fresh('item');
    const element = valueText({ text: item, type: type.element }, spelling, tr, depth + 1);
    return spelling.array(`list_transform(${text}, lambda ${item}: ${element})`, depth);
  }
  if (type.kind !== 'struct') return type.kind === 'null' ? 'NULL' : spelling.scalar(value);
  const fields = type.fields.map((field, index) => ({
    name: field.name,
    text: valueText(fieldOf(text, field.name || anonymousField(index), field.type), spelling, tr, depth + 1),
  }));
  return `CASE WHEN ${text} IS NOT NULL THEN ${spelling.struct(fields, depth)} END`;
}

const fieldOf = (struct: string, name: string, type: Type): Sql => ({
  text: `struct_extract(${struct}, ${quoteText(name)})`,
  type,
});
