const beyondAscii = /[^\0-\x7f]/;

/**
 * The form in which names of SQL that are the same are equal. GoogleSQL and DuckDB ignore the case of ASCII letters only:
 * JavaScript's lower case would make `k` of U+212A, and one name of two.
 */
export const foldName = (name: string): string =>
  beyondAscii.test(name) ? name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : name.toLowerCase();
