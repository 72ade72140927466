import { call, caseWhen, operation, textLiteral, transformList } from '../../../tree/build.ts';
import type { Expression } from '../../../tree/nodes.ts';
import { arrayOf, scalar } from '../../../types.ts';
import { bindValues } from '../../bind-values.ts';
import { rangeBounds } from '../../ranges.ts';
import { fieldValues } from '../../struct-value.ts';

const string = scalar('STRING');

/** How values of each type are written as text; each text is NULL if its value is NULL. */
export interface ValueTextFormat {
  readonly null: string;
  /** @param depth the number of enclosing arrays and structs */
  scalar(value: Expression, depth: number): Expression;
  /** @param elements an array of the elements' texts */
  array(elements: Expression, depth: number): Expression;
  /** Ranges are structs, too, if it is true. */
  readonly hasBounds?: true;
  struct(fields: readonly { readonly name: string; readonly text: Expression }[], depth: number): Expression;
}

/** The text of a value, including its elements and fields; never NULL. */
export function valueText(value: Expression, format: ValueTextFormat, depth = 0): Expression {
  if (value.type.kind === 'null') return textLiteral(format.null);
  return call('coalesce', [nullableText(value, format, depth), textLiteral(format.null)], string);
}

function nullableText(value: Expression, format: ValueTextFormat, depth: number): Expression {
  const { type } = value;
  if (type.kind === 'array') {
    const texts = transformList(
      value,
      type.element,
      (element) => valueText(element, format, depth + 1),
      arrayOf(string),
    );
    return format.array(texts, depth);
  }
  const isRange = type.kind === 'range' && format.hasBounds === true;
  if (type.kind !== 'struct' && !isRange) return format.scalar(value, depth);
  return bindValues([value], (struct = value) => {
    const fields = (isRange ? rangeBounds(struct, type.element) : fieldValues(struct)).map(
      ({ name, value: part }) => ({
        name,
        text: valueText(part, format, depth + 1),
      }),
    );
    return caseWhen(operation('IS NOT NULL', [struct]), format.struct(fields, depth));
  });
}

/** Texts with a separator between them; '' for none. */
export const joinTexts = (texts: readonly Expression[], separator: string): readonly Expression[] =>
  texts.flatMap((text, index) => (index === 0 ? [text] : [textLiteral(separator), text]));
