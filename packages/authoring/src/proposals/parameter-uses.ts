import { macros, scalarNamed } from '@querygate/bigquery-sql/signatures';
import { type Syntax, walk } from '@querygate/bigquery-sql/syntax';
import { describeType, isScalar, sameName, scalar, type Type, unknown } from '@querygate/bigquery-sql/types';
import { foldName } from '@querygate/text';

/** One place where a query uses a parameter. */
export interface ParameterUse {
  readonly name: string;
  readonly node: Syntax.NamedParameter;
  /** The type of the values that the place takes; `unknown` if it takes any. */
  readonly type: Type;
  /** The conversion that must be written around the parameter, which is a STRING. */
  readonly conversion?: 'cast' | 'list' | 'nullable';
  /** True if an absent parameter is foreseen here: by a comparison with '', NULLIF, SAFE_CAST, ELSE. */
  readonly isOptional?: boolean;
  /** True if the place takes values of other types, too. */
  readonly isGuess?: boolean;
  /** True inside of a CAST, which takes a value of its own type too. */
  readonly isCast?: boolean;
  /** True for the pattern of a function for regular expressions. */
  readonly isPattern?: boolean;
  /** The texts that it is compared with. */
  readonly values?: readonly string[];
  /** `@name IS NULL`, which never holds for a STRING that is '' if it is absent. */
  readonly nullTest?: Syntax.Is;
  /** The name of the column that it equals: `project` for `t.project = @p`. */
  readonly equals?: string;
}

type Use = Omit<ParameterUse, 'name' | 'node'>;

const string = scalar('STRING');
const anything: Use = { type: unknown };

/**
 * Every use of every parameter, in the order of the text.
 *
 * @param typeOf the types of expressions as far as they are known without the types of the parameters
 */
export function parameterUses(
  statement: Syntax.Statement,
  typeOf: (node: Syntax.Node) => Type,
): readonly ParameterUse[] {
  const uses: ParameterUse[] = [];
  const functions = new Map(statement.functions.map((one) => [foldName(one.name.parts[0].name), one]));
  walk(statement, (node, around) => {
    if (node.kind !== 'NamedParameter') return;
    const use = argumentUse(node, around.at(-1), functions) ?? useOf(node, around, typeOf);
    uses.push({ name: node.name.name, node, ...use });
  });
  return uses;
}

/** An argument of a function that the text defines. */
function argumentUse(
  node: Syntax.NamedParameter,
  call: Syntax.Node | undefined,
  functions: ReadonlyMap<string, Syntax.CreateFunction>,
): Use | undefined {
  if (call?.kind !== 'FunctionCall' || call.name.parts.length > 1) return undefined;
  const { parameters } = functions.get(foldName(call.name.parts[0].name)) ?? {};
  const type = parameters?.[call.args.indexOf(node)]?.type;
  return type === undefined || type === 'ANY TYPE' ? undefined : converted(castType(type));
}

type TypeOf = (node: Syntax.Node) => Type;

function useOf(node: Syntax.Node, around: readonly Syntax.Node[], typeOf: TypeOf): Use {
  const parent = around.at(-1);
  const outer = around.slice(0, -1);
  switch (parent?.kind) {
    case 'Comparison':
      return comparisonUse(otherSide(parent, node), parent.operator === '=', typeOf);
    case 'IsDistinctFrom':
      return comparisonUse(otherSide(parent, node), !parent.negated, typeOf);
    case 'Between':
      return firstKnown([parent.operand, parent.low, parent.high], node, typeOf);
    case 'In':
      return parent.values.kind === 'ExpressionList' ? listUse(parent.values.items, typeOf) : anything;
    case 'ExpressionList': {
      const [owner] = outer.slice(-1);
      return owner?.kind === 'In' ? converted(typeOf(owner.operand)) : anything;
    }
    case 'UnnestedValues': {
      const [owner] = outer.slice(-1);
      return owner?.kind === 'In' ? memberUse(owner.operand, owner.negated, typeOf) : listOf(string);
    }
    case 'Unnest':
      return listOf(elementType(parent, outer[0], typeOf));
    case 'Subscript': {
      // A subscript of JSON may be the name of a member.
      const isIndex = parent.index === node && !isScalar(typeOf(parent.operand), 'JSON');
      return isIndex ? converted(scalar('INT64')) : anything;
    }
    case 'Cast':
      return { type: castType(parent.type), isCast: true, ...(parent.safe && { isOptional: true }) };
    case 'Case':
      return parent.operand === node ? caseUse(parent) : useOf(parent, outer, typeOf);
    case 'Limit':
    case 'IntervalLiteral':
      return converted(scalar('INT64'));
    case 'Binary':
      return arithmeticUse(otherSide(parent, node), typeOf);
    case 'Select':
    case 'On':
    case 'PipeWhere':
    case 'Logical':
    case 'Not':
      return converted(scalar('BOOL'));
    case 'Is':
      if (parent.value !== 'NULL') return converted(scalar('BOOL'));
      return { ...anything, isOptional: true, ...(node.kind === 'NamedParameter' && { nullTest: parent }) };
    case 'Like':
      return { type: string };
    case 'FunctionCall':
      return callUse(parent, node, outer, typeOf);
    default:
      return anything;
  }
}

const otherSide = (
  { left, right }: Syntax.Comparison | Syntax.IsDistinctFrom | Syntax.Binary,
  node: Syntax.Node,
): Syntax.Expression => (left === node ? right : left);

function comparisonUse(other: Syntax.Expression, isEqual: boolean, typeOf: TypeOf): Use {
  if (other.kind === 'StringLiteral') {
    return other.value === '' ? { type: unknown, isOptional: true } : { type: string, values: [other.value] };
  }
  const column = columnName(other);
  return { ...converted(typeOf(other)), ...(isEqual && column !== undefined && { equals: column }) };
}

/** The type of `UNNEST(@name) AS item`: that of what `item` is compared with. */
function elementType({ alias }: Syntax.Unnest, root: Syntax.Node | undefined, typeOf: TypeOf): Type {
  const types: Type[] = [];
  if (alias !== undefined && root !== undefined)
    walk(root, (node) => {
      if (node.kind !== 'Comparison') return;
      const isItem = (side: Syntax.Expression) =>
        side.kind === 'Path' && side.parts.length === 1 && sameName(side.parts[0].name, alias.name);
      if (isItem(node.left)) types.push(typeOf(node.right));
      if (isItem(node.right)) types.push(typeOf(node.left));
    });
  return types.find(({ kind }) => kind !== 'unknown') ?? string;
}

const listOf = (element: Type): Use => ({ type: element, conversion: 'list' });

/** The list of `operand IN UNNEST(@name)`. */
function memberUse(operand: Syntax.Expression, isNegated: boolean, typeOf: TypeOf): Use {
  const column = columnName(operand);
  return { ...listOf(typeOf(operand)), ...(!isNegated && column !== undefined && { equals: column }) };
}

/** The column's name if the expression is a bare column. */
export const columnName = (node: Syntax.Expression): string | undefined =>
  node.kind === 'Path' ? node.parts.at(-1)?.name : undefined;

function listUse(items: readonly Syntax.Expression[], typeOf: TypeOf): Use {
  const texts = items.flatMap((item) => (item.kind === 'StringLiteral' ? [item.value] : []));
  if (texts.length === items.length) return { type: string, values: texts };
  const [first] = items;
  return first === undefined ? anything : converted(typeOf(first));
}

function firstKnown(nodes: readonly Syntax.Expression[], self: Syntax.Node, typeOf: TypeOf): Use {
  const types = nodes.filter((node) => node !== self).map(typeOf);
  return converted(types.find(({ kind }) => kind !== 'unknown') ?? unknown);
}

/** The texts of `CASE @name WHEN 'a' … WHEN 'b' …`. */
function caseUse({ branches, otherwise }: Syntax.Case): Use {
  const values = branches.flatMap(({ when }) => (when.kind === 'StringLiteral' ? [when.value] : []));
  return { type: string, values, ...(otherwise !== undefined && { isOptional: true }) };
}

function arithmeticUse(other: Syntax.Expression, typeOf: TypeOf): Use {
  const type = typeOf(other);
  if (isScalar(type, 'FLOAT64', 'NUMERIC', 'BIGNUMERIC')) return converted(type);
  return { ...converted(scalar('INT64')), isGuess: true };
}

/** A value of the type, for which the parameter's text must be cast. */
const converted = (type: Type): Use =>
  type.kind === 'unknown' || isScalar(type, 'STRING') ? { type } : { type, conversion: 'cast' };

const patternFunctions = /^(?:safe\.)?regexp_/;
/** Functions that read a text as a moment. */
const textFunctions: Readonly<Record<string, Type>> = {
  timestamp: scalar('TIMESTAMP'),
  datetime: scalar('DATETIME'),
  date: scalar('DATE'),
};
/** Functions whose arguments of any place have the type in their name. */
const typedFunctions = /^(timestamp|datetime|date)_(?:add|sub|diff|trunc)$/;
const arrayFunctions: Readonly<Record<string, Type>> = {
  generate_timestamp_array: scalar('TIMESTAMP'),
  generate_date_array: scalar('DATE'),
  generate_array: scalar('INT64'),
};

function callUse(
  call: Syntax.FunctionCall,
  node: Syntax.Node,
  outer: readonly Syntax.Node[],
  typeOf: TypeOf,
): Use {
  const name = call.name.parts.map((part) => foldName(part.name)).join('.');
  const at = call.args.indexOf(node as Syntax.Expression);
  const plain = name.replace(/^safe\./, '');
  if (patternFunctions.test(name)) return at === 1 ? { type: string, isPattern: true } : { type: string };
  if (plain === 'coalesce' || plain === 'ifnull') return fallbackUse(call, node, outer, typeOf);
  if (plain === 'nullif') {
    const { conversion: _, ...around } = useOf(call, outer, typeOf);
    return { ...around, isOptional: true };
  }
  // An absent list is empty.
  if (plain === 'array_length') return { ...listOf(unknown), isOptional: true };
  const text = textFunctions[plain];
  // A second argument is a time zone, three are the parts of a date.
  if (text !== undefined && at === 0 && call.args.length < 3) return { type: text };
  // The third argument of TIMESTAMP_TRUNC is a time zone.
  const typed =
    at < 2 || plain.endsWith('_diff') ? typedFunctions.exec(plain)?.[1]?.toUpperCase() : undefined;
  if (typed === 'TIMESTAMP' || typed === 'DATETIME' || typed === 'DATE') return converted(scalar(typed));
  const formatted = /^format_(date|datetime|timestamp)$/.exec(plain)?.[1]?.toUpperCase();
  if (formatted === 'DATE' || formatted === 'DATETIME' || formatted === 'TIMESTAMP')
    return at === 1 ? converted(scalar(formatted)) : { type: string };
  const element = arrayFunctions[plain];
  if (element !== undefined) return converted(element);
  if (plain === 'if' && at === 0) return converted(scalar('BOOL'));
  if (plain === 'greatest' || plain === 'least' || plain === 'if') {
    const values = valuesOf(call);
    return firstKnown(plain === 'if' ? values.slice(1) : values, node, typeOf);
  }
  return converted(countedArguments[plain] === at ? scalar('INT64') : argumentType(plain, call, at, typeOf));
}

/** Functions of windows whose argument at a place counts rows. */
const countedArguments: Readonly<Record<string, number>> = { ntile: 0, nth_value: 1, lag: 1, lead: 1 };

/** The type that the signatures of a function take at a place, beside the other arguments; STRING if one takes it, or none is known. */
function argumentType(name: string, call: Syntax.FunctionCall, at: number, typeOf: TypeOf): Type {
  const given = valuesOf(call).map(typeOf);
  const fitting = (macros.get(name) ?? []).filter(
    ({ parameters, unsupported }) =>
      unsupported === undefined &&
      parameters.length === call.args.length &&
      parameters.every(
        ({ type }, index) =>
          index === at ||
          type === undefined ||
          given[index]?.kind === 'unknown' ||
          isEqualType(type, given[index]),
      ),
  );
  const types = fitting.map(({ parameters }) => parameters[at]?.type ?? string);
  return types.some((type) => isScalar(type, 'STRING')) ? string : (types[0] ?? string);
}

const isEqualType = (type: Type, other: Type | undefined): boolean =>
  other !== undefined && describeType(type) === describeType(other);

/** The arguments of a call by place. */
const valuesOf = ({ args }: Syntax.FunctionCall): readonly Syntax.Expression[] =>
  args.filter((arg): arg is Syntax.Expression => arg.kind !== 'NamedArgument' && arg.kind !== 'StarArgument');

/** `COALESCE(@name, …)`: what takes the place of an absent parameter says its type. */
function fallbackUse(
  call: Syntax.FunctionCall,
  node: Syntax.Node,
  outer: readonly Syntax.Node[],
  typeOf: TypeOf,
): Use {
  const values = valuesOf(call);
  const { type: ofOthers } = firstKnown(values, node, typeOf);
  const { conversion: _, ...around } = useOf(call, outer, typeOf);
  const type = ofOthers.kind === 'unknown' ? around.type : ofOthers;
  if (values.at(-1) === node) return converted(type);
  const isText = type.kind === 'unknown' || isScalar(type, 'STRING');
  return { ...around, type, isOptional: true, conversion: isText ? 'nullable' : 'cast' };
}

/** The type of CAST; STRING for one that no text converts to. */
function castType(type: Syntax.Type): Type {
  if (type.kind !== 'NamedType') return string;
  const found = scalarNamed(type.name.parts[0].name);
  return found === undefined || isScalar(found, 'BYTES', 'INTERVAL', 'JSON') ? string : found;
}
