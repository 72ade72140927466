import { foldName } from '@querygate/text';
import {
  type JavascriptFunction,
  type JavascriptType,
  javascriptCalls,
} from '../macros/javascript-function.ts';
import type * as Syntax from '../syntax/nodes.ts';
import { aggregate, call, castTo, operation, textLiteral } from '../tree/build.ts';
import type { Expression } from '../tree/nodes.ts';
import { arrayOf, describeType, duckdbType, quote, sameName, scalar, type Type, unknown } from '../types.ts';
import { resolveType } from './resolve-type.ts';
import { Unsupported } from './unsupported.ts';

/** A function whose body is not SQL. */
type ForeignFunction = Syntax.CreateFunction & { readonly body: Syntax.ForeignBody };

export const isForeign = (definition: Syntax.CreateFunction): definition is ForeignFunction =>
  definition.body.kind === 'ForeignBody';

/** @throws Unsupported if it is not a function in JavaScript as BigQuery has them */
export function requireJavascript(definition: ForeignFunction): void {
  const { body, name, options, parameters, returns } = definition;
  if (foldName(body.language.name) !== 'js')
    throw new Unsupported(
      body.language,
      `functions in ${body.language.name} are not supported, only in SQL and js`,
    );
  const library = options.find(({ name: option }) => sameName(option.name, 'library'));
  if (library)
    throw new Unsupported(
      library,
      'OPTIONS (library = …) is not supported: write the code of the library into the function',
    );
  if (!returns) throw new Unsupported(name, 'a function in JavaScript needs RETURNS with a type');
  javascriptType(returns, resolveType(returns));
  for (const { type } of parameters) {
    if (type === 'ANY TYPE') continue;
    const ofJavascript = javascriptType(type, resolveType(type));
    if (hasType(ofJavascript, 'TIMESTAMP') && body.code.value.includes('microsecond'))
      throw new Unsupported(
        body.code,
        'the microseconds of a TIMESTAMP are not supported in JavaScript: a Date has milliseconds',
      );
  }
}

/** A call of a function in JavaScript: its arguments are handed over as texts, and its result is one. */
export function javascriptCall(definition: ForeignFunction, args: readonly Expression[]): Expression {
  const { aggregate: isAggregate, body, name, parameters, returns } = definition;
  if (!returns) throw new Unsupported(name, 'a function in JavaScript needs RETURNS with a type');
  const type = resolveType(returns);
  const types = parameters.map((parameter) =>
    parameter.type === 'ANY TYPE' ? unknown : resolveType(parameter.type),
  );
  const spec: JavascriptFunction = {
    name: name.parts[0].name,
    parameters: parameters.map(({ name: parameter, ofGroup }, at) => ({
      name: parameter.name,
      type: javascriptType(parameter, types[at] ?? unknown),
      ...(ofGroup && { ofGroup }),
    })),
    returns: javascriptType(returns, type),
    code: body.code.value,
    ...(isAggregate && { isAggregate }),
  };
  const texts = args.map((arg, at) => withTexts(arg, types[at] ?? unknown));
  const ofRow = texts.filter((_, at) => !parameters[at]?.ofGroup);
  const ofGroup = texts.filter((_, at) => parameters[at]?.ofGroup);
  const text = call(
    changesEachTime(definition) ? javascriptCalls.eachTime : javascriptCalls.once,
    [textLiteral(JSON.stringify(spec)), isAggregate ? groupText(ofRow, ofGroup) : jsonText(texts)],
    scalar('STRING'),
  );
  return fromText(text, type);
}

const jsonText = (texts: readonly Expression[]): Expression =>
  castTo(call('json_array', texts), scalar('STRING'));

/** JSON of all rows of a group, and of the arguments that are the same for all of them. */
function groupText(row: readonly Expression[], group: readonly Expression[]): Expression {
  const text = scalar('STRING');
  const rows = call(
    'coalesce',
    [
      call('array_to_string', [aggregate('list', [jsonText(row)], arrayOf(text)), textLiteral(',')], text),
      textLiteral(''),
    ],
    text,
  );
  return operation(
    '||',
    [textLiteral('[['), rows, textLiteral('],'), jsonText(group), textLiteral(']')],
    text,
  );
}

/** Names by which a function may return another value for the same arguments; they count if it declares nothing. */
const changing = /\b(?:random|Date|globalThis|eval|Function)\b/;

/** True if a function may return another value for the same arguments. */
const changesEachTime = ({ body, deterministic }: Syntax.CreateFunction): boolean =>
  body.kind === 'ForeignBody' && !(deterministic ?? !changing.test(body.code.value));

/** Calls that draw a value or read the clock. A call that is not found here has other names among those above. */
const drawing =
  /\bMath\.random\b|\bcrypto\.(?:random|getRandom)|\bDate\.now\b|\bnew\s+Date\b(?:\s*\(\s*\)|(?!\s*[\w$.(]))|(?<!\bnew\s+|[\w$.])Date\s*\(/;

const comments = /\/\*[\s\S]*?(?:\*\/|$)|\/\/.*/g;

/** True if a function is NOT DETERMINISTIC, by its declaration or by what it calls. */
export const drawsValues = ({ body, deterministic }: Syntax.CreateFunction): boolean =>
  body.kind === 'ForeignBody' && !(deterministic ?? !drawing.test(body.code.value.replace(comments, ' ')));

function javascriptType(place: Syntax.Node, type: Type): JavascriptType {
  if (type.kind === 'array') return { element: javascriptType(place, type.element) };
  if (type.kind === 'struct') {
    const names = type.fields.map(({ name }) => name);
    if (
      names.includes('') ||
      names.includes('__proto__') ||
      new Set(names.map((name) => foldName(name))).size < names.length
    )
      throw new Unsupported(place, 'each field of a STRUCT of JavaScript needs a name of its own');
    return { fields: type.fields.map((field) => [field.name, javascriptType(place, field.type)]) };
  }
  if (type.kind === 'scalar') {
    const { name } = type;
    if (name !== 'BIGNUMERIC' && name !== 'TIME' && name !== 'DATETIME' && name !== 'INTERVAL') return name;
  }
  throw new Unsupported(place, `the type ${describeType(type)} is not supported in JavaScript`);
}

function hasType(type: JavascriptType, name: string): boolean {
  if (typeof type === 'string') return type === name;
  return 'element' in type ? hasType(type.element, name) : type.fields.some(([, of]) => hasType(of, name));
}

/** The type of DuckDB with texts for the values. */
function textsType(type: Type): string {
  if (type.kind === 'array') return `${textsType(type.element)}[]`;
  if (type.kind !== 'struct') return 'VARCHAR';
  return `STRUCT(${type.fields.map((field) => `${quote(field.name)} ${textsType(field.type)}`).join(', ')})`;
}

/** The same as the functions of JSON describe it. */
function textsShape(type: Type): unknown {
  if (type.kind === 'array') return [textsShape(type.element)];
  if (type.kind !== 'struct') return 'VARCHAR';
  return Object.fromEntries(type.fields.map((field) => [field.name, textsShape(field.type)]));
}

/** A value with texts for its parts. */
function withTexts(value: Expression, type: Type): Expression {
  if (type.kind === 'scalar') return type.name === 'STRING' ? value : castTo(value, scalar('STRING'));
  return castTo(value, unknown, textsType(type));
}

function fromText(text: Expression, type: Type): Expression {
  if (type.kind === 'scalar') return type.name === 'STRING' ? text : castTo(text, type);
  const texts = call('from_json', [text, textLiteral(JSON.stringify(textsShape(type)))]);
  return castTo(texts, type, duckdbType(type));
}
