import { RE2JS } from 're2js';

/**
 * One token of an RE2 pattern: `\Q…\E`, an escape, a class, a count as in `{1,5}`, or one character. A class or an escape
 * that is not closed extends to the end, as RE2 reads it before it rejects it: looking for its end from each `[` of many
 * would take quadratic time.
 *
 * @see https://github.com/google/re2/wiki/Syntax
 */
export const re2Token =
  /\\Q(?<quoted>.*?)(?:\\E|$)|\\[pPx]\{[^}]*(?:\}|$)|\\.?|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*(?:\]|\\?$)|\{(?<low>\d+)(?<open>,(?<high>\d*))?\}|./gsu;

/** Why a text is not a pattern that RE2 compiles; undefined if it is one. */
export function re2Problem(text: string): string | undefined {
  try {
    RE2JS.compile(text);
    return undefined;
  } catch (error) {
    const reason =
      error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'not valid';
    return `must be a regular expression in RE2 syntax (${reason.slice(0, 100)})`;
  }
}

/**
 * A pattern that matches a text literally: RE2 takes a backslash before any ASCII character but letters and digits.
 */
export function escapeForRe2(text: string): string {
  return text.replace(/[^A-Za-z0-9_\u0080-\u{10FFFF}]/gu, (character) => `\\${character}`);
}
