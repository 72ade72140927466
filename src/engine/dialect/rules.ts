import { arrayExpr, arrayLiteral } from './expr/arrays.ts';
import { cast } from './expr/casts.ts';
import { caseExpr } from './expr/conditionals.ts';
import { identifier, memberExpr } from './expr/identifiers.ts';
import { interval } from './expr/intervals.ts';
import { jsonLiteral } from './expr/json-literals.ts';
import * as literals from './expr/literals.ts';
import { between, binaryExpr, prefixOp } from './expr/operators.ts';
import { structExpr, typedExpr } from './expr/structs.ts';
import { arrayConstructor, parenExpr } from './expr/subqueries.ts';
import { call } from './functions/calls.ts';
import { extract } from './functions/extract.ts';
import { fromItem } from './query/from.ts';
import { query } from './query/select.ts';
import type { Rule, Rules } from './translator.ts';

/** BigQuery's syntax, as far as it is supported. */
export const rules: Rules = {
  query,
  from: fromItem,
  expressions: {
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
    interval_literal: interval,
    json_literal: jsonLiteral,
    parameter: literals.parameter,
    identifier,
    member_expr: memberExpr,
    paren_expr: parenExpr,
    // The parser's type allows trigger events as operands, which no SELECT contains.
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
  },
};
