import type { FuncCall } from 'sql-parser-cst';
import { callMacro, functionName, nullOnError, plainArguments } from '../macros/macro-call.ts';
import { macros } from '../macros/macros.ts';
import type { Scope, Sql } from '../scope.ts';
import type { Rule, Translator } from '../translator.ts';
import { Unsupported } from '../unsupported.ts';
import { aggregateOf } from './aggregates.ts';
import { partArguments } from './date-parts.ts';
import { functionNames } from './function-names.ts';
import { specialFunction } from './special-functions.ts';
import { unsupportedFunctions } from './unsupported-names.ts';

/** A call of a special function, an aggregate or a macro; any other function is unsupported. */
export const call: Rule<FuncCall> = (node, scope, tr) => {
  const name = functionName(node.name);
  if (name.startsWith('safe.')) return safeCall(node, name.slice('safe.'.length), scope, tr);
  const special = specialFunction(name);
  if (special) return special(node, scope, tr);
  const aggregate = aggregateOf(name);
  if (aggregate) {
    tr.markRowDependent();
    return aggregate(node, scope, tr);
  }

  const { macro, args } = parseMacroCall(node, name, scope, tr);
  const value = callMacro(node, macro, args);
  return name.startsWith('regexp_') && args[1]?.known === undefined ? interruptible(value) : value;
};

/**
 * Makes a match with a pattern from a parameter interruptible. DuckDB evaluates a filter that it pushes into the scan
 * over a whole row group before it checks for an interrupt, which can take half a minute with an expensive pattern; it
 * evaluates a volatile expression block by block.
 */
const interruptible = (value: Sql): Sql => ({
  ...value,
  text: `CASE WHEN random() >= 0 THEN ${value.text} END`,
});

/** `SAFE.f(…)`: NULL if f fails. */
function safeCall(node: FuncCall, name: string, scope: Scope, tr: Translator): Sql {
  if (aggregateOf(name)) throw new Unsupported(node.name, `SAFE.${name.toUpperCase()} is not supported`);
  const special = specialFunction(name);
  if (special) {
    const value = special({ ...node, name: { type: 'identifier', text: name, name } }, scope, tr);
    return { ...value, text: `TRY(${value.text})` };
  }
  const { macro, args } = parseMacroCall(node, name, scope, tr);
  return nullOnError(args, (safeArgs) => callMacro(node, macro, safeArgs), name.startsWith('regexp'));
}

function parseMacroCall(node: FuncCall, name: string, scope: Scope, tr: Translator) {
  const { suffix, args } = partArguments(name, plainArguments(node));
  const macro = name.replace('net.', 'net_') + suffix;
  // Other macros are internal helpers that queries must not call.
  if (!functionNames.has(name) || !macros.has(macro))
    throw new Unsupported(node.name, unsupportedMessage(name, suffix));
  return { macro, args: args.map((arg) => tr.expr(arg, scope)) };
}

function unsupportedMessage(name: string, suffix: string): string {
  const shown = name.toUpperCase();
  const reason = unsupportedFunctions.get(name);
  if (reason !== undefined) return `the function ${shown} is not supported: ${reason}`;
  const parts = [...macros.keys()].some((key) => key.startsWith(`${name}_`));
  if (suffix !== '' && parts) return `${shown} does not support ${suffix.slice(1).toUpperCase()}`;
  return `the function ${shown} is not supported`;
}
