const beyondAscii = /[^\0-\x7f]/;

/**
 * The form in which names of SQL that are the same are equal. GoogleSQL and DuckDB ignore the case of ASCII letters only:
 * JavaScript's lower case would make `k` of U+212A, and one name of two.
 */
export function foldName(name: string): string {
  const lower = name.toLowerCase();
  // Most names have no capitals, and need no search.
  if (lower === name || !beyondAscii.test(name)) return lower;
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The same in upper case, as words of the language are listed. */
export const upperName = (name: string): string =>
  name.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
