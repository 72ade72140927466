/**
 * Characters that people do not see, or that change how the text around them is shown: control characters but line breaks and
 * tabs, bidirectional controls, and what is not shown by default, as tags and fillers. The variation selector of pictures is
 * none of them, nor is one joiner, which writing needs; several can carry a text.
 */
const hidden =
  /(?!\n|\t|\u200c|\u200d|\ufe0f)[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]|(?<=\u200c|\u200d)(?:\u200c|\u200d)|(?:\u200c|\u200d)(?=\u200c|\u200d)/gu;

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
