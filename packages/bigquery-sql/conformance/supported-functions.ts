import { macros } from '../src/macros/macros.ts';
import { tableFunctionNames } from '../src/rules/from/table-functions/table-function.ts';
import { aggregateNames } from '../src/rules/functions/aggregate-names.ts';
import { functionNames } from '../src/rules/functions/function-names.ts';
import { specialFunctionNames } from '../src/rules/functions/special-functions.ts';
import { unsupportedFunctions } from '../src/rules/functions/unsupported-names.ts';

/** Functions with a syntax, and so a rule, of their own. */
const functionsWithRules = ['array', 'cast', 'safe_cast', 'extract'];

/** Every function that a query may call, in lower case. */
export const supportedFunctions: ReadonlySet<string> = new Set(
  [...functionNames].filter((name) => !unsupportedFunctions.has(name) && isSupported(name)),
);

function isSupported(name: string): boolean {
  if (
    functionsWithRules.includes(name) ||
    aggregateNames.includes(name) ||
    specialFunctionNames.includes(name) ||
    tableFunctionNames.includes(name)
  )
    return true;
  // Names of macros contain no dot.
  const macro = name.replace('.', '_');
  return macros.has(macro) || macros.has(`${macro}_day`) || macros.has(`${macro}_second`);
}
