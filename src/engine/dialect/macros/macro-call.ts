import type { FuncCall, Identifier, MemberExpr, Node } from 'sql-parser-cst';
import { convert, distance } from '../coercion.ts';
import { isMarked } from '../passes/hoist-constants.ts';
import { timeExpressionOfCall } from '../passes/time-expressions.ts';
import type { Sql } from '../scope.ts';
import { describeType, type Type } from '../types.ts';
import { Unsupported } from '../unsupported.ts';
import { computeOnce, isWorthComputingOnce } from './compute-once.ts';
import { macroSizes, macros } from './macros.ts';
import type { Macro } from './parse-macros.ts';

/** A function's name in lower case, with its namespace: `net.host`. */
export const functionName = (name: Identifier | MemberExpr): string =>
  name.type === 'identifier'
    ? name.name.toLowerCase()
    : [name.object, name.property]
        .map((part) => (part.type === 'identifier' ? part.name.toLowerCase() : '?'))
        .join('.');

/** The arguments of a call that takes no DISTINCT, ORDER BY and the like. */
export function plainArguments(node: FuncCall): readonly Node[] {
  const extra = node.over ?? node.filter ?? node.args?.expr.distinctKw ?? node.args?.expr.orderBy;
  if (extra)
    throw new Unsupported(
      extra,
      `${functionName(node.name).toUpperCase()} is not an aggregate or window function`,
    );
  return node.args?.expr.args.items ?? [];
}

/**
 * Calls the signature of the macro that fits the arguments best.
 *
 * @param shown the name of the function in messages
 */
export function callMacro(node: Node, name: string, args: readonly Sql[], shown = name.toUpperCase()): Sql {
  const signature = chooseSignature(macros.get(name) ?? [], args);
  const inUtc = signature && args.at(-1)?.known === 'UTC' && signature.parameters.at(-1)?.name === 'zone';
  const shorter = args.slice(0, -1);
  // UTC is the default zone of every function; DuckDB plans the shorter call faster.
  if (inUtc && chooseSignature(macros.get(name) ?? [], shorter)) return callMacro(node, name, shorter, shown);
  const types = args.map(({ type }) => type);
  if (!signature) throw new Unsupported(node, signatureMessage(shown, types));
  if (signature.unsupported !== undefined) throw new Unsupported(node, signature.unsupported);
  const ambiguous = types.some(({ kind }) => kind === 'unknown') && (macros.get(name)?.length ?? 0) > 1;
  const texts = args.map((arg, index) => {
    const type = signature.parameters[index]?.type;
    return type && !ambiguous ? convert(arg, type) : arg.text;
  });
  const callee = ambiguous ? `bq.${name}` : signature.callee;
  const timeExpression = timeExpressionOfCall(name, args);
  return {
    text: withLongArgumentsFirst(callee, signature, texts),
    type: signature.resultType(types),
    ...(timeExpression && { timeExpression }),
  };
}

/** The call, with long arguments that the macro uses repeatedly computed before it. */
function withLongArgumentsFirst(callee: string, signature: Macro, texts: readonly string[]): string {
  const { uses } = macroSizes.expansionOf(signature);
  const isLong = (text: string, at: number) =>
    !isMarked(text) && !isSimpleOperand(text) && isWorthComputingOnce(macroSizes.sizeOf(text), uses[at] ?? 1);
  if (!texts.some(isLong)) return `${callee}(${texts.join(', ')})`;
  // Other operands may contain a subquery or an aggregate, which are not allowed inside a lambda.
  const isComputedFirst = texts.map((text) => !isSimpleOperand(text));
  const values = texts.filter((_, at) => isComputedFirst[at]);
  return computeOnce(values, 'given', (names) => {
    const left = [...names];
    return `${callee}(${texts.map((text, at) => (isComputedFirst[at] ? left.shift() : text)).join(', ')})`;
  });
}

function chooseSignature(signatures: readonly Macro[], args: readonly Sql[]): Macro | undefined {
  const costs = signatures.map((signature) => cost(signature, args));
  const best = Math.min(...costs);
  return best === Number.POSITIVE_INFINITY ? undefined : signatures[costs.indexOf(best)];
}

function cost({ parameters }: Macro, args: readonly Sql[]): number {
  if (parameters.length !== args.length) return Number.POSITIVE_INFINITY;
  return args.reduce((sum, arg, index) => {
    const type = parameters[index]?.type;
    return sum + (type ? (distance(arg, type) ?? Number.POSITIVE_INFINITY) : 0);
  }, 0);
}

const signatureMessage = (shown: string, types: readonly Type[]) =>
  `${shown} does not take (${types.map(describeType).join(', ')})`;

/**
 * NULL instead of an error of the function itself; an error in its arguments stays an error.
 *
 * @param makeCall builds the call from arguments that can't fail
 */
export function nullOnError(
  args: readonly Sql[],
  makeCall: (args: readonly Sql[]) => Sql,
  isPattern = false,
): Sql {
  // A constant regular expression is compiled before TRY can catch its error.
  const simple = !isPattern && args.every(({ text }) => isSimpleOperand(text));
  if (simple) {
    const call = makeCall(args);
    return { ...call, text: `TRY(${call.text})` };
  }
  // TRY does not accept subqueries and would hide errors of the arguments; a lambda parameter has neither.
  const fields = args.map((arg, index) => ({ ...arg, text: `args."${index}"` }));
  const call = makeCall(fields);
  const values = args.map(({ text }, index) => `"${index}" := ${text}`);
  return {
    ...call,
    text: `list_transform([struct_pack(${values.join(', ')})], lambda args: TRY(${call.text}))[1]`,
  };
}

/** Whether a text is a column, a parameter or a literal, with or without a type. */
const isSimpleOperand = (text: string): boolean => simpleOperand.test(text);

const simpleOperand =
  /^(?:("(?:[^"]|"")*"\.?)+|NULL|TRUE|FALSE|'(?:[^']|'')*'|CAST\((?:\$\w+|-?\d+|'(?:[^']|'')*'|NULL) AS [A-Z]+(?:\(38,9\))?(?:\[\])*\)|from_hex\('[0-9a-f]*'\))$/;
