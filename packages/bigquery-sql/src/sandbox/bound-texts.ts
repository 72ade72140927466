import { bindValues } from '../rules/bind-values.ts';
import {
  call,
  caseWhen,
  castTo,
  compareWith,
  integerLiteral,
  operation,
  textLiteral,
} from '../tree/build.ts';
import type { Expression } from '../tree/nodes.ts';
import { isScalar, scalar } from '../types.ts';

/** The longest text, or BYTES, that an expression of a caller may make, as REPEAT and LPAD have it. */
const maxTextBytes = 1_048_576;

/** Forms that may make texts longer than their arguments, each with the form that computes the length before. */
const boundedForms: ReadonlyMap<string, string> = new Map([
  ['bq."replace(s varchar, part varchar, other varchar)"', 'bq.bounded_replace'],
  ['bq."regexp_replace(s varchar, pattern varchar, rewrite varchar)"', 'bq.bounded_regexp_replace'],
  ['bq."array_to_string(a varchar[], delimiter varchar)"', 'bq.bounded_array_to_string'],
  ['bq.array_joined', 'bq.bounded_array_to_string'],
  [
    'bq."array_to_string(a varchar[], delimiter varchar, null_text varchar)"',
    'bq.bounded_array_to_string_with_nulls',
  ],
  ['bq."array_to_string(a blob[], delimiter blob)"', 'bq.bounded_array_to_bytes'],
  ['bq."array_to_string(a blob[], delimiter blob, null_text blob)"', 'bq.bounded_array_to_bytes_with_nulls'],
  ['bq."replace(b blob, part blob, other blob)"', 'bq.bounded_replace_bytes'],
  ['bq."regexp_replace(b blob, pattern blob, rewrite blob)"', 'bq.bounded_regexp_replace_bytes'],
]);

/**
 * An expression of a caller, which fails instead of making a text that is too long. Within one step neither the memory
 * limit counts texts, nor does an interrupt stop the step.
 */
export function boundTexts(node: Expression): Expression {
  if (node.kind === 'call') {
    const form = boundedForms.get(node.function);
    if (form === undefined) return node;
    return bindValues(node.args, (...args) => call(form, args, node.type));
  }
  if (node.kind !== 'operation' || node.operator !== '||' || !isScalar(node.type, 'STRING', 'BYTES'))
    return node;
  const length = isScalar(node.type, 'BYTES') ? 'octet_length' : 'strlen';
  return bindValues(node.operands, (...texts) => {
    const int64 = scalar('INT64');
    const lengths = texts.map((text) => call(length, [text], int64));
    const bytes = operation('+', lengths, int64);
    const fail = castTo(call('bq.fail', [textLiteral('a text has more than 1,048,576 bytes')]), node.type);
    const joined = { ...node, operands: texts };
    return caseWhen(compareWith('>', bytes, integerLiteral(maxTextBytes)), fail, joined, node.type);
  });
}
