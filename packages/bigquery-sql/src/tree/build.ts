import { duckdbType, nullType, scalar, structOf, type Type, unknown } from '../types.ts';
import { mapParts, someNode, unchanged } from './map.ts';
import type {
  Aggregate,
  Call,
  Case,
  Column,
  Element,
  Expression,
  Field,
  InfixOperator,
  Lambda,
  List,
  Literal,
  Local,
  Member,
  Node,
  Operation,
  Operator,
  Select,
  Struct,
} from './nodes.ts';

const bool = scalar('BOOL');

export const literal = (type: Type, value: Literal['value']): Literal => ({ kind: 'literal', type, value });

/** A STRING. */
export const textLiteral = (value: string): Literal => literal(scalar('STRING'), value);

/** An INT64. */
export const integerLiteral = (value: number | bigint): Literal => literal(scalar('INT64'), BigInt(value));

export const boolLiteral = (value: boolean): Literal => literal(bool, value);

/** NULL of a type; bare by default. */
export const nullLiteral = (type: Type = nullType): Literal => literal(type, null);

/** A call of a function or macro of DuckDB. */
export const call = (name: string, args: readonly Expression[], type: Type = unknown): Call => ({
  kind: 'call',
  function: name,
  args,
  type,
});

/** An operator with its operands; a BOOL by default. */
export const operation = (
  operator: Operator,
  operands: readonly Expression[],
  type: Type = bool,
): Operation => ({ kind: 'operation', operator, operands, type });

/** A comparison, which is a BOOL. */
export const compareWith = (operator: InfixOperator, left: Expression, right: Expression): Operation =>
  operation(operator, [left, right]);

/** The condition that a value is NULL. */
export const isNull = (value: Expression): Operation => operation('IS NULL', [value]);

/** The opposite of a BOOL; NULL stays NULL. */
export const not = (value: Expression): Operation => operation('NOT', [value]);

/** All conditions hold; nested conjunctions are joined into one. */
export function and(conditions: readonly Expression[]): Expression {
  const flat = conditions.flatMap((condition) =>
    condition.kind === 'operation' && condition.operator === 'AND' ? condition.operands : [condition],
  );
  const [only, another] = flat;
  if (only === undefined) return boolLiteral(true);
  return another === undefined ? only : operation('AND', flat);
}

/** The conditions that all hold if one does. */
export const conjunctsOf = (condition: Expression): readonly Expression[] =>
  condition.kind === 'operation' && condition.operator === 'AND'
    ? condition.operands.flatMap(conjunctsOf)
    : [condition];

/** One of the conditions holds. */
export function or(conditions: readonly Expression[]): Expression {
  const [only, another] = conditions;
  if (only === undefined) return boolLiteral(false);
  return another === undefined ? only : operation('OR', conditions);
}

/** Texts joined by `||`: NULL if one of them is NULL. */
export const concatTexts = (parts: readonly Expression[]): Expression => {
  const [only, another] = parts;
  if (only === undefined) return textLiteral('');
  return another === undefined ? only : operation('||', parts, scalar('STRING'));
};

/** A cast by DuckDB's rules to the type that holds values of a BigQuery type, or to another one of DuckDB's. */
export const castTo = (value: Expression, type: Type, to?: string): Expression => ({
  kind: 'cast',
  value,
  type,
  ...(to !== undefined && to !== duckdbType(type) && { to }),
});

/** A CASE with one branch; NULL without `otherwise`. */
export const caseWhen = (
  when: Expression,
  result: Expression,
  otherwise?: Expression,
  type: Type = result.type,
): Case => ({
  kind: 'case',
  branches: [{ when, result }],
  type,
  ...(otherwise && { otherwise }),
});

/** A column of a FROM item, by the alias of the item. */
export const column = (from: string, name: string, type: Type, required = false): Column => ({
  kind: 'column',
  from,
  name,
  type,
  ...(required && { required }),
});

/** A field of a struct; DuckDB forgets the types of the fields of a NULL. */
export const field = (of: Expression, name: string, type: Type): Field | Literal =>
  of.kind === 'literal' ? nullLiteral(type) : { kind: 'field', of, name, type };

/** A STRUCT of named values. */
export const struct = (fields: readonly Member[]): Struct => ({
  kind: 'struct',
  fields,
  type: structOf(fields.map(({ name, value }) => ({ name, type: value.type }))),
});

/** An ARRAY of values. */
export const list = (items: readonly Expression[], type: Type = unknown): List => ({
  kind: 'list',
  items,
  type,
});

export const element = (of: Expression, index: number, type: Type): Element => ({
  kind: 'element',
  of,
  index,
  type,
});

let locals = 0;

/** A parameter for a lambda that is built later. */
export const newLocal = (type: Type): Local => ({ kind: 'local', id: ++locals, type });

/** A lambda; its body gets the parameters as expressions. */
export function lambda(
  types: readonly Type[],
  body: (...parameters: readonly Local[]) => Expression,
): Lambda {
  const parameters = types.map(newLocal);
  return {
    kind: 'lambda',
    parameters: parameters.map(({ id }) => id),
    body: body(...parameters),
    type: unknown,
  };
}

/** Each element of a list changed by a function. */
export const transformList = (
  items: Expression,
  elementType: Type,
  body: (element: Local) => Expression,
  type: Type = unknown,
): Call => call('list_transform', [items, lambda([elementType], (local = never()) => body(local))], type);

/**
 * Computes values once and hands them to an expression that uses them repeatedly: DuckDB has no LET, but computes the
 * element of a list once for a lambda. A subquery in the body must not depend on the values.
 */
export function computeFirst(
  values: readonly Expression[],
  body: (...values: readonly Expression[]) => Expression,
): Expression {
  const [only, another] = values;
  if (only !== undefined && another === undefined) {
    const { transformed, type } = transformOne(list([only]), only.type, (local) => body(local));
    return element(transformed, 1, type);
  }
  // A struct with names would fail in UNNEST of an array of the row: DuckDB loses the names there.
  const { transformed, type } = transformOne(list([call('row', values)]), unknown, (local) =>
    body(...values.map((value, at) => element(local, at + 1, value.type))),
  );
  return element(transformed, 1, type);
}

/**
 * An expression over some of its parts, each of which is computed once before it, as are its subqueries and aggregates: a
 * lambda can't have these.
 */
export function computedBefore(node: Expression, parts: readonly Expression[]): Expression {
  const values: Expression[] = [...parts];
  const isPart = (inner: Node) => parts.some((part) => part === inner);
  const replaced = (part: Expression, replace: (value: Expression) => Expression): Expression => {
    const isApart = part.kind === 'subquery' || part.kind === 'aggregate';
    const isComputed = isPart(part) || (isApart && !someNode(part, isPart));
    return isComputed
      ? replace(part)
      : mapParts(part, { ...unchanged, expression: (inner) => replaced(inner, replace) });
  };
  replaced(node, (value) => {
    if (!values.includes(value)) values.push(value);
    return value;
  });
  return computeFirst(values, (...computed) =>
    replaced(node, (value) => computed[values.indexOf(value)] ?? value),
  );
}

function transformOne(items: Expression, elementType: Type, body: (local: Local) => Expression) {
  const inner = lambda([elementType], (local = never()) => body(local));
  return { transformed: call('list_transform', [items, inner]), type: inner.body.type };
}

/** A SELECT with only the clauses given. */
export const select = (
  clauses: Pick<Select, 'columns'> & Partial<Omit<Select, 'kind' | 'columns'>>,
): Select => ({
  kind: 'select',
  distinct: false,
  where: [],
  having: [],
  qualify: [],
  orderBy: [],
  ...clauses,
});

function never(): never {
  throw new Error('a lambda has as many parameters as types');
}

/** An aggregate or window function. */
export const aggregate = (
  name: string,
  args: readonly Expression[],
  type: Type,
  clauses: Omit<Aggregate, 'kind' | 'function' | 'args' | 'type'> = {},
): Aggregate => ({ kind: 'aggregate', function: name, args, type, ...clauses });

/**
 * The inverse of `computeFirst`: the arguments and the result of a call whose arguments are computed once: `list_transform([row(a, b)], x -> f(x[1], x[2]))[1]`.
 */
export function callOnce(
  value: Expression,
):
  | { readonly parameter: number; readonly args: readonly Expression[]; readonly result: Expression }
  | undefined {
  if (value.kind !== 'element' || value.index !== 1) return undefined;
  const { of } = value;
  if (of.kind !== 'call' || of.function !== 'list_transform') return undefined;
  const [list, lambda] = of.args;
  if (list?.kind !== 'list' || lambda?.kind !== 'lambda') return undefined;
  const [item, another] = list.items;
  const [parameter] = lambda.parameters;
  if (item === undefined || another !== undefined || parameter === undefined) return undefined;
  return {
    parameter,
    args: item.kind === 'struct' ? item.fields.map(({ value: field }) => field) : rowItems(item),
    result: lambda.body,
  };
}

const rowItems = (item: Expression): readonly Expression[] =>
  item.kind === 'call' && item.function === 'row' ? item.args : [item];
