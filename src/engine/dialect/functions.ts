import { functionNames } from './function-names.ts';
import { macros } from './macros.ts';
import { refusedFunctions } from './refused.ts';
import { aggregateNames } from './rules/aggregates.ts';
import { formNames } from './rules/forms.ts';

/** Functions that the grammar knows by themselves; each has a rule. */
const written = ['array', 'cast', 'safe_cast', 'extract'];

/** Every function that a query may call, in lower case. */
export const supportedFunctions: ReadonlySet<string> = new Set(
  [...functionNames].filter((name) => !refusedFunctions.has(name) && isTold(name)),
);

function isTold(name: string): boolean {
  if (written.includes(name) || aggregateNames.includes(name) || formNames.includes(name)) return true;
  // A macro's name has no dot.
  const macro = name.replace('net.', 'net_');
  return macros.has(macro) || macros.has(`${macro}_day`) || macros.has(`${macro}_second`);
}
