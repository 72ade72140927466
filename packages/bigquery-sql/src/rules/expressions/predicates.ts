import type * as Syntax from '../../syntax/nodes.ts';
import {
  aggregate,
  and,
  boolLiteral,
  caseWhen,
  column,
  isNull,
  not,
  nullLiteral,
  operation,
  or,
  select,
  transformList,
} from '../../tree/build.ts';
import type { Expression, Literal, Query } from '../../tree/nodes.ts';
import { isRandom } from '../../tree/volatile.ts';
import { arrayOf, describeType, isScalar, scalar, type Type, unknown } from '../../types.ts';
import { bindValues } from '../bind-values.ts';
import { convert, supertype } from '../coercion.ts';
import { isCollated } from '../collation.ts';
import type { Context, Rule } from '../context.ts';
import { callMacro } from '../macro-call.ts';
import { requireComparable } from '../moment-text.ts';
import type { Scope } from '../scope.ts';
import { cureOf, type Place, Unsupported } from '../unsupported.ts';
import { comparable, compare, containsValue, requireBool } from './comparison.ts';
import { refuseNullLiterals } from './operators.ts';
import { unnestedArray } from './subscripts.ts';

const bool = scalar('BOOL');

/** `x IS NULL`, `IS TRUE`, `IS FALSE`, `IS UNKNOWN` and their negations. */
export const is: Rule<Syntax.Is> = ({ operand, negated, value: expected }, scope, context) => {
  const value = context.expression(operand, scope);
  if (expected !== 'NULL') requireBool(operand, value, `IS ${expected}`);
  const word = expected === 'UNKNOWN' ? 'NULL' : expected;
  return operation(`IS ${negated ? 'NOT ' : ''}${word}` as const, [value]);
};

export const isDistinctFrom: Rule<Syntax.IsDistinctFrom> = (node, scope, context) =>
  compare(
    node,
    node.negated ? 'IS NOT DISTINCT FROM' : 'IS DISTINCT FROM',
    context.expression(node.left, scope),
    context.expression(node.right, scope),
  );

export const between: Rule<Syntax.Between> = (node, scope, context) => {
  const values = [node.operand, node.low, node.high].map((part) => context.expression(part, scope));
  const [value = nullLiteral(), low = nullLiteral(), high = nullLiteral()] = values;
  const type = supertype(values) ?? unknown;
  const bounded = isScalar(type, 'FLOAT64') ? convert(value, type) : value;
  const tests = [compare(node.low, '>=', bounded, low), compare(node.high, '<=', bounded, high)];
  const areFloats =
    values.some((one) => isScalar(one.type, 'FLOAT64')) && !isScalar(type, 'NUMERIC', 'BIGNUMERIC');
  if (areFloats || values.some((one) => isCollated(one.type))) return negate(and(tests), node.negated);
  return operation(
    node.negated ? 'NOT BETWEEN' : 'BETWEEN',
    values.map((side) => convert(side, type)),
  );
};

const negate = (test: Expression, negated: boolean): Expression => (negated ? not(test) : test);

/** `x IN (…)`, `x IN (SELECT …)`, `x IN UNNEST(array)`. */
export const isIn: Rule<Syntax.In> = (node, scope, context) => {
  const value = context.expression(node.operand, scope);
  const { values, negated } = node;
  switch (values.kind) {
    case 'ExpressionList':
      return inList(values.items, value, negated, scope, context);
    case 'Query':
      return inQuery(values, value, negated, scope, context);
    case 'UnnestedValues':
      return negate(inArray(values.array, value, unnestedArray(values.array, scope, context)), negated);
  }
};

function inList(
  nodes: readonly Syntax.Expression[],
  value: Expression,
  negated: boolean,
  scope: Scope,
  context: Context,
): Expression {
  const members = nodes.map((node) => {
    const member = context.expression(node, scope);
    if (comparable(value, member)) return member;
    if (member.type.kind === 'array' && value.type.kind !== 'array')
      throw new Unsupported(node, 'an array is searched with IN UNNEST(array), not with IN (array)');
    throw new Unsupported(
      node,
      `${describeType(member.type)} cannot be compared with ${describeType(value.type)}${cureOf([value.type, member.type])}`,
    );
  });
  const all = [value, ...members];
  const type = supertype(all) ?? unknown;
  if (nodes[0] && needsComparison(all)) {
    const place = nodes[0];
    const compared = isScalar(type, 'FLOAT64') ? all.map((side) => convert(side, type)) : all;
    const test = bindValues(compared, (x = value, ...others) =>
      or(others.map((other) => compare(place, '=', x, other))),
    );
    return negate(test, negated);
  }
  for (const [at, node] of nodes.entries()) requireComparable(node, members[at] ?? value, type);
  return operation(
    negated ? 'NOT IN' : 'IN',
    all.map((side) => convert(side, type)),
  );
}

/** True if `=` of the engines differs: for structs, arrays and collations, and for NaN. */
const needsComparison = (values: readonly Expression[]): boolean =>
  values.some(
    ({ type }) =>
      type.kind === 'struct' || type.kind === 'array' || isScalar(type, 'JSON') || isCollated(type),
  ) ||
  (values.some(({ type }) => isScalar(type, 'FLOAT64')) &&
    values.slice(1).some(({ kind, type }) => kind !== 'literal' && isScalar(type, 'FLOAT64')));

function inArray(place: Place, value: Expression, array: Expression): Expression {
  const { type } = array;
  if (type.kind === 'unknown' || type.kind === 'null') return containsValue(value, array);
  const element = type.kind === 'array' ? nullOf(type.element) : array;
  // The elements of a constructed array may be literals, but the fields of its structs have types.
  const isLiteral = array.kind === 'list' && array.items.length > 0 && element.type.kind !== 'struct';
  const members = isLiteral ? array.items : [element];
  if (type.kind !== 'array' || !members.every((member) => comparable(value, member)))
    throw new Unsupported(place, `${describeType(value.type)} cannot be in ${describeType(type)}`);
  const common = supertype([value, ...members]) ?? unknown;
  if (needsComparison([value, element, element]) && !isScalar(common, 'NUMERIC', 'BIGNUMERIC'))
    return bindValues([value], (x = value) =>
      containsValue(
        boolLiteral(true),
        transformList(array, type.element, (other) => compare(place, '=', x, other), arrayOf(bool)),
      ),
    );
  return containsValue(convert(value, common), convert(array, arrayOf(common)));
}

/** A placeholder for the elements of an array, of which only the type is known. */
const nullOf = (type: Expression['type']): Expression => ({ kind: 'local', id: 0, type });

/** The column of a subquery that IN and LIKE ANY compare with. */
function onlyColumn(node: Syntax.Query, scope: Scope, context: Context) {
  const { query, columns } = context.query(node, scope);
  const [only, another] = columns;
  if (!only || another)
    throw new Unsupported(node, 'the subquery must have one column: use SELECT AS STRUCT for several');
  return { query, ...only };
}

function inQuery(
  node: Syntax.Query,
  value: Expression,
  negated: boolean,
  scope: Scope,
  context: Context,
): Expression {
  const { query, column: name, type } = onlyColumn(node, scope, context);
  const alias = context.fresh('members');
  const member = column(alias, name, type);
  if (!comparable(value, member))
    throw new Unsupported(
      node,
      `${describeType(type)} cannot be compared with ${describeType(value.type)}${cureOf([value.type, type])}`,
    );
  const derived = { kind: 'derived', alias, query } as const;
  if (needsComparison([value, member, member])) {
    if (isRandom(value)) return negate(inArray(node, value, rowsAsArray(query, type)), negated);
    return negate(anyRow(compare(node, '=', value, member), derived), negated);
  }
  const common = supertype([value, member]) ?? unknown;
  const converted = convert(member, common);
  const members =
    converted === member ? query : select({ columns: [{ name, value: converted }], from: derived });
  return {
    kind: 'subquery',
    form: negated ? 'not in' : 'in',
    query: members,
    value: convert(value, common),
    type: bool,
  };
}

/** The only column of a subquery: a random value must not be drawn for each of its rows. */
const rowsAsArray = (query: Query, type: Type): Expression => ({
  kind: 'subquery',
  form: 'array',
  query,
  type: arrayOf(type),
});

/** An expression that is true if a test holds for some row, and NULL if it holds for none but is NULL for some. */
function anyRow(test: Expression, from: Parameters<typeof select>[0]['from'] & object): Expression {
  const some = (condition: Expression) => aggregate('bool_or', [condition], bool);
  const value = caseWhen(
    some(test),
    boolLiteral(true),
    caseWhen(some(isNull(test)), nullLiteral(bool), boolLiteral(false), bool),
    bool,
  );
  return {
    kind: 'subquery',
    form: 'scalar',
    query: select({ columns: [{ name: 'found', value }], from }),
    type: bool,
  };
}

/** DuckDB matches a constant pattern without "_" and "\\" in linear time. */
const likeCall = (place: Place, args: readonly Expression[]): Expression => {
  const [, pattern] = args;
  const isText = pattern?.kind === 'literal' && isScalar(pattern.type, 'STRING');
  if (pattern?.kind === 'literal' && /^(?:[^\\]|\\.)*\\$/s.test(writtenText(pattern)))
    throw new Unsupported(place, 'the pattern of LIKE ends with a backslash');
  const isConstant = isText && /^[^_\\]*$/.test(String(pattern.value));
  return callMacro(place, isConstant ? 'like_constant' : 'op_like', args, 'LIKE');
};

/** A literal of STRING or BYTES, of which each byte is a character. */
const writtenText = ({ type, value }: Literal): string =>
  isScalar(type, 'BYTES') ? Buffer.from(String(value), 'hex').toString('latin1') : String(value);

export const like: Rule<Syntax.Like> = (node, scope, context) => {
  refuseNullLiterals('LIKE', [node.operand, node.pattern]);
  const args = [context.expression(node.operand, scope), context.expression(node.pattern, scope)];
  return negate(likeCall(node, args), node.negated);
};

/** `x LIKE ANY ('a%', 'b%')`, also SOME and ALL. NOT LIKE ANY is true if at least one pattern does not match. */
export const quantifiedLike: Rule<Syntax.QuantifiedLike> = (node, scope, context) => {
  const { patterns, negated } = node;
  const value = context.expression(node.operand, scope);
  const every = node.quantifier === 'ALL';
  const test = (place: Place, pattern: Expression, x: Expression) =>
    negate(likeCall(place, [x, pattern]), negated);
  const likeAnyOf = (array: Expression) => {
    const element = array.type.kind === 'array' ? array.type.element : unknown;
    return bindValues([value], (x = value) => {
      const tests = transformList(array, element, (pattern) => test(patterns, pattern, x), arrayOf(bool));
      return every ? not(containsValue(boolLiteral(false), tests)) : containsValue(boolLiteral(true), tests);
    });
  };
  switch (patterns.kind) {
    case 'ExpressionList': {
      const all = patterns.items.map((item) => context.expression(item, scope));
      const tests = all.map((pattern, index) => test(patterns.items[index] ?? node, pattern, value));
      return every ? and(tests) : or(tests);
    }
    case 'UnnestedValues':
      return likeAnyOf(unnestedArray(patterns.array, scope, context));
    case 'Query': {
      const { query, column: name, type } = onlyColumn(patterns, scope, context);
      if (isRandom(value)) return likeAnyOf(rowsAsArray(query, type));
      const alias = context.fresh('patterns');
      const matches = test(patterns, column(alias, name, type), value);
      const from = { kind: 'derived', alias, query } as const;
      return every ? not(anyRow(not(matches), from)) : anyRow(matches, from);
    }
  }
};
