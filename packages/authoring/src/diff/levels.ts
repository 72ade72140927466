/**
 * The effect of a change on callers that do not change:
 *
 * - breaking: requests fail, or answers cannot be read as before;
 * - dangerous: requests succeed, but rows may be others, or other callers may read them;
 * - safe: no caller needs to know.
 */
export const levels = ['breaking', 'dangerous', 'safe'] as const;

export type Level = (typeof levels)[number];

/** The more severe of two levels. */
export const worse = (a: Level, b: Level): Level => (levels.indexOf(a) <= levels.indexOf(b) ? a : b);
