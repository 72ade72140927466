import type * as Syntax from '../../syntax/nodes.ts';
import { and, castTo, not, operation, or } from '../../tree/build.ts';
import type { Expression } from '../../tree/nodes.ts';
import { describeType, isScalar, scalar } from '../../types.ts';
import { commonSupertype, convert, distance } from '../coercion.ts';
import { passCollation } from '../collation.ts';
import type { Rule } from '../context.ts';
import { callMacro } from '../macro-call.ts';
import { requireMoment } from '../moment-text.ts';
import { type Place, Unsupported } from '../unsupported.ts';
import { impliedName } from './column-paths.ts';
import { compare, requireBool } from './comparison.ts';
import { literalInterval } from './intervals.ts';
import { float64, int64 } from './literals.ts';

/** Operators whose semantics differ between the engines are macros. */
const macroOf: Readonly<Record<Syntax.BinaryOperator, string>> = {
  '+': 'op_add',
  '-': 'op_subtract',
  '*': 'op_multiply',
  '/': 'op_divide',
  '&': 'op_bitand',
  '|': 'op_bitor',
  '^': 'op_bitxor',
  '<<': 'op_shiftleft',
  '>>': 'op_shiftright',
};

export const binary: Rule<Syntax.Binary> = (node, scope, context) => {
  const { operator } = node;
  if (operator !== '<<' && operator !== '>>') refuseNullLiterals(operator, [node.left, node.right]);
  const args = [context.expression(node.left, scope), context.expression(node.right, scope)];
  if (operator === '+' && args.every(({ type }) => isScalar(type, 'STRING')))
    throw new Unsupported(node, '+ does not take (STRING, STRING): texts are joined by ||');
  refuseMonths(node, args);
  refuseAddedText(node, args);
  return callMacro(node, macroOf[operator], args, operator);
};

/** Refuses a literal text beside an integer if it is not the DATE that it would be converted to: it is to be joined. */
function refuseAddedText(node: Syntax.Binary, args: readonly Expression[]): void {
  const at = args.findIndex(({ type }) => isScalar(type, 'INT64'));
  const text = args[1 - at];
  if (node.operator !== '+' || at < 0 || text?.kind !== 'literal' || !isScalar(text.type, 'STRING')) return;
  if (typeof text.value !== 'string') return;
  const added = impliedName(at === 0 ? node.left : node.right) ?? 'value';
  const advice = `; texts are joined by ||, after CAST(${added} AS STRING)`;
  requireMoment(node, text.value, scalar('DATE'), advice);
}

/** Refuses a literal with months, whose length depends on a zone, which a TIMESTAMP does not have. */
function refuseMonths(node: Syntax.Binary, args: readonly Expression[]): void {
  if (args.some((arg) => arg.kind === 'literal' && arg.value === null)) return;
  const interval = args.map(literalInterval).find((one) => one?.part === 'months');
  if (
    interval === undefined ||
    interval.amount === 0n ||
    !args.some(({ type }) => isScalar(type, 'TIMESTAMP'))
  )
    return;
  throw new Unsupported(
    node,
    `TIMESTAMP ${node.operator} INTERVAL takes no months and years: write TIMESTAMP(DATETIME(…) ${node.operator} INTERVAL …)`,
  );
}

export const unary: Rule<Syntax.Unary> = (node, scope, context) => {
  const { operator, operand } = node;
  refuseNullLiterals(operator, [operand]);
  // A number in parentheses is not part of a literal.
  const isSigned = operator === '-' && operand.end === node.end;
  if (isSigned && operand.kind === 'IntegerLiteral') return int64(operand, -operand.value);
  if (isSigned && operand.kind === 'FloatLiteral') return float64(`-${operand.text}`);
  const value = context.expression(operand, scope);
  if (operator === '~') return callMacro(node, 'op_bitnot', [value], operator);
  if (operator === '-') return callMacro(node, 'op_negate', [value], operator);
  if (
    value.type.kind === 'scalar' &&
    !isScalar(value.type, 'INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC', 'INTERVAL')
  )
    throw new Unsupported(node, `+ does not take (${describeType(value.type)})`);
  return value;
};

/** BigQuery refuses a bare NULL as an operand, because the result could only be NULL. */
export function refuseNullLiterals(operator: string, operands: readonly Syntax.Expression[]): void {
  const found = operands.find(({ kind }) => kind === 'NullLiteral');
  if (found === undefined) return;
  const test = nullTests[operator];
  const advice = test === undefined ? '' : `: write ${test}`;
  throw new Unsupported(found, `operands of ${operator} cannot be literal NULL${advice}`);
}

/** How a comparison with NULL is written that is meant to be true of some value. */
const nullTests: Readonly<Record<string, string>> = {
  '=': 'IS NULL',
  '!=': 'IS NOT NULL',
};

export const concatenation: Rule<Syntax.Concatenation> = (node, scope, context) => {
  const operands = node.operands.map((operand) => context.expression(operand, scope));
  refuseNullLiterals('||', node.operands);
  if (operands.some(({ type }) => type.kind === 'array')) return concatenateArrays(node, '||', operands);
  return passCollation(operands, (texts) => concatenateTexts(node, '||', texts));
};

/** Joins BYTES, or values that can be cast to STRING. */
export function concatenateTexts(place: Place, name: string, values: readonly Expression[]): Expression {
  const type = scalar(values.some(({ type }) => isScalar(type, 'BYTES')) ? 'BYTES' : 'STRING');
  const parts = values.map((value) => {
    const isText = value.type.kind !== 'scalar' || isScalar(value.type, 'STRING', 'BYTES');
    return isText ? value : callMacro(place, 'cast_string', [value], name);
  });
  if (parts.some((part) => distance(part, type) === undefined)) {
    const types = values.map((value) => describeType(value.type)).join(', ');
    throw new Unsupported(place, `${name} does not take (${types})`);
  }
  const texts = parts.map((part) => convert(part, type));
  return texts.length === 1 && texts[0] ? texts[0] : operation('||', texts, type);
}

/** Joins arrays; NULL if one of them is NULL. */
export function concatenateArrays(place: Place, name: string, arrays: readonly Expression[]): Expression {
  const type = commonSupertype(place, name, arrays);
  if (arrays.some((array) => array.type.kind !== 'array' && array.type.kind !== 'unknown'))
    throw new Unsupported(place, `${name} takes arrays`);
  const parts = arrays.map((array) => convert(array, type));
  // Unlike its function for lists, DuckDB's operator gives NULL for NULL.
  if (parts.length === 1 && parts[0]) return parts[0];
  const joined = operation('||', parts, type);
  // Of a constant NULL DuckDB makes a value without a type.
  return parts.some((part) => part.kind === 'literal') ? castTo(joined, type) : joined;
}

export const comparison: Rule<Syntax.Comparison> = (node, scope, context) => {
  const { operator } = node;
  refuseNullLiterals(operator, [node.left, node.right]);
  return compare(node, operator, context.expression(node.left, scope), context.expression(node.right, scope));
};

export const logical: Rule<Syntax.Logical> = (node, scope, context) => {
  const operands = node.operands.map((operand) => {
    const value = context.expression(operand, scope);
    requireBool(operand, value, node.operator);
    return convert(value, scalar('BOOL'));
  });
  return node.operator === 'AND' ? and(operands) : or(operands);
};

export const negation: Rule<Syntax.Not> = ({ operand }, scope, context) => {
  refuseNullLiterals('NOT', [operand]);
  const value = context.expression(operand, scope);
  requireBool(operand, value, 'NOT');
  return not(value);
};
