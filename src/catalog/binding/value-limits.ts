/** The longest value that a parameter may have, in characters. */
export const maxValueLength = 4_096;

/** The most values that a header may allow for a list. */
export const maxListItems = 10_000;

/** The most values of a list whose header does not say. */
export const defaultMaxItems = 1_000;

/** Characters of all values of a list together: they are part of the cache key. */
export const maxListLength = 65_536;

/**
 * The same for a list whose values must match a pattern, and the characters of such a pattern with its counts expanded. RE2JS
 * takes up to 40 ns for a character of each: 170 ms for the worst pattern and list.
 */
export const maxMatchedLength = 16_384;
export const maxBoundPatternLength = 256;

/** The most columns that rows can be filtered or ordered by: input objects of GraphQL have a member for each. */
export const maxMarkedColumns = 500;
