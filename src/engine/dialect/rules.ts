import { arrayExpr, arrayLiteral } from './rules/arrays.ts';
import { call } from './rules/calls.ts';
import { cast } from './rules/casts.ts';
import { caseExpr } from './rules/conditionals.ts';
import { extract } from './rules/extract.ts';
import * as literals from './rules/literals.ts';
import { intervalLiteral } from './rules/intervals.ts';
import { identifier, memberExpr } from './rules/names.ts';
import { between, binaryExpr, parenExpr, prefixOp } from './rules/operators.ts';
import { structExpr, typedExpr } from './rules/structs.ts';
import { arrayConstructor } from './rules/subqueries.ts';
import type { Rule, Rules } from './translator.ts';

/** The expressions that are understood, and by which rule. */
export const rules: Rules = {
  string_literal: literals.stringLiteral,
  number_literal: literals.numberLiteral,
  boolean_literal: literals.booleanLiteral,
  null_literal: literals.nullLiteral,
  blob_literal: literals.blobLiteral,
  date_literal: literals.dateLiteral,
  time_literal: literals.timeLiteral,
  datetime_literal: literals.datetimeLiteral,
  timestamp_literal: literals.timestampLiteral,
  numeric_literal: literals.numericLiteral,
  parameter: literals.parameter,
  interval_literal: intervalLiteral,
  identifier,
  member_expr: memberExpr,
  paren_expr: parenExpr,
  // The tree's type allows trigger events as operands, which no SELECT holds.
  binary_expr: binaryExpr as Rule,
  prefix_op_expr: prefixOp,
  between_expr: between,
  case_expr: caseExpr,
  cast_expr: cast,
  func_call: call,
  array_expr: arrayExpr,
  array_literal_expr: arrayLiteral,
  array_constructor: arrayConstructor,
  struct_expr: structExpr,
  typed_expr: typedExpr,
  extract_expr: extract,
};
