import { categoryOf, parseFormat } from '../../macros/host/cast-format/elements.ts';
import { parseNumberFormat } from '../../macros/host/cast-format/number.ts';
import { macros } from '../../macros/macros.ts';
import type * as Syntax from '../../syntax/nodes.ts';
import {
  call,
  caseWhen,
  castTo,
  compareWith,
  integerLiteral,
  literal,
  nullLiteral,
  operation,
  textLiteral,
  transformList,
} from '../../tree/build.ts';
import type { Expression } from '../../tree/nodes.ts';
import { describeType, isScalar, type StructType, scalar, type Type } from '../../types.ts';
import { bindValues } from '../bind-values.ts';
import { convert } from '../coercion.ts';
import type { Rule } from '../context.ts';
import { callMacro, nullOnError } from '../macro-call.ts';
import { castToRange, rangeText } from '../ranges.ts';
import { resolveType } from '../resolve-type.ts';
import { fieldValues, structOfValues } from '../struct-value.ts';
import { type Place, Unsupported } from '../unsupported.ts';
import { writtenValue } from './constant-values.ts';

/** CAST is one macro for each target type, with a signature for each source type. */
export const cast: Rule<Syntax.Cast> = (node, scope, context) => {
  const type = resolveType(node.type);
  const value = context.expression(node.operand, scope);
  const { format } = node;
  const formats = [format, node.zone].flatMap((part) => (part ? [context.expression(part, scope)] : []));
  if (format && !node.safe) requireFormat(format, formats[0], value, type);
  const castOf = (operand: Expression): Expression =>
    format ? castByFormat(node, operand, type, formats) : castValue(node, operand, type);
  const safeMacro = `safe_cast_${describeType(type).toLowerCase()}`;
  const isText = isScalar(value.type, 'STRING') && !format;
  const safeCast = () =>
    isText && macros.has(safeMacro)
      ? callMacro(node, safeMacro, [value])
      : nullOnError([value], ([operand = value]) => castOf(operand));
  const converted = node.safe ? safeCast() : castOf(value);
  return withParameters(node.type, { ...converted, type });
};

/** Refuses a literal format with which the cast fails in every row. */
function requireFormat(place: Place, format: Expression | undefined, value: Expression, to: Type): void {
  const written = writtenValue(format);
  if (typeof written !== 'string' || (value.kind === 'literal' && value.value === null)) return;
  const from = value.type;
  const type = isScalar(to, 'STRING') ? from : to;
  try {
    if (isScalar(type, 'DATE', 'DATETIME', 'TIME', 'TIMESTAMP'))
      for (const { element } of parseFormat(written))
        if (element !== undefined) categoryOf(element, describeType(type));
    if (isScalar(from, 'INT64', 'NUMERIC', 'BIGNUMERIC', 'FLOAT64')) parseNumberFormat(written);
  } catch (error) {
    if (error instanceof Error) throw new Unsupported(place, `FORMAT '${written}': ${error.message}`);
    throw error;
  }
}

/** `CAST(value AS type FORMAT format AT TIME ZONE zone)`. */
function castByFormat(
  place: Place,
  value: Expression,
  type: Type,
  formats: readonly Expression[],
): Expression {
  const isNull = value.type.kind === 'null';
  if (isNull && !isScalar(type, 'STRING'))
    throw new Unsupported(place, `FORMAT is not allowed for CAST of NULL AS ${describeType(type)}`);
  if (isNull || formats.some((part) => part.type.kind === 'null')) return nullLiteral(type);
  const shown = describeType(type);
  return callMacro(
    place,
    `cast_format_${shown.toLowerCase()}`,
    [value, ...formats],
    `CAST AS ${shown} FORMAT`,
  );
}

/** Casts a value; elements of arrays and fields of structs one by one. */
function castValue(place: Place, value: Expression, type: Type): Expression {
  const from = value.type;
  if (from.kind === 'null') return value.kind === 'literal' ? nullLiteral(type) : castTo(value, type);
  if (value.kind === 'literal' && value.value !== null && isScalar(from, 'FLOAT64')) {
    const text = String(value.value);
    if (isScalar(type, 'NUMERIC')) return decimalOfLiteral(place, text, 'NUMERIC', 9e28);
    if (isScalar(type, 'BIGNUMERIC')) return decimalOfLiteral(place, text, 'BIGNUMERIC', 5e38);
  }
  if (type.kind === 'range')
    return describeType(from) === describeType(type) ? value : castToRange(place, value, type);
  if (from.kind === 'range' && isScalar(type, 'STRING')) return rangeText(value, from.element);
  // DATE becomes DATETIME where a function takes that, but not here.
  if (type.kind === 'scalar' && !(isScalar(type, 'TIME') && isScalar(from, 'DATE')))
    return callMacro(place, `cast_${type.name.toLowerCase()}`, [value], `CAST AS ${type.name}`);
  if (type.kind === 'array' && from.kind === 'array') {
    if (from.element.kind === 'null') return castTo(value, type);
    return transformList(value, from.element, (element) => castValue(place, element, type.element), type);
  }
  if (type.kind === 'struct' && from.kind === 'struct' && type.fields.length === from.fields.length)
    return bindValues([value], (bound = value) => castStruct(place, bound, from, type));
  if (from.kind === 'unknown') return castTo(value, type);
  throw new Unsupported(place, `cannot cast ${describeType(from)} to ${describeType(type)}`);
}

function castStruct(place: Place, value: Expression, from: StructType, type: StructType): Expression {
  const parts = value.kind === 'struct' ? value.fields : fieldValues(value);
  const members = from.fields.map((member, index) => {
    const target = type.fields[index] ?? member;
    const part = parts[index]?.value ?? nullLiteral(member.type);
    // The digits of a literal count in a cast of its own only.
    const source = part.kind === 'literal' && isScalar(part.type, 'FLOAT64') ? castTo(part, part.type) : part;
    return castValue(place, source, target.type);
  });
  const built = structOfValues(members, type);
  return value.kind === 'struct' ? built : caseWhen(operation('IS NOT NULL', [value]), built);
}

/**
 * A literal has more digits than its FLOAT64, which counts only if the digits are out of range.
 *
 * @param doubtful numbers from here on may be out of range
 */
function decimalOfLiteral(
  place: Place,
  text: string,
  type: 'NUMERIC' | 'BIGNUMERIC',
  doubtful: number,
): Expression {
  const castOf = (operand: Expression) =>
    callMacro(place, `cast_${type.toLowerCase()}`, [operand], `CAST AS ${type}`);
  const ofDigits = castOf(textLiteral(text));
  if (Math.abs(Number(text)) < doubtful)
    return type === 'NUMERIC' && /^-?\d*(\.\d*)?$/.test(text) ? literal(scalar(type), text) : ofDigits;
  const float64 = scalar('FLOAT64');
  return call(
    'coalesce',
    [call('TRY', [ofDigits], scalar(type)), castOf(castTo(literal(float64, text), float64))],
    scalar(type),
  );
}

/** Applies the parameters of a type, such as the length in STRING(10); also those inside arrays and structs. */
function withParameters(node: Syntax.Type, value: Expression): Expression {
  if (!hasParameters(node)) return value;
  switch (node.kind) {
    case 'NamedType':
      return withScalarParameters(node, value);
    case 'ArrayType': {
      const element = value.type.kind === 'array' ? value.type.element : value.type;
      return transformList(value, element, (item) => withParameters(node.element, item), value.type);
    }
    case 'StructType':
      return bindValues([value], (bound = value) => {
        const { type } = value;
        if (type.kind !== 'struct') return bound;
        const members = fieldValues(bound).map((part, index) => {
          const member = node.fields[index];
          return member ? withParameters(member.type, part.value) : part.value;
        });
        return caseWhen(operation('IS NOT NULL', [bound]), structOfValues(members, type));
      });
    default:
      return value;
  }
}

/** True if a type, or one inside it, has a length or a precision: `STRING(10)`. */
export function hasParameters(node: Syntax.Type): boolean {
  switch (node.kind) {
    case 'NamedType':
      return node.parameters.length > 0;
    case 'ArrayType':
      return hasParameters(node.element);
    case 'StructType':
      return node.fields.some(({ type }) => hasParameters(type));
    case 'RangeType':
      return false;
  }
}

function withScalarParameters(node: Syntax.NamedType, value: Expression): Expression {
  const numbers = node.parameters.map((parameter) => {
    if (parameter.kind === 'IntegerLiteral') return Number(parameter.value);
    throw new Unsupported(parameter, 'parameters of a type must be integers');
  });
  const [first = 0, scale = 0, another] = numbers;
  const isText = isScalar(value.type, 'STRING', 'BYTES');
  if (!isText && !isScalar(value.type, 'NUMERIC', 'BIGNUMERIC'))
    throw new Unsupported(node, `${describeType(value.type)} takes no parameters`);
  if (another !== undefined || (isText && (numbers.length > 1 || first < 1)))
    throw new Unsupported(node, 'a type takes its length, or its precision and scale');
  return isText ? withLength(value, first) : withPrecision(node, value, first, scale);
}

const withLength = (value: Expression, length: number): Expression =>
  bindValues([value], (bound = value) => {
    const measured = call(
      isScalar(value.type, 'BYTES') ? 'octet_length' : 'length',
      [bound],
      scalar('INT64'),
    );
    return failWhen(
      compareWith('>', measured, integerLiteral(length)),
      `a value is longer than ${describeType(value.type)}(${length})`,
      bound,
    );
  });

function withPrecision(place: Place, value: Expression, precision: number, scale: number): Expression {
  const { type } = value;
  const [digits, scales] = isScalar(type, 'NUMERIC') ? [29, 9] : [38, 38];
  if (scale > scales || precision - scale > digits || precision < Math.max(1, scale))
    throw new Unsupported(place, `${describeType(type)}(${precision}, ${scale}) is out of range`);
  const rounded = callMacro(place, 'round', [value, integerLiteral(scale)]);
  if (precision - scale >= digits) return rounded;
  const limit = convert(literal(scalar('FLOAT64'), `1${'0'.repeat(precision - scale)}`), type);
  return bindValues([rounded], (bound = rounded) =>
    failWhen(
      compareWith('>=', callMacro(place, 'abs', [bound]), limit),
      `a value is out of the range of ${describeType(type)}(${precision}, ${scale})`,
      bound,
    ),
  );
}

const failWhen = (condition: Expression, message: string, value: Expression): Expression =>
  caseWhen(condition, call('bq.fail', [textLiteral(message)], value.type), value, value.type);
