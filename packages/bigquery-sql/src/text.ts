/** Texts of values: JSON with exact keys, decimals, misspelled names. */
export { decimalOf, decimalUnits, numericDigits, parseDecimal } from './text/decimal-text.ts';
export { didYouMean, isAbbreviation, nearestName } from './text/nearest-name.ts';
export { hasEqualNames, parseJson, type Revive, stringEnd } from './text/parse-json.ts';
