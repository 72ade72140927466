import type * as Syntax from '../../../syntax/nodes.ts';
import { boolLiteral, integerLiteral, nullLiteral, textLiteral } from '../../../tree/build.ts';
import type { Expression } from '../../../tree/nodes.ts';
import { sameName, scalar } from '../../../types.ts';
import { Unsupported } from '../../unsupported.ts';

/** A parameter that a call may name. */
interface Parameter {
  readonly name: string;
  /** Its value if the call does not name it but one after it. */
  readonly otherwise?: Expression;
}

const parameter = (name: string, otherwise?: Expression): Parameter => ({
  name,
  ...(otherwise && { otherwise }),
});

/** The parameters that calls may name, after this number of others. */
const parameters: Readonly<Record<string, readonly [before: number, named: readonly Parameter[]]>> = {
  edit_distance: [2, [parameter('max_distance')]],
  parse_json: [1, [parameter('wide_number_mode', textLiteral('exact'))]],
  generate_range_array: [2, [parameter('include_last_partial_range', boolLiteral(true))]],
  to_json: [1, [parameter('stringify_wide_numbers', boolLiteral(false))]],
  float64: [1, [parameter('wide_number_mode', textLiteral('round'))]],
  contains_substr: [2, [parameter('json_scope', textLiteral('JSON_VALUES'))]],
  search: [
    2,
    [
      parameter('json_scope', textLiteral('JSON_VALUES')),
      parameter('analyzer', textLiteral('LOG_ANALYZER')),
      parameter('analyzer_options'),
    ],
  ],
  json_keys: [1, [parameter('max_depth', nullLiteral(scalar('INT64'))), parameter('mode')]],
  json_strip_nulls: [
    1,
    [
      // The path has no name.
      parameter('', textLiteral('$')),
      parameter('include_arrays', boolLiteral(true)),
      parameter('remove_empty', boolLiteral(false)),
    ],
  ],
  make_interval: [
    0,
    ['year', 'month', 'day', 'hour', 'minute', 'second'].map((name) => parameter(name, integerLiteral(0))),
  ],
};

/** The one parameter that calls with any number of arguments may name; it comes last, and is TRUE by default. */
const lastParameters: Readonly<Record<string, string>> = {
  json_set: 'create_if_missing',
  json_array_append: 'append_each_element',
  json_array_insert: 'insert_each_element',
};

/** The arguments of a call by position, each resolved; named ones are put where they belong. */
export function positionalArguments(
  name: string,
  args: readonly Syntax.Argument[],
  resolve: (node: Syntax.Expression) => Expression,
): readonly Expression[] {
  const last = Object.hasOwn(lastParameters, name) ? lastParameters[name] : undefined;
  if (last !== undefined) return withLastArgument(name, last, args, resolve);
  const positional: Expression[] = [];
  const named = new Map<number, Expression>();
  const [before, allowed] = Object.hasOwn(parameters, name) ? (parameters[name] ?? [0, []]) : [0, []];
  for (const arg of args) {
    if (arg.kind === 'StarArgument') throw new Unsupported(arg, `${name.toUpperCase()} takes no *`);
    if (arg.kind !== 'NamedArgument') {
      if (named.size > 0) throw new Unsupported(arg, 'named arguments come after all others');
      positional.push(resolve(arg));
      continue;
    }
    const at = allowed.findIndex((parameter) => sameName(parameter.name, arg.name.name));
    if (at < 0 || before + at < positional.length || named.has(before + at))
      throw new Unsupported(
        arg,
        `${name.toUpperCase()} does not take the named argument ${arg.name.name} here`,
      );
    named.set(before + at, resolve(arg.value));
  }
  const end = Math.max(-1, ...named.keys());
  for (let at = positional.length; at <= end; at += 1) {
    const value = named.get(at) ?? allowed[at - before]?.otherwise;
    if (!value) throw new Unsupported(args[0] as Syntax.Argument, `${name.toUpperCase()} lacks an argument`);
    positional.push(value);
  }
  return positional;
}

function withLastArgument(
  name: string,
  last: string,
  args: readonly Syntax.Argument[],
  resolve: (node: Syntax.Expression) => Expression,
): readonly Expression[] {
  let given: Expression = boolLiteral(true);
  const positional = args.flatMap((arg, at) => {
    if (arg.kind === 'StarArgument') throw new Unsupported(arg, `${name.toUpperCase()} takes no *`);
    if (arg.kind !== 'NamedArgument') return [resolve(arg)];
    if (at !== args.length - 1 || !sameName(arg.name.name, last))
      throw new Unsupported(
        arg,
        `${name.toUpperCase()} does not take the named argument ${arg.name.name} here`,
      );
    given = resolve(arg.value);
    return [];
  });
  return [...positional, given];
}
