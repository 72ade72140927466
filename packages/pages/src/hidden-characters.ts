/**
 * Characters that cannot be seen, or that change how the text around them is shown. Line breaks and tabs are not among them.
 * The same as those of `visibleText` in `@querygate/text`.
 */
export const hiddenCharacter =
  /(?!\n|\t|\u200c|\u200d|\ufe0f)[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]|(?<=\u200c|\u200d)(?:\u200c|\u200d)|(?:\u200c|\u200d)(?=\u200c|\u200d)/gu;

/** As in `U+202E`. */
export const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** A text on one line whose hidden characters are codes. */
export const plainText = (text: string): string =>
  text.replace(hiddenCharacter, codeOf).replace(/\s+/g, ' ').toWellFormed();
