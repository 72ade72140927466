import { outsideLiterals } from './tokens.ts';

/**
 * Splits SQL at its semicolons. Each statement keeps its place: what precedes it is replaced by blanks. Declarations
 * of functions belong to the statement after them.
 */
export function splitStatements(sql: string): readonly string[] {
  const ends = [...sql.matchAll(outsideLiterals(';'))].flatMap(({ 0: token, index }) =>
    token === ';' ? [index] : [],
  );
  const statements: string[] = [];
  let from = 0;
  for (const end of [...ends, sql.length]) {
    const text = sql.slice(from, end);
    const code = text.replace(outsideLiterals('(?!)'), comment).trim();
    if (code === '' || (declaration.test(code) && end < sql.length)) {
      if (code === '') from = end + 1;
      continue;
    }
    statements.push(sql.slice(0, from).replace(/[^\n]/g, ' ') + text);
    from = end + 1;
  }
  return statements;
}

const declaration =
  /^create\s+(or\s+replace\s+)?(temp(orary)?\s+)?(aggregate\s+)?(table\s+)?function\b[^;]*$/i;

const comment = (token: string) => (/^(#|--|\/\*)/.test(token) ? '' : token);
