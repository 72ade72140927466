import type { FuncCall, Identifier, MemberExpr, Node } from 'sql-parser-cst';
import { convert, distance } from '../coercion.ts';
import type { Macro } from '../macros/parse-macros.ts';
import { timeExpressionOfCall } from '../passes/time-expressions.ts';
import type { Scope, Sql } from '../scope.ts';
import type { Rule, Translator } from '../translator.ts';
import { describeType, type Type } from '../types.ts';
import { Unsupported } from '../unsupported.ts';
import { aggregateOf } from './aggregates.ts';
import { partArguments } from './date-parts.ts';
import { functionNames } from './function-names.ts';
import { isSimpleOperand, nullOnError } from './safe.ts';
import { specialFunction } from './special-functions.ts';
import { unsupportedFunctions } from './unsupported-names.ts';

/** A function: a special form, an aggregate, or a macro; anything else is refused. */
export const call: Rule<FuncCall> = (node, scope, tr) => {
  const name = functionName(node.name);
  if (name.startsWith('safe.')) return safeCall(node, name.slice('safe.'.length), scope, tr);
  const form = specialFunction(name);
  if (form) return form(node, scope, tr);
  const aggregate = aggregateOf(name);
  if (aggregate) {
    tr.markRowDependent();
    return aggregate(node, scope, tr);
  }

  const { macro, args } = parseMacroCall(node, name, scope, tr);
  const value = callMacro(node, macro, args, tr);
  return name.startsWith('regexp_') && args[1]?.known === undefined ? interruptible(value) : value;
};

/**
 * A match whose pattern a caller may choose. DuckDB tests a filter that it can push into the scan over a whole row group
 * before it looks whether the query is to stop, which a costly pattern makes half a minute; what is volatile it tests
 * block by block.
 */
const interruptible = (value: Sql): Sql => ({
  ...value,
  text: `CASE WHEN random() >= 0 THEN ${value.text} END`,
});

/** `SAFE.f(…)`: NULL where f fails. */
function safeCall(node: FuncCall, name: string, scope: Scope, tr: Translator): Sql {
  if (aggregateOf(name))
    throw new Unsupported(node.name, `SAFE. is not supported before ${name.toUpperCase()}`);
  const form = specialFunction(name);
  if (form) {
    const value = form({ ...node, name: { type: 'identifier', text: name, name } }, scope, tr);
    return { ...value, text: `TRY(${value.text})` };
  }
  const { macro, args } = parseMacroCall(node, name, scope, tr);
  return nullOnError(args, (safe) => callMacro(node, macro, safe, tr), name.startsWith('regexp'));
}

function parseMacroCall(node: FuncCall, name: string, scope: Scope, tr: Translator) {
  const { suffix, args } = partArguments(name, plainArguments(node));
  const macro = name.replace('net.', 'net_') + suffix;
  // Other macros are helpers, which no query may call.
  if (!functionNames.has(name) || !tr.macros.has(macro))
    throw new Unsupported(node.name, unsupportedMessage(name, suffix, tr));
  return { macro, args: args.map((arg) => tr.expr(arg, scope)) };
}

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

/** A call of the macro's signature that fits the arguments best. `shown` is its name in messages. */
export function callMacro(
  node: Node,
  name: string,
  args: readonly Sql[],
  tr: Translator,
  shown = name.toUpperCase(),
): Sql {
  const signature = chooseSignature(tr.macros.get(name) ?? [], args);
  const inUtc = signature && args.at(-1)?.known === 'UTC' && signature.parameters.at(-1)?.name === 'zone';
  const shorter = args.slice(0, -1);
  // UTC is every function's default zone; DuckDB plans the short form sooner.
  if (inUtc && chooseSignature(tr.macros.get(name) ?? [], shorter))
    return callMacro(node, name, shorter, tr, shown);
  const types = args.map(({ type }) => type);
  if (!signature) throw new Unsupported(node, signatureMessage(shown, types));
  if (signature.unsupported !== undefined) throw new Unsupported(node, signature.unsupported);
  const unsure = types.some(({ kind }) => kind === 'unknown') && (tr.macros.get(name)?.length ?? 0) > 1;
  const texts = args.map((arg, index) => {
    const wanted = signature.parameters[index]?.type;
    return wanted && !unsure ? convert(arg, wanted) : arg.text;
  });
  const callee = unsure ? `bq.${name}` : signature.callee;
  const timeExpression = timeExpressionOfCall(name, args);
  return {
    text: withLongArgumentsFirst(callee, signature, texts),
    type: signature.resultType(types),
    ...(timeExpression && { timeExpression }),
  };
}

/**
 * The call, with what is long computed before it. DuckDB copies the text of an argument to each place where the
 * macro uses it, so that calls within calls would grow beyond all measure.
 */
function withLongArgumentsFirst(callee: string, signature: Macro, texts: readonly string[]): string {
  if (!texts.some((text, index) => isLong(text) && isUsedTwice(signature, index)))
    return `${callee}(${texts.join(', ')})`;
  // What is no name and no literal may hold a subquery or an aggregate, which a lambda may not.
  const early = texts.map((text) => !isSimpleOperand(text));
  const fields = texts.flatMap((text, index) => (early[index] ? [`a${index} := ${text}`] : []));
  const inside = texts.map((text, index) => (early[index] ? `given.a${index}` : text));
  return `list_transform([struct_pack(${fields.join(', ')})], lambda given: ${callee}(${inside.join(', ')}))[1]`;
}

const isLong = (text: string): boolean => (text.match(/\bbq\./g)?.length ?? 0) >= 3;

function isUsedTwice({ parameters, body }: Macro, index: number): boolean {
  const name = parameters[index]?.name;
  const uses = body.replaceAll(/'(?:[^']|'')*'/g, "''").match(new RegExp(`\\b${name}\\b`, 'g'));
  return (uses?.length ?? 0) > 1;
}

function chooseSignature(signatures: readonly Macro[], args: readonly Sql[]): Macro | undefined {
  const costs = signatures.map((signature) => cost(signature, args));
  const best = Math.min(...costs);
  return best === Number.POSITIVE_INFINITY ? undefined : signatures[costs.indexOf(best)];
}

function cost({ parameters }: Macro, args: readonly Sql[]): number {
  if (parameters.length !== args.length) return Number.POSITIVE_INFINITY;
  return args.reduce((sum, arg, index) => {
    const wanted = parameters[index]?.type;
    return sum + (wanted ? (distance(arg, wanted) ?? Number.POSITIVE_INFINITY) : 0);
  }, 0);
}

const signatureMessage = (shown: string, types: readonly Type[]) =>
  `${shown} does not take (${types.map(describeType).join(', ')})`;

function unsupportedMessage(name: string, suffix: string, tr: Translator): string {
  const shown = name.toUpperCase();
  const reason = unsupportedFunctions.get(name);
  if (reason !== undefined) return `the function ${shown} is not supported: ${reason}`;
  const parts = [...tr.macros.keys()].some((key) => key.startsWith(`${name}_`));
  if (suffix !== '' && parts) return `${shown} does not support ${suffix.slice(1).toUpperCase()}`;
  return `the function ${shown} is not supported`;
}
