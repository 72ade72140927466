import { aggregateNames } from '../src/engine/dialect/functions/aggregates.ts';
import { functionNames } from '../src/engine/dialect/functions/function-names.ts';
import { specialFunctionNames } from '../src/engine/dialect/functions/special-functions.ts';
import { unsupportedFunctions } from '../src/engine/dialect/functions/unsupported-names.ts';
import { macros } from '../src/engine/dialect/macros/macros.ts';

/** Functions that the grammar knows by themselves; each has a rule. */
const written = ['array', 'cast', 'safe_cast', 'extract'];

/** Every function that a query may call, in lower case. */
export const supportedFunctions: ReadonlySet<string> = new Set(
  [...functionNames].filter((name) => !unsupportedFunctions.has(name) && isTold(name)),
);

function isTold(name: string): boolean {
  if (written.includes(name) || aggregateNames.includes(name) || specialFunctionNames.includes(name))
    return true;
  // A macro's name has no dot.
  const macro = name.replace('net.', 'net_');
  return macros.has(macro) || macros.has(`${macro}_day`) || macros.has(`${macro}_second`);
}
