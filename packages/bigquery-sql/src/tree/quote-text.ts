/** A text as DuckDB expression. DuckDB's parser ends a statement at a NUL byte, so such a character is computed. */
export function quoteText(text: string): string {
  const quoted = `'${text.replaceAll("'", "''").replaceAll('\0', "' || chr(0) || '")}'`;
  return text.includes('\0') ? `(${quoted})` : quoted;
}
