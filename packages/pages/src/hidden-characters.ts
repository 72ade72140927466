/**
 * Characters that cannot be seen, or that change how the text around them is shown. Line breaks and tabs are not among them.
 * The same as those of `visibleText` in `@querygate/text`.
 */
export const hiddenCharacter =
  /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u00ad\u200b\u2028\u2029\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e01ef}]|[\ufe00-\ufe0e]/gu;

/** As in `U+202E`. */
export const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** A text on one line whose hidden characters are codes. */
export const plainText = (text: string): string =>
  text.replace(hiddenCharacter, codeOf).replace(/\s+/g, ' ').toWellFormed();
