/** The longest value that a parameter may have, in characters. */
export const maxValueLength = 4_096;

/** The most values that a header may allow for a list. */
export const maxListItems = 10_000;

/** The most values of a list whose header does not say. */
export const defaultMaxItems = 1_000;

/** Characters of all values of a list together: they are part of the cache key. */
export const maxListLength = 65_536;
