import { outsideLiterals } from './tokens.ts';

/**
 * Splits SQL at its semicolons. Each statement keeps its place: what precedes it is replaced by blanks. Declarations
 * of functions, and statements of a script, belong to the statement after them.
 */
export function splitStatements(sql: string): readonly string[] {
  const ends = [...sql.matchAll(outsideLiterals(';'))].flatMap(({ 0: token, index }) =>
    token === ';' ? [index] : [],
  );
  const statements: string[] = [];
  let from = 0;
  let partStart = 0;
  for (const end of [...ends, sql.length]) {
    const code = sql.slice(partStart, end).replace(outsideLiterals('(?!)'), comment).trim();
    const isAlone = from === partStart;
    partStart = end + 1;
    if (declaration.test(code) && end < sql.length) continue;
    if (code !== '' || !isAlone)
      statements.push(sql.slice(0, from).replace(/[^\n]/g, ' ') + sql.slice(from, end));
    from = partStart;
  }
  return statements;
}

const declaration =
  /^(?:declare|set|if|elseif|else|end\s+if|create\s+(or\s+replace\s+)?((temp(orary)?\s+)?(aggregate\s+)?(table\s+)?function|temp(orary)?\s+table))\b/i;

const comment = (token: string) => (/^(#|--|\/\*)/.test(token) ? '' : token);
