import { didYouMean, foldName } from '@querygate/text';
import { macros } from '../../macros/macros.ts';
import type * as Syntax from '../../syntax/nodes.ts';
import {
  call,
  caseWhen,
  compareWith,
  integerLiteral,
  isNull,
  not,
  nullLiteral,
  textLiteral,
} from '../../tree/build.ts';
import type { Expression } from '../../tree/nodes.ts';
import { describeType, isScalar, scalar } from '../../types.ts';
import { distance } from '../coercion.ts';
import { passCollation, refuseCollations } from '../collation.ts';
import type { Context, Rule } from '../context.ts';
import { callMacro, nullOnError, refusalOfCall } from '../macro-call.ts';
import { findColumns, findFunction, findRange, hasDoubtfulNames, type Scope } from '../scope.ts';
import { callSqlFunction } from '../sql-function.ts';
import { type Place, Unsupported, WrongLiteral } from '../unsupported.ts';
import { aggregateOf } from './aggregate-names.ts';
import { aggregateCall } from './aggregates.ts';
import { requireLiterals } from './arguments/literal-arguments.ts';
import { positionalArguments } from './arguments/named-arguments.ts';
import { partArguments, usageOf } from './date-parts.ts';
import { functionName, namespaces } from './function-name.ts';
import { functionNames } from './function-names.ts';
import { replacements } from './replacements.ts';
import { specialFunction } from './special-functions.ts';
import { formatValue } from './text/chosen-text.ts';
import { hasUncertainPath } from './text/json-read.ts';
import { unsupportedFunctions, unsupportedReason } from './unsupported-names.ts';

/** A call of a function that the query defines, an aggregate, a special function or a macro. */
export const functionCall: Rule<Syntax.FunctionCall> = (node, scope, context) => {
  const name = functionName(node.name);
  const own = node.name.parts.length === 1 ? findFunction(scope, name) : undefined;
  if (own) {
    refuseClauses(node, `${node.name.parts[0].name} is a function of this query, which takes only arguments`);
    return callSqlFunction(node, own, scope, context);
  }
  const [prefix, ...rest] = node.name.parts;
  if (rest.length > 0 && !namespaces.has(foldName(prefix.name))) {
    if (unsupportedReason(name) !== undefined) throw unsupportedCall(node.name, name, '');
    refuseStoredFunction(node.name);
  }
  if (name.startsWith('safe.')) return safeCall(node, name.slice('safe.'.length), scope, context);
  const aggregate = aggregateOf(name);
  if (aggregate) return aggregateCall(node, name, aggregate, scope, context);
  return scalarCall(node, name, scope, context);
};

/** A function of a project or a dataset. */
function refuseStoredFunction(path: Syntax.Path): never {
  const names = path.parts.map(({ name }) => name);
  const [shown, called = ''] = [names.join('.'), names.at(-1)];
  const chained = functionNames.has(foldName(called))
    ? `; if ${names.slice(0, -1).join('.')} is a value, write (${names.slice(0, -1).join('.')}).${called}()`
    : '';
  throw new Unsupported(
    path,
    `the function ${shown} is not available locally: define it with CREATE TEMP FUNCTION before the query${chained}`,
  );
}

function scalarCall(node: Syntax.FunctionCall, name: string, scope: Scope, context: Context): Expression {
  const { args, build } = preparedCall(node, name, scope, context);
  const value = build(args);
  const pattern = args[1];
  const isPattern = name.startsWith('regexp_') && pattern !== undefined && pattern.kind !== 'literal';
  if (name === 'regexp_instr' && pattern?.kind === 'literal' && isScalar(pattern.type, 'STRING'))
    return compiledFirst(pattern, value);
  return isPattern ? interruptible(value) : value;
}

/** A value whose literal pattern DuckDB compiles when it plans the query, as those of other functions. */
const compiledFirst = (pattern: Expression, value: Expression): Expression =>
  caseWhen(not(isNull(call('regexp_matches', [textLiteral(''), pattern], scalar('BOOL')))), value);

/**
 * Makes a match with a pattern from a parameter interruptible. DuckDB evaluates a filter that it pushes into the scan
 * over a whole row group before it checks for an interrupt, which can take half a minute with an expensive pattern; it
 * evaluates a volatile expression block by block.
 */
const interruptible = (value: Expression): Expression =>
  caseWhen(compareWith('>=', call('random', []), integerLiteral(0)), value);

/** `SAFE.f(…)`: NULL if f fails; an error of an argument stays an error. */
function safeCall(node: Syntax.FunctionCall, name: string, scope: Scope, context: Context): Expression {
  const [, ...parts] = node.name.parts;
  if (aggregateOf(name) || parts.length === 0)
    throw new Unsupported(node.name, `SAFE.${name.toUpperCase()} is not supported`);
  if (parts.length === 1 && findFunction(scope, name) && !functionNames.has(name))
    throw new Unsupported(node.name, `SAFE. takes no function of the query, and ${name} is one`);
  const { args, build } = withFormatFirst(name, preparedCall(node, name, scope, context));
  try {
    const isCompiled = name.startsWith('regexp') || hasUncertainPath(name, args);
    return nullOnError(args, build, isCompiled, refusalOfCall(name));
  } catch (error) {
    if (!(error instanceof WrongLiteral)) throw error;
    return nullLiteral(build(args.map((arg) => (arg.kind === 'literal' ? nullLiteral(arg.type) : arg))).type);
  }
}

/** The resolved arguments of a scalar function, and what builds its call from them. */
interface PreparedCall {
  readonly args: readonly Expression[];
  build(args: readonly Expression[]): Expression;
}

/** The call of a function with a format, which is a constant, or a choice among constants: only the choice is computed before. */
function withFormatFirst(name: string, { args, build }: PreparedCall): PreparedCall {
  const [given, ...others] = args;
  if (!given || !/^(?:format|parse)(?:_(?:date|time|datetime|timestamp))?$/.test(name))
    return { args, build };
  const { value, formatOf } = formatValue(given);
  return {
    args: [value, ...others],
    build: ([first = value, ...rest]) => build([formatOf(first), ...rest]),
  };
}

/** True if a name may be that of a column or of a FROM item. */
const isName = (scope: Scope, name: string): boolean =>
  findColumns(scope, name).length > 0 || findRange(scope, name) !== undefined || hasDoubtfulNames(scope);

/** The functions that compare values by their collation, or choose one of them. */
const ofCollations: readonly string[] = ['collate', 'coalesce', 'if', 'ifnull', 'nullif', 'array_length'];

/** The functions that do not compare texts, and whose result has their collation if it is a text. */
const passingOn: readonly string[] =
  'concat left length lower lpad repeat reverse right rpad substr substring upper byte_length char_length'.split(
    ' ',
  );

function preparedCall(node: Syntax.FunctionCall, name: string, scope: Scope, context: Context): PreparedCall {
  refuseClauses(node, `${name.toUpperCase()} is not an aggregate or window function`);
  const resolve = (arg: Syntax.Expression) => {
    const value = context.expression(arg, scope);
    if (![...ofCollations, ...passingOn].includes(name)) refuseCollations(arg, name.toUpperCase(), [value]);
    return value;
  };
  const special = specialFunction(name);
  if (special) {
    const args = positionalArguments(name, node.args, resolve);
    return { args, build: withChecks(node, name, (values) => special(node, values, context)) };
  }
  const { suffix, args } = partArguments(name, node.args, (one) => isName(scope, one));
  const isKnown = (macro: string) => functionNames.has(name) && macros.has(macro);
  const own = name.replace('.', '_');
  if (![own, ...familiesOf(own)].some((macro) => isKnown(macro + suffix)))
    throw unsupportedCall(node.name, name, suffix);
  const values = positionalArguments(name, args, resolve);
  const macro = familyOf(own, suffix, values.find(({ type }) => type.kind !== 'null') ?? values[0]) + suffix;
  // Other macros are internal helpers that queries must not call.
  if (!isKnown(macro)) throw unsupportedCall(node.name, name, suffix);
  const build = (given: readonly Expression[]) => callMacro(node, macro, given, name.toUpperCase());
  return { args: values, build: withChecks(node, name, build) };
}

function withChecks(
  node: Syntax.FunctionCall,
  name: string,
  build: PreparedCall['build'],
): PreparedCall['build'] {
  const collated = withCollation(name, build);
  return (values) => {
    requireLiterals(node, name, values);
    return collated(values);
  };
}

const withCollation = (name: string, build: PreparedCall['build']): PreparedCall['build'] =>
  passingOn.includes(name) ? (values) => passCollation(values, build) : build;

const familyPrefix = /^(?:date|datetime|timestamp)_(?=(?:add|sub|diff|trunc)$)/;
const dateFamilies = ['date', 'datetime', 'timestamp'] as const;

const isFamily = (name: string): boolean => familyPrefix.test(name);

const familiesOf = (name: string): readonly string[] =>
  isFamily(name) ? dateFamilies.map((family) => name.replace(familyPrefix, `${family}_`)) : [];

/** DATE_ADD and the like take DATETIME and TIMESTAMP, too, with the parts of these types. */
function familyOf(name: string, suffix: string, value: Expression | undefined): string {
  if (!value || !isFamily(name)) return name;
  const familyName = (family: string) => name.replace(familyPrefix, `${family}_`);
  if (value.type.kind === 'unknown')
    return [name, ...dateFamilies.map(familyName)].find((macro) => macros.has(macro + suffix)) ?? name;
  const family = dateFamilies.find((type) => describeType(value.type) === type.toUpperCase());
  const other = familyName(family ?? '');
  const takesValue = (macros.get(name + suffix) ?? []).some(
    ({ parameters: [first] }) => first?.type === undefined || distance(value, first.type) !== undefined,
  );
  if (takesValue || !macros.has(other + suffix)) return name;
  // TIMESTAMP_ADD and the like take a DATE with its parts, as a DATETIME.
  return family === 'date' ? familyName('datetime') : other;
}

/** Only aggregates take DISTINCT and the like. */
function refuseClauses(node: Syntax.FunctionCall, message: string): void {
  const { over, having, limit, orderBy, distinct, nulls } = node;
  const clause: Place | undefined =
    over ?? having ?? limit ?? orderBy[0] ?? (distinct || nulls ? node : undefined);
  if (clause) throw new Unsupported(clause, message);
}

/** The problem of a call of a function, or of a function with a part, that there is not. */
function unsupportedCall(place: Place, name: string, suffix: string): Unsupported {
  const shown = name.toUpperCase();
  const problem = (message: string, hint = () => '') => new Unsupported(place, message, { hint });
  const reason = unsupportedReason(name);
  if (reason !== undefined) return problem(`the function ${shown} is not supported: ${reason}`);
  if (functionNames.has(name)) {
    const parts = partsOf(name);
    if (parts.length === 0) return problem(`the function ${shown} is not supported`);
    if (suffix === '') return problem(usageOf(name));
    const part = suffix.slice(1).toUpperCase();
    return problem(`${shown} does not support ${part}`, () =>
      didYouMean(
        part,
        parts.filter((one) => one !== part),
      ),
    );
  }
  const own = replacements.get(name);
  if (own !== undefined) return problem(`the function ${shown} is not one of BigQuery: write ${own}`);
  return problem(`the function ${shown} is not supported`, () => didYouMean(shown, supportedNames()));
}

/** The date parts with which there is a macro. */
const partsOf = (name: string): readonly string[] =>
  [name, ...familiesOf(name)].flatMap((family) =>
    [...macros.keys()].flatMap((key) =>
      key.startsWith(`${family}_`) ? key.slice(family.length + 1).toUpperCase() : [],
    ),
  );

const supportedNames = (): readonly string[] =>
  [...functionNames].filter((name) => !unsupportedFunctions.has(name)).map((name) => name.toUpperCase());
