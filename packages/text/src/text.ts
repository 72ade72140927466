/** Texts of values and for people: JSON with exact keys, decimals, misspelled names, what a message shows of a text. */
export {
  type CellTexts,
  depthOf,
  splitList,
  splitObject,
  splitObjects,
  splitRows,
  textOf,
} from './cell-texts.ts';
export { type Decimal, decimalUnits, parseDecimal } from './decimal-text.ts';
export { decodeUtf8, NotUtf8 } from './decode-utf8.ts';
export { type ExactJson, exactText, isList, parseExact } from './exact-json.ts';
export { foldName, upperName } from './fold-name.ts';
export { forbiddenText } from './forbidden-path.ts';
export { lineLongerThan, linesOf } from './lines.ts';
export { didYouMean, isAbbreviation, nearestName } from './nearest-name.ts';
export { hasEqualNames, parseJson, type Revive, stringEnd } from './parse-json.ts';
export { listShort, quoteShort, shorten } from './shorten.ts';
export { mayHide, visibleLine, visibleText } from './visible-text.ts';
