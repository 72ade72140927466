import { isLaxPath, jsonPointer } from '../../../macros/host/json-pointer.ts';
import { boolLiteral, call, textLiteral } from '../../../tree/build.ts';
import { macroName } from '../../../tree/macro-name.ts';
import { someExpression } from '../../../tree/map.ts';
import type { Expression } from '../../../tree/nodes.ts';
import { isScalar } from '../../../types.ts';
import { callMacro } from '../../macro-call.ts';
import { Unsupported } from '../../unsupported.ts';
import type { SpecialFunction } from '../special-function.ts';

/** A function of JSON and a path, which its macros take as a JSON pointer. */
const jsonRead =
  (macro: string, isOld: boolean): SpecialFunction =>
  (place, [json, path, ...others]) =>
    callMacro(
      place,
      macro,
      [json, path && pointerOf(path, isOld), ...others].filter((arg) => arg !== undefined),
    );

/** A scalar of a text: the macro finds numbers of a field whose name is known as they are written there. */
const scalarRead =
  (macro: string, isOld: boolean): SpecialFunction =>
  (place, args, ...rest) => {
    const [json, path, another] = args;
    const fields = json && !path && fieldsOf(json);
    if (fields && fields.path !== '$')
      return callMacro(place, macro, [fields.json, textLiteral(fields.path)]);
    const pointer = path && pointerOf(path, isOld);
    const name =
      pointer?.kind === 'literal' ? /\/([^/~]*[^/~\d-][^/~]*)$/.exec(String(pointer.value))?.[1] : undefined;
    if (!json || !pointer || another || name === undefined || !isScalar(json.type, 'STRING'))
      return jsonRead(macro, isOld)(place, args, ...rest);
    // A part without wildcards of LIKE is at least as frequent as the name.
    const end = `${/[^%_]*$/.exec(name)?.[0]}"%`;
    const texts = [`${name}":`, `%${end}${end}`].map(textLiteral);
    return callMacro(place, 'json_scalar_at_key', [json, pointer, ...texts], macro.toUpperCase());
  };

/** The JSON value of which `json.a.b` reads fields, and their path as DuckDB has it. */
function fieldsOf(value: Expression): { readonly json: Expression; readonly path: string } {
  if (value.kind !== 'call' || macroName(value.function) !== 'json_field') return { json: value, path: '$' };
  const [of, name] = value.args;
  if (!of || name?.kind !== 'literal') return { json: value, path: '$' };
  const outer = fieldsOf(of);
  return { json: outer.json, path: `${outer.path}."${name.value}"` };
}

/** Of a JSON value, a path may begin with `lax`. */
const jsonQuery: SpecialFunction = (place, args, ...rest) => {
  const [json, path, another] = args;
  if (!json || !path || another || !isScalar(json.type, 'JSON') || !isScalar(path.type, 'STRING'))
    return jsonRead('json_query', false)(place, args, ...rest);
  if (path.kind !== 'literal') return callMacro(place, 'json_query_by', args, 'JSON_QUERY');
  const isLax = isLaxPath(String(path.value));
  return isLax
    ? callMacro(place, 'json_query_lax', args)
    : jsonRead('json_query', false)(place, args, ...rest);
};

/** That of a literal is known here, so that DuckDB neither plans nor computes it. */
function pointerOf(path: Expression, isOld: boolean): Expression {
  if (!isScalar(path.type, 'STRING') && path.type.kind !== 'unknown') return path;
  const pointer =
    path.kind === 'literal' && typeof path.value === 'string' ? jsonPointer(path.value, isOld) : undefined;
  if (pointer !== undefined) return textLiteral(pointer);
  return call('bq.json_pointer', [path, boolLiteral(isOld)], path.type);
}

/** True if a function of JSON has a path that may be wrong. */
export function hasUncertainPath(name: string, [, path]: readonly Expression[]): boolean {
  if (!Object.hasOwn(jsonReads, name) || path === undefined) return false;
  if (path.kind !== 'literal') return path.kind === 'parameter';
  return jsonPointer(String(path.value), name.startsWith('json_extract')) === undefined;
}

const isOfRows = (part: Expression) =>
  part.kind === 'column' || part.kind === 'aggregate' || (part.kind === 'subquery' && !part.isVariable);

/** The path is the same for all rows. */
const withConstantPath =
  (read: SpecialFunction): SpecialFunction =>
  (node, args, context) => {
    const [, path] = args;
    if (path && someExpression(path, isOfRows))
      throw new Unsupported(
        node.args[1] ?? node,
        'a JSONPath is a literal or a parameter: read fields whose names are in columns as json[name]',
      );
    return read(node, args, context);
  };

const reads: Readonly<Record<string, SpecialFunction>> = {
  json_value: scalarRead('json_value', false),
  json_value_array: jsonRead('json_value_array', false),
  json_query: jsonQuery,
  json_query_array: jsonRead('json_query_array', false),
  json_extract: jsonRead('json_extract', true),
  json_extract_array: jsonRead('json_extract_array', true),
  json_extract_scalar: scalarRead('json_extract_scalar', true),
  json_extract_string_array: jsonRead('json_extract_string_array', true),
};

export const jsonReads: Readonly<Record<string, SpecialFunction>> = Object.fromEntries(
  Object.entries(reads).map(([name, read]) => [name, withConstantPath(read)]),
);
