/**
 * Characters that people do not see, or that change how the text around them is shown: control characters but line breaks and
 * tabs, bidirectional controls, characters without a width, tags, and the variation selectors that pictures do not need.
 */
const hidden =
  /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u00ad\u200b\u2028\u2029\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e01ef}]|[\ufe00-\ufe0e]/gu;

/** A text of strangers as a model or a terminal may have it: what is hidden is shown as its code, as in `\u{202e}`. */
export const visibleText = (text: string): string =>
  text.replace(hidden, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

/** The same in one line. */
export const visibleLine = (text: string): string =>
  visibleText(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');

/** True if a text, or a JSON text, may have anything that `visibleText` replaces. */
export const mayHide = (json: string): boolean =>
  json.search(hidden) >= 0 || json.includes('\\u') || controls.test(json);

/** As JSON escapes them. */
const controls = /\\[bfr]/;
