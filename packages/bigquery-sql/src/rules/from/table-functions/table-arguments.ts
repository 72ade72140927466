import { foldName } from '@querygate/text';
import type * as Syntax from '../../../syntax/nodes.ts';
import type { Expression } from '../../../tree/nodes.ts';
import { isScalar } from '../../../types.ts';
import type { Context } from '../../context.ts';
import { childOf, outermost, type Scope } from '../../scope.ts';
import { Unsupported } from '../../unsupported.ts';

/** An argument after the input of a table function, with the place of its value. */
export interface Argument {
  readonly node: Syntax.Expression;
  readonly value: Expression;
}

/** The arguments after the input, by position or by name. */
export function argumentsByName<const Name extends string>(
  { args: [, ...args] }: Syntax.TableFunction,
  shown: string,
  names: readonly Name[],
  scope: Scope,
  context: Context,
): ReadonlyMap<Name, Argument> {
  const given = new Map<Name, Argument>();
  let isNamed = false;
  for (const [at, arg] of args.entries()) {
    if (arg.kind === 'Table' || arg.kind === 'ModelArgument')
      throw new Unsupported(arg, `${shown} takes one table`);
    const named = arg.kind === 'NamedArgument' ? arg : undefined;
    if (isNamed && !named) throw new Unsupported(arg, 'named arguments come after all others');
    isNamed ||= named !== undefined;
    const name = named ? names.find((one) => one === foldName(named.name.name)) : names[at];
    if (name === undefined || given.has(name))
      throw new Unsupported(
        arg,
        named
          ? `${shown} does not take the named argument ${named.name.name} here`
          : `${shown} takes at most ${names.length + 1} arguments`,
      );
    const node = arg.kind === 'NamedArgument' ? arg.value : arg;
    given.set(name, { node, value: context.expression(node, childOf(outermost(scope))) });
  }
  return given;
}

/** The text of an argument that is a literal. */
export function textOf({ node, value }: Argument, what: string): string {
  if (value.kind === 'literal' && isScalar(value.type, 'STRING') && value.value !== null)
    return String(value.value);
  throw new Unsupported(node, `${what} is written as a string literal`);
}

/** The items of an argument that is an array literal. */
export function itemsOf(argument: Argument | undefined, what: string): readonly Argument[] {
  if (argument === undefined) return [];
  const { node, value } = argument;
  if (value.kind !== 'list') throw new Unsupported(node, `${what} is written as an array literal`);
  const nodes = node.kind === 'ArrayConstructor' ? node.elements : [];
  return value.items.map((item, at) => ({ node: nodes[at] ?? node, value: item }));
}
