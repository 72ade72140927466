import { literal } from '../../../tree/build.ts';
import { isScalar, scalar } from '../../../types.ts';
import { callMacro } from '../../macro-call.ts';
import type { SpecialFunction } from '../special-function.ts';

/** ROUND and TRUNC of FLOAT64 to a few digits that are a literal have macros of their own, which DuckDB plans faster. */
export const atDigits =
  (name: 'round' | 'trunc'): SpecialFunction =>
  (place, args) => {
    const [value, digits, another] = args;
    const count = digits?.kind === 'literal' && typeof digits.value === 'bigint' ? digits.value : -1n;
    if (!value || another || !isScalar(value.type, 'FLOAT64') || count < 0n || count > 10n)
      return callMacro(place, name, args);
    return callMacro(place, `${name}_at`, [value, literal(scalar('FLOAT64'), `1e${count}`)]);
  };
