import type * as Syntax from '../../../syntax/nodes.ts';
import type { Context, ResolvedFrom } from '../../context.ts';
import { functionName } from '../../functions/function-name.ts';
import type { Scope } from '../../scope.ts';
import { Unsupported } from '../../unsupported.ts';
import { gapFill } from './gap-fill.ts';
import { type Input, inputOf } from './input.ts';
import { rangeSessionize } from './range-sessionize.ts';

type Rule = (call: Syntax.TableFunction, input: Input, scope: Scope, context: Context) => ResolvedFrom;

const tableFunctions: Readonly<Record<string, Rule>> = {
  gap_fill: gapFill,
  range_sessionize: rangeSessionize,
};

export const tableFunctionNames: readonly string[] = Object.keys(tableFunctions);

/** A function in FROM whose rows are made of those of a table or query. */
export function resolveTableFunction(
  call: Syntax.TableFunction,
  scope: Scope,
  context: Context,
): ResolvedFrom {
  const name = functionName(call.name);
  const shown = name.toUpperCase();
  const rule = Object.hasOwn(tableFunctions, name) ? tableFunctions[name] : undefined;
  if (!rule)
    throw new Unsupported(
      call,
      name === 'ref' || name === 'source'
        ? `${shown} is of a template: take the SQL that dbt compile writes`
        : `the table function ${shown} is not supported: save its rows in a table that the query reads`,
    );
  const input = inputOf(call, shown, scope, context);
  if (input) return rule(call, input, scope, context);
  return {
    from: undefined,
    ranges: [{ name: call.alias?.name, columns: [], acceptsAnyColumn: true }],
  };
}
