import { foldName } from '@querygate/text';
import type * as Syntax from '../syntax/nodes.ts';
import type { Expression } from '../tree/nodes.ts';
import { describeType, sameName, type Type } from '../types.ts';
import { letValues } from './bind-values.ts';
import { convert, distance } from './coercion.ts';
import type { Context } from './context.ts';
import { isForeign, javascriptCall, requireJavascript } from './javascript-call.ts';
import { argumentsOfOwnQuery } from './own-aggregate.ts';
import { resolveType } from './resolve-type.ts';
import {
  aggregatedScope,
  type ColumnUse,
  outermost,
  refuseCall,
  type Scope,
  type SqlFunction,
} from './scope.ts';
import { Unsupported } from './unsupported.ts';

/**
 * The functions that a query defines before its SELECT, by lower-cased name; each may call those before it.
 *
 * @param attempt runs a step whose failure must not hide the problems of the others
 */
export function sqlFunctions(
  definitions: readonly Syntax.CreateFunction[],
  attempt: (step: () => void) => void = (step) => step(),
): ReadonlyMap<string, SqlFunction> {
  const functions = new Map<string, SqlFunction>();
  for (const definition of definitions) {
    const [name, another] = definition.name.parts;
    const lower = foldName(name.name);
    attempt(() => {
      if (another) throw new Unsupported(definition.name, 'a temporary function has a name without dots');
      if (functions.has(lower)) throw new Unsupported(definition.name, `${name.name} is defined twice`);
      const problem = problemOf(definition);
      functions.set(lower, { definition, problem, earlier: new Map(functions) });
      if (problem) throw problem;
    });
  }
  return functions;
}

function problemOf(definition: Syntax.CreateFunction): Unsupported | undefined {
  try {
    if (isForeign(definition)) requireJavascript(definition);
  } catch (error) {
    if (error instanceof Unsupported) return error;
    throw error;
  }
  const option = definition.options.find(({ name: { name } }) => !sameName(name, 'description'));
  return option && new Unsupported(option, `the option ${option.name.name} of a function is not supported`);
}

const inBody = {
  aggregate: 'only CREATE TEMP AGGREGATE FUNCTION defines a function with an aggregate function in it',
  window: 'a function of a query takes no window function, except for one in a subquery',
};

/** The body of a function with its arguments, which are converted to the declared types. */
export function callSqlFunction(
  node: Syntax.FunctionCall,
  called: SqlFunction,
  scope: Scope,
  context: Context,
): Expression {
  const { definition, problem } = called;
  if (problem) throw problem;
  context.countInlinedCall(node);
  if (definition.aggregate) refuseCall(node, 'aggregate', scope);
  const { parameters, body, returns, aggregate: isOfRows } = definition;
  const shown = definition.name.parts[0].name;
  const args = argumentsInOrder(node, definition).map((arg, index) => {
    const { type, ofGroup } = parameters[index] ?? {};
    const value = isOfRows && !ofGroup ? rowValue(arg, scope, context) : context.expression(arg, scope);
    return type === undefined || type === 'ANY TYPE' ? value : converted(arg, value, resolveType(type));
  });
  if (isForeign(definition)) return javascriptCall(definition, args);
  if (body.kind === 'ForeignBody') throw new Unsupported(node, `${shown} is not written in SQL`);
  const resolve = (values: readonly Expression[]) => resolveBody(body, called, values, scope, context);
  // Its aggregates read the rows, for which no name is computed before.
  const result = isOfRows ? resolve(args) : letValues(node, args, resolve, !hasRows(scope));
  return returns ? converted(body, result, resolveType(returns)) : result;
}

const hasRows = ({ ranges, parent }: Scope): boolean =>
  ranges.length > 0 || (parent !== undefined && hasRows(parent));

function resolveBody(
  body: Syntax.Expression,
  { definition: { parameters, aggregate: isOfRows }, earlier }: SqlFunction,
  values: readonly Expression[],
  scope: Scope,
  context: Context,
): Expression {
  const columns = parameters.map(({ name }, index) => ({
    name: name.name,
    value: values[index] as Expression,
  }));
  const uses: ColumnUse[] = [];
  const inner: Scope = {
    parent: { parent: undefined, ranges: [], relations: outermost(scope).relations, functions: earlier },
    ranges: [{ name: undefined, columns }],
    relations: new Map(),
    refused: isOfRows ? { window: inBody.window } : inBody,
    uses,
  };
  const value = context.expression(body, inner);
  const ofRow = uses.find((use) =>
    parameters.some(({ name, ofGroup }) => !ofGroup && sameName(name.name, use.name.split('.')[0] ?? '')),
  );
  if (isOfRows && ofRow)
    throw new Unsupported(
      ofRow.place,
      `${ofRow.name} is not in an aggregate function: put it in one, or declare it NOT AGGREGATE`,
    );
  return value;
}

/** The arguments of a call in the order of the parameters; those after the first may name theirs. */
function argumentsInOrder(
  node: Syntax.FunctionCall,
  { name, parameters }: Syntax.CreateFunction,
): readonly Syntax.Expression[] {
  const shown = name.parts[0].name;
  if (node.args.length !== parameters.length)
    throw new Unsupported(
      node,
      `${shown} takes ${parameters.length} argument${parameters.length === 1 ? '' : 's'}`,
    );
  const ordered: Syntax.Expression[] = [];
  let isNamed = false;
  for (const [index, arg] of node.args.entries()) {
    if (arg.kind === 'StarArgument') throw new Unsupported(arg, `${shown} takes no *`);
    if (arg.kind !== 'NamedArgument') {
      if (isNamed) throw new Unsupported(arg, 'named arguments come after all others');
      ordered[index] = arg;
      continue;
    }
    isNamed = true;
    const at = parameters.findIndex((parameter) => sameName(parameter.name.name, arg.name.name));
    if (at < 0) throw new Unsupported(arg, `${shown} has no argument named ${arg.name.name}`);
    if (ordered[at]) throw new Unsupported(arg, `the argument ${arg.name.name} is given twice`);
    ordered[at] = arg.value;
  }
  return ordered;
}

/** An argument of a function that aggregates. */
function rowValue(node: Syntax.Expression, scope: Scope, context: Context): Expression {
  const value = context.expression(node, aggregatedScope(scope));
  return argumentsOfOwnQuery([value], scope)[0] ?? value;
}

function converted(place: Syntax.Node, value: Expression, type: Type): Expression {
  if (distance(value, type) === undefined)
    throw new Unsupported(place, `expected ${describeType(type)}, got ${describeType(value.type)}`);
  return convert(value, type);
}
