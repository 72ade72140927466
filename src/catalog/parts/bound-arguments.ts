import { problemAt } from '@querygate/bigquery-sql/problem';
import { type Syntax, tokenize } from '@querygate/bigquery-sql/syntax';
import { compileTree } from '@querygate/bigquery-sql/tree';
import { type ParameterType, sameName, type TypedParameter } from '@querygate/bigquery-sql/types';
import { didYouMean } from '@querygate/text';
import { type Problem, StartError } from '../../errors.ts';
import type { Unit } from './part-file.ts';

/** An argument of a part: in place of the parameter with the name. */
export interface BoundArgument {
  readonly name: string;
  readonly value: Syntax.Expression;
}

type Arguments = Syntax.TableFunction['args'];

/** The arguments with which a table is read: `query.base(project => @project, n => 3)`. */
export const boundArguments = (node: Syntax.Table | Syntax.TableFunction): readonly BoundArgument[] =>
  node.kind === 'Table'
    ? []
    : node.args.flatMap((arg) =>
        arg.kind === 'NamedArgument' ? [{ name: arg.name.name, value: arg.value }] : [],
      );

/** Where the arguments of a table function end: behind the bracket. */
export function argumentsEnd(text: string, { start, end, name }: Syntax.TableFunction): number {
  let depth = 0;
  for (const token of tokenize(text.slice(name.end, end))) {
    if (token.key === '(') depth += 1;
    if (token.key === ')') depth -= 1;
    if (depth === 0) return name.end + token.end;
  }
  throw new TypeError(`no arguments at ${start}`);
}

/** The problems of the arguments of a part, and of the parameters that pass on to it by their names. */
export function argumentProblems(
  reader: Unit,
  part: Unit,
  node: Syntax.Table | Syntax.TableFunction,
): readonly Problem[] {
  const at = ({ start }: Syntax.Node, message: string) => problemAt(reader.text, reader, start, message);
  const args: Arguments = node.kind === 'Table' ? [] : node.args;
  const problems = args.flatMap((arg, index) => {
    if (arg.kind !== 'NamedArgument')
      return at(arg, `an argument of ${part.name} has the name of its parameter, as in project => @project`);
    const { name, value } = arg;
    const parameter = part.parameters.find((one) => sameName(one.name, name.name));
    if (!parameter) {
      const names = part.parameters.map((one) => one.name);
      return at(name, `${part.file} has no parameter ${name.name}${didYouMean(name.name, names)}`);
    }
    const isRepeated = args
      .slice(0, index)
      .some((one) => one.kind === 'NamedArgument' && sameName(one.name.name, name.name));
    if (isRepeated) return at(name, `the argument ${name.name} is given twice`);
    const wrong = valueProblem(reader, value, parameter);
    return wrong === undefined ? [] : at(value, `${name.name}: ${wrong}`);
  });
  // Parameters that pass on by their names depend on them.
  if (problems.length > 0) return problems;
  const bound = boundArguments(node);
  const passed = part.parameters.filter(({ name }) => !bound.some((one) => sameName(one.name, name)));
  return passed
    .flatMap((parameter) => passedProblem(reader, part, parameter) ?? [])
    .map((message) => at(node, message));
}

function passedProblem(
  reader: Unit,
  { name: partName, file }: Unit,
  parameter: TypedParameter,
): string | undefined {
  const { name } = parameter;
  const own = reader.parameters.find((one) => sameName(one.name, name));
  const bind = `bind it: ${partName}(${name} => …)`;
  if (reader.kind === 'view') return `@${name} is a parameter of ${file}, and a view has none: ${bind}`;
  if (!own && isAssertion(reader))
    return `@${name} is a parameter of ${file}, and an ASSERT has none: ${bind}`;
  if (!own) return `@${name} is a parameter of ${file}: declare it under parameters, or ${bind}`;
  if (typeText(own) === typeText(parameter)) return undefined;
  return `@${name} is ${typeText(own)} here and ${typeText(parameter)} in ${file}: declare both with the same bind, or ${bind}`;
}

/** The names of saved queries have no slash, and those of files of checks and tests do. */
const isAssertion = ({ name }: Unit): boolean => name.includes('/');

const typeText = ({ bind = 'STRING', repeated }: TypedParameter): string =>
  repeated ? `ARRAY<${bind}>` : bind;

function valueProblem(reader: Unit, value: Syntax.Expression, parameter: TypedParameter): string | undefined {
  const type = typeText(parameter);
  if (value.kind === 'NamedParameter') {
    const own = reader.parameters.find(({ name }) => sameName(name, value.name.name));
    // That it is not declared is a problem of its own.
    return own === undefined || typeText(own) === type
      ? undefined
      : `expected ${type}, got @${own.name}, which is ${typeText(own)}`;
  }
  const literal = literalText(reader.text, value, parameter);
  if (literal === undefined) return `expected a parameter or a literal of type ${type}`;
  const elements = value.kind === 'ArrayConstructor' ? value.elements : [value];
  return elements
    .map((element) => wrongLiteral(reader.text.slice(element.start, element.end), element, parameter))
    .find((wrong) => wrong !== undefined);
}

/** The greatest number of each type that has literals beyond it. */
const greatest: ReadonlyMap<ParameterType, number> = new Map([
  ['NUMERIC', 1e29],
  ['BIGNUMERIC', 5.789604461865809e38],
]);

/** Why a literal has no value: it is known here, and not in the part, which has it perhaps several times. */
function wrongLiteral(
  written: string,
  { kind }: Syntax.Expression,
  { bind = 'STRING' }: TypedParameter,
): string | undefined {
  if (Math.abs(Number(written.replace(/\s/g, ''))) > (greatest.get(bind) ?? Number.POSITIVE_INFINITY))
    return `${written} is outside the range of ${bind}`;
  const isText = kind === 'StringLiteral' && /^DATE|^TIMESTAMP/.test(bind);
  try {
    compileTree({ sql: `SELECT ${isText ? `${bind} ` : ''}${written}`, source: { file: '', line: 1 } }, []);
    return undefined;
  } catch (error) {
    if (error instanceof StartError) return error.problems[0]?.message;
    throw error;
  }
}

/** The literals that a parameter of each type takes; NULL is one of each. */
const literalKinds: Readonly<Record<ParameterType, readonly string[]>> = {
  STRING: ['StringLiteral'],
  INT64: ['IntegerLiteral'],
  FLOAT64: ['IntegerLiteral', 'FloatLiteral'],
  NUMERIC: ['IntegerLiteral', 'FloatLiteral', 'NUMERIC'],
  BIGNUMERIC: ['IntegerLiteral', 'FloatLiteral', 'NUMERIC', 'BIGNUMERIC'],
  BOOL: ['BooleanLiteral'],
  DATE: ['StringLiteral', 'DATE'],
  DATETIME: ['StringLiteral', 'DATETIME'],
  TIMESTAMP: ['StringLiteral', 'TIMESTAMP'],
};

/**
 * A literal as an expression of the type of a parameter, which a part has in place of it; undefined if it is not one. Some
 * places take literals only, and no CAST: LIMIT, frames, the fraction of PERCENTILE_CONT.
 */
export function literalText(
  text: string,
  value: Syntax.Expression,
  { bind = 'STRING', repeated }: TypedParameter,
): string | undefined {
  if (repeated) {
    if (value.kind !== 'ArrayConstructor') return undefined;
    const type = value.type && text.slice(value.start, text.indexOf('[', value.start)).replace(/\s/g, '');
    if (type !== undefined && type.toUpperCase() !== `ARRAY<${bind}>`) return undefined;
    const elements = value.elements.map((element) => literalText(text, element, { name: '', bind }));
    return elements.includes(undefined) ? undefined : `ARRAY<${bind}>[${elements.join(', ')}]`;
  }
  const plain = value.kind === 'Unary' && value.operator !== '~' ? value.operand : value;
  const kind = plain.kind === 'TypedLiteral' ? plain.type : plain.kind;
  const isSigned = plain !== value;
  if (kind !== 'NullLiteral' && !literalKinds[bind].includes(kind)) return undefined;
  if (isSigned && kind !== 'IntegerLiteral' && kind !== 'FloatLiteral') return undefined;
  const isNegative = value.kind === 'Unary' && value.operator === '-';
  const written = text.slice(isNegative ? value.start : plain.start, plain.end);
  if (isNegative || kind === 'NullLiteral') return `CAST(${written} AS ${bind})`;
  if (bind === 'FLOAT64' && /^\d+$/.test(written)) return ` ${written}.0 `;
  const isOwn =
    bind === 'FLOAT64' ? kind === 'FloatLiteral' : kind === bind || literalKinds[bind].length === 1;
  return isOwn ? ` ${written} ` : `CAST(${written} AS ${bind})`;
}
