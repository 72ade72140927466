import type * as Syntax from '../../syntax/nodes.ts';
import type { Expression } from '../../tree/nodes.ts';
import { typedNulls } from '../../types.ts';
import type { Context, Rule } from '../context.ts';
import { functionCall } from '../functions/calls.ts';
import { extraction } from '../functions/extract.ts';
import type { Scope } from '../scope.ts';
import { cast } from './casts.ts';
import { fieldAccess, path } from './column-paths.ts';
import { caseExpression, withExpression } from './conditionals.ts';
import { namedParameter, positionalParameter, systemVariable } from './constant-values.ts';
import { arrayConstructor, structConstructor, tuple } from './constructors.ts';
import { intervalLiteral } from './intervals.ts';
import * as literals from './literals.ts';
import * as operators from './operators.ts';
import * as predicates from './predicates.ts';
import { arraySubquery, exists, scalarSubquery } from './subqueries.ts';
import { subscript } from './subscripts.ts';

/** One rule for each kind of expression. */
const rules: { readonly [Kind in Syntax.Expression['kind']]: Rule<Syntax.NodeOf<Kind>> } = {
  Path: path,
  FieldAccess: fieldAccess,
  Subscript: subscript,
  NullLiteral: literals.nullValue,
  BooleanLiteral: literals.booleanLiteral,
  IntegerLiteral: literals.integer,
  FloatLiteral: literals.floatLiteral,
  StringLiteral: literals.stringLiteral,
  BytesLiteral: literals.bytesLiteral,
  TypedLiteral: literals.typedLiteral,
  RangeLiteral: literals.rangeLiteral,
  IntervalLiteral: intervalLiteral,
  NamedParameter: namedParameter,
  PositionalParameter: positionalParameter,
  SystemVariable: systemVariable,
  ArrayConstructor: arrayConstructor,
  StructConstructor: structConstructor,
  Tuple: tuple,
  Unary: operators.unary,
  Binary: operators.binary,
  Concatenation: operators.concatenation,
  Comparison: operators.comparison,
  Logical: operators.logical,
  Not: operators.negation,
  Is: predicates.is,
  IsDistinctFrom: predicates.isDistinctFrom,
  Between: predicates.between,
  Like: predicates.like,
  QuantifiedLike: predicates.quantifiedLike,
  In: predicates.isIn,
  Case: caseExpression,
  Cast: cast,
  Extraction: extraction,
  FunctionCall: functionCall,
  WithExpression: withExpression,
  ScalarSubquery: scalarSubquery,
  ArraySubquery: arraySubquery,
  Exists: exists,
};

/** Expressions that are converted more freely than others; `unary` decides about a literal with a sign. */
const literalKinds: ReadonlySet<Syntax.Expression['kind']> = new Set([
  'NullLiteral',
  'BooleanLiteral',
  'IntegerLiteral',
  'FloatLiteral',
  'StringLiteral',
  'BytesLiteral',
  'TypedLiteral',
  'Unary',
]);

/** An expression of the syntax tree with its names and types resolved. */
export function resolveExpression(node: Syntax.Expression, scope: Scope, context: Context): Expression {
  const value = (rules[node.kind] as Rule<Syntax.Expression>)(node, scope, context);
  if (value.kind !== 'literal' || literalKinds.has(node.kind)) return value;
  return { ...value, type: typedNulls(value.type), hasFixedType: true };
}
