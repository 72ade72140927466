import { isWorthComputingOnce } from '../macros/compute-once.ts';
import { hasSubquery, macros, planningCosts } from '../macros/macros.ts';
import type { Macro } from '../macros/parse-macros.ts';
import { and, call, caseWhen, castTo, computeFirst, isNull, not, operation } from '../tree/build.ts';
import { someNode } from '../tree/map.ts';
import type { Call, Expression } from '../tree/nodes.ts';
import { isConstantList } from '../tree/volatile.ts';
import { arrayOf, describeType, isScalar, scalar, type Type, unknown } from '../types.ts';
import { bindValues } from './bind-values.ts';
import { convert, distance, isCoercible } from './coercion.ts';
import { writtenValue } from './expressions/constant-values.ts';
import { requireComparable, requireZone, requireZoneOfText } from './moment-text.ts';
import { likeCure, operatorCure, type Place, Unsupported } from './unsupported.ts';

/**
 * Calls the signature of the macro that fits the arguments best.
 *
 * @param shown the name of the function in messages
 */
export function callMacro(
  place: Place,
  name: string,
  given: readonly Expression[],
  shown = name.toUpperCase(),
): Expression {
  const args = withNumericLiterals(given);
  const signatures = macros.get(name) ?? [];
  const signature = chooseSignature(signatures, args);
  const inUtc = signature?.parameters.at(-1)?.name === 'zone' && isText(args.at(-1), 'UTC');
  // A text beside a zone has none of its own.
  const shorter = args
    .slice(0, -1)
    .map((arg) =>
      name === 'timestamp' && isScalar(arg.type, 'STRING') ? callMacro(place, 'cast_datetime', [arg]) : arg,
    );
  // UTC is the default zone of every function; DuckDB plans the shorter call faster.
  if (inUtc && chooseSignature(signatures, shorter)) return callMacro(place, name, shorter, shown);
  if (!signature) {
    const types = args.map(({ type }) => describeType(type)).join(', ');
    const hint =
      !args.some(({ type }) => isScalar(type, 'JSON')) &&
      args.some(({ type }) => isScalar(type, 'STRING')) &&
      chooseSignature(signatures, args.map(asString))
        ? ': CAST what is not a STRING AS STRING'
        : takenInstead(shown, signatures, args);
    throw new Unsupported(place, `${shown} does not take (${types})${hint}`);
  }
  if (signature.unsupported !== undefined) throw new Unsupported(place, signature.unsupported);
  for (const [at, { name: parameter }] of signature.parameters.entries())
    if (parameter === 'zone') requireZone(place, args[at]);
  const text = writtenValue(args[0]);
  if (textsOfTimestamps.includes(name) && typeof text === 'string') requireZoneOfText(place, text);
  const ambiguous = args.some(({ type }) => type.kind === 'unknown') && signatures.length > 1;
  const converted = args.map((arg, index) => {
    const type = signature.parameters[index]?.type;
    if (!type || ambiguous) return arg;
    requireComparable(place, arg, type);
    // A NULL in place of any array is one of INT64.
    return convert(arg, arg.type.kind === 'null' && isAnyArray(type) ? arrayOf(scalar('INT64')) : type);
  });
  const types = converted.map(({ type }) => type);
  const callee = ambiguous ? `bq.${name}` : signature.callee;
  const type = ambiguous ? commonResult(signatures, types) : signature.resultType(types);
  const result = withNullsFirst(signature, converted, (values) =>
    withLongArgumentsFirst(call(callee, values, type)),
  );
  // DuckDB forgets the type of a NULL, without which its fields and elements can't be read.
  const mayLoseType = converted.some(isNullLiteral) && (type.kind === 'struct' || type.kind === 'array');
  return mayLoseType ? castTo(result, type) : result;
}

/** Parameters of which macros refuse a wrong value before they read the others. */
const readFirst: ReadonlySet<string> = new Set(['zone', 'pattern', 'rewrite', 'width', 'step', 'these']);

/** A call to which such an argument is NULL in the rows where another one is, so that it fails there as little as in BigQuery. */
function withNullsFirst(
  { parameters }: Macro,
  args: readonly Expression[],
  build: (args: readonly Expression[]) => Expression,
): Expression {
  const isReadFirst = (arg: Expression, at: number) =>
    readFirst.has(parameters[at]?.name ?? '') && someNode(arg, ({ kind }) => isOfRow.has(kind));
  if (args.length === 1 || !args.some(isReadFirst)) return build(args);
  return bindValues(args, (...values) =>
    build(
      values.map((value, at) => {
        if (!isReadFirst(value, at)) return value;
        const others = values.filter(
          (other) => other !== value && (other.kind !== 'literal' || other.value === null),
        );
        return others.length === 0 ? value : caseWhen(and(others.map(isNotNull)), value);
      }),
    ),
  );
}

const isNotNull = (value: Expression): Expression => not(isNull(value));

const isOfRow: ReadonlySet<string> = new Set(['column', 'local', 'subquery', 'aggregate']);

/** The types that a function takes in as many arguments; operators take too many to be listed. */
function takenInstead(shown: string, signatures: readonly Macro[], args: readonly Expression[]): string {
  const count = args.length;
  const types = args.map(({ type }) => type);
  if (!/^\w/.test(shown)) return count > 1 ? operatorCure(shown, types) : '';
  if (shown === 'LIKE') return likeCure(types);
  const taken = signatures
    .filter(({ parameters, unsupported }) => parameters.length === count && unsupported === undefined)
    .map(({ parameters }) => parameters.map(({ type }) => (type ? describeType(type) : 'any')).join(', '));
  return taken.length === 0 || count === 0 ? '' : `; it takes (${[...new Set(taken)].join('), (')})`;
}

/** The macros that read a TIMESTAMP, which may end with a time zone. */
const textsOfTimestamps: readonly string[] = ['timestamp', 'cast_timestamp'];

const isNullLiteral = (value: Expression) => value.kind === 'literal' && value.value === null;

const isAnyArray = (type: Type) => type.kind === 'array' && type.element.kind === 'unknown';

/** FLOAT64 literals become NUMERIC or BIGNUMERIC in a call with values of these types. */
function withNumericLiterals(args: readonly Expression[]): readonly Expression[] {
  const isFloat = ({ type }: Expression) => isScalar(type, 'FLOAT64');
  const target = (['BIGNUMERIC', 'NUMERIC'] as const).find((name) =>
    args.some(({ type }) => isScalar(type, name)),
  );
  if (!target || args.some((arg) => isFloat(arg) && !isCoercible(arg))) return args;
  return args.map((arg) => (isFloat(arg) ? convert(arg, scalar(target)) : arg));
}

const isText = (value: Expression | undefined, text: string) =>
  value?.kind === 'literal' && value.value === text;

/**
 * The call, with long arguments computed before it if the macro uses them repeatedly. DuckDB copies the expression of
 * an argument to every place where the macro uses it, so that nested calls would grow exponentially.
 */
export function withLongArgumentsFirst(node: Call): Expression {
  const { args, type } = node;
  const uses = planningCosts.usesOf(node) ?? [];
  const isLong = args.map(
    (arg, at) =>
      !isConstantList(arg) && isWorthComputingOnce(planningCosts.of(arg).size, uses[at] ?? 1, 'inQuery'),
  );
  if (!isLong.includes(true) || hasSubquery(node.function)) return node;
  return bindValues(args, (...values) => call(node.function, values, type));
}

/** The type of a call that may mean any signature of its length. */
function commonResult(signatures: readonly Macro[], types: readonly Type[]): Type {
  const results = signatures
    .filter(({ parameters, unsupported }) => parameters.length === types.length && unsupported === undefined)
    .map((signature) => signature.resultType(types));
  const names = new Set(results.map(describeType));
  return (names.size === 1 && results[0]) || unknown;
}

function chooseSignature(signatures: readonly Macro[], args: readonly Expression[]): Macro | undefined {
  const costs = signatures.map((signature) => cost(signature, args));
  const best = Math.min(...costs);
  return best === Number.POSITIVE_INFINITY ? undefined : signatures[costs.indexOf(best)];
}

/** A FLOAT64 literal becomes a decimal only beside one: MOD(1.5, 2) has no signature. */
function needsDecimal(parameters: Macro['parameters'], args: readonly Expression[]): boolean {
  const isDecimal = (type: Type | undefined) => type !== undefined && isScalar(type, 'NUMERIC', 'BIGNUMERIC');
  const isFloat = args.some(({ type }, at) => isScalar(type, 'FLOAT64') && isDecimal(parameters[at]?.type));
  return isFloat && !args.some(({ type }) => isDecimal(type));
}

function cost({ parameters }: Macro, args: readonly Expression[]): number {
  if (parameters.length !== args.length || needsDecimal(parameters, args)) return Number.POSITIVE_INFINITY;
  return args.reduce((sum, arg, index) => {
    const type = parameters[index]?.type;
    return sum + (type ? (distance(arg, type) ?? Number.POSITIVE_INFINITY) : 0);
  }, 0);
}

/**
 * NULL instead of an error of the function itself; an error in its arguments stays an error.
 *
 * @param makeCall builds the call from arguments that can't fail
 * @param isPattern true for regular expressions and paths: DuckDB compiles constant ones before TRY can catch their errors
 * @param refusalOf why a call is not supported, which is an error all the same: NULL would be a wrong answer
 */
export function nullOnError(
  args: readonly Expression[],
  makeCall: (args: readonly Expression[]) => Expression,
  isPattern = false,
  refusalOf: (args: readonly Expression[]) => Expression | undefined = () => undefined,
): Expression {
  const attempt = (values: readonly Expression[]) => {
    const value = makeCall(values);
    const tried = call('TRY', [value], value.type);
    const refusal = refusalOf(values);
    if (refusal === undefined) return tried;
    return caseWhen(operation('IS NULL', [refusal]), tried, call('bq.fail', [refusal], value.type));
  };
  // TRY does not accept subqueries and would hide errors of the arguments; a lambda parameter has neither. Of columns, DuckDB
  // computes what is there twice, and casts of fields, before TRY.
  const bound = isPattern ? args : args.filter(({ kind }) => kind !== 'literal' && kind !== 'parameter');
  if (bound.length === 0) return attempt(args);
  return computeFirst(bound, (...values) => attempt(args.map((arg) => values[bound.indexOf(arg)] ?? arg)));
}

/** Why a function does not support a call, if one of its macros says so: `bq.edit_distance_refusal`. */
export const refusalOfCall =
  (name: string) =>
  (args: readonly Expression[]): Expression | undefined => {
    const signature = chooseSignature(macros.get(`${name}_refusal`) ?? [], args);
    return signature && call(signature.callee, args, scalar('STRING'));
  };

const asString = (value: Expression): Expression =>
  value.type.kind === 'scalar' ? castTo(value, scalar('STRING')) : value;
