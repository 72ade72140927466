import { parseDecimal } from '@querygate/text';
import { isSharedMoment } from '../rules/moment-text.ts';
import { literal, operation } from '../tree/build.ts';
import type { Expression, Operator } from '../tree/nodes.ts';
import { isScalar, numericDigits, type ScalarName, scalar, scalarNames, type Type } from '../types.ts';

/** The operators of predicates, by what they take. */
const logical: ReadonlySet<Operator> = new Set(['AND', 'OR']);
const tests: ReadonlySet<Operator> = new Set(['NOT', 'IS TRUE', 'IS NOT TRUE', 'IS FALSE', 'IS NOT FALSE']);
const nullTests: ReadonlySet<Operator> = new Set(['IS NULL', 'IS NOT NULL']);
const comparisons: ReadonlySet<Operator> = new Set(['=', '<>', '<', '<=', '>', '>=']);
const ranges: ReadonlySet<Operator> = new Set(['BETWEEN', 'NOT BETWEEN']);
const lists: ReadonlySet<Operator> = new Set(['IN', 'NOT IN']);

/** Conditions with more parts are not worth it. */
export const maxParts = 200;
/** The same of parts within parts. */
export const maxDepth = 50;

/** True if an operator of predicates takes operands of these types without a conversion, which could fail. */
export function takes(operator: Operator, types: readonly Type[]): boolean {
  const [first] = types;
  if (nullTests.has(operator)) return types.length === 1;
  const areBools = types.every((type) => isScalar(type, 'BOOL'));
  if (tests.has(operator)) return types.length === 1 && areBools;
  if (logical.has(operator)) return types.length >= 2 && areBools;
  if (first?.kind !== 'scalar' || !types.every((type) => isScalar(type, first.name))) return false;
  if (comparisons.has(operator)) return types.length === 2;
  return ranges.has(operator) ? types.length === 3 : lists.has(operator) && types.length >= 2;
}

/** The columns and parameters that conditions may name. */
interface PredicateNames {
  /** @throws Error if it is not a column that can be compared */
  readonly column: (path: string) => Expression;
  /** The type of a declared parameter. */
  readonly parameterType: (name: string) => Type | undefined;
}

/**
 * Reads the predicates of one table. Each node is built here: what the other process has sent is not trusted.
 *
 * @returns builds the condition of one predicate; it throws Error if that is not valid
 */
export function conditionReader(names: PredicateNames): (part: unknown) => Expression {
  let parts = 0;
  const read = (part: unknown, depth: number): Expression => {
    parts += 1;
    if (parts > maxParts || depth > maxDepth) throw new Error('the predicates have too many parts');
    if (typeof part !== 'object' || part === null) throw new Error('a predicate is an object');
    if ('operator' in part && 'operands' in part) {
      if (!Array.isArray(part.operands)) throw new Error('operands are a list');
      const operands = part.operands.map((operand) => read(operand, depth + 1));
      // `takes` says no for other operators.
      const operator = part.operator as Operator;
      if (
        !takes(
          operator,
          operands.map(({ type }) => type),
        )
      )
        throw new Error(`the operator ${String(operator)} does not take these operands`);
      return operation(operator, operands);
    }
    if ('column' in part) return names.column(String(part.column));
    if ('parameter' in part) return parameterOf(String(part.parameter), names);
    return literalOf(part);
  };
  return (part) => {
    const condition = read(part, 1);
    if (!isScalar(condition.type, 'BOOL')) throw new Error('a condition is a BOOL');
    return condition;
  };
}

function parameterOf(name: string, { parameterType }: PredicateNames): Expression {
  const type = parameterType(name);
  if (type?.kind !== 'scalar') throw new Error(`${name} is no parameter that can be compared`);
  return { kind: 'parameter', name, type };
}

function literalOf(part: { readonly type?: unknown; readonly value?: unknown }): Expression {
  const { type: given, value } = part;
  const name = scalarNames.find((known) => known === given);
  if (name === undefined) throw new Error(`${String(given)} is no type of a literal`);
  if (typeof value !== (name === 'BOOL' ? 'boolean' : 'string')) throw new Error(`no ${name}`);
  if (typeof value === 'boolean') return literal(scalar(name), value);
  const text = String(value);
  if (!isCastable(name, text)) throw new Error(`a text is no ${name}`);
  return literal(scalar(name), name === 'INT64' ? BigInt(text) : text);
}

/**
 * True if DuckDB certainly casts a text to a type. A cast that fails may be found only when a row is compared, and
 * would show that the row exists.
 */
export function isCastable(type: ScalarName, text: string): boolean {
  switch (type) {
    case 'STRING':
      return true;
    case 'BYTES':
      return /^(?:[\da-f]{2})*$/i.test(text);
    case 'INT64':
      return /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
    case 'FLOAT64':
      return /^-?(?:inf|(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?)$/i.test(text);
    case 'NUMERIC':
      return parseDecimal(text, numericDigits) === text;
    default:
      return isSharedMoment(type, text);
  }
}
