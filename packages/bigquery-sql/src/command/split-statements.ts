import { outsideLiterals } from './tokens.ts';

/**
 * Splits SQL at its semicolons, except for those in blocks of a script: BEGIN … END, LOOP … END LOOP and the like. Each
 * statement keeps its place: what precedes it is replaced by blanks. Declarations of functions, and statements of a
 * script, belong to the statement after them.
 */
export function splitStatements(sql: string): readonly string[] {
  const statements: string[] = [];
  let from = 0;
  let partStart = 0;
  for (const end of [...endsOf(sql), sql.length]) {
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
  /^(?:declare|set|if|create\s+(or\s+replace\s+)?((temp(orary)?\s+)?(aggregate\s+)?(table\s+)?function|temp(orary)?\s+table))\b/i;

const comment = (token: string) => (/^(#|--|\/\*)/.test(token) ? '' : token);

/** The offsets of the semicolons that end a statement. */
function endsOf(sql: string): readonly number[] {
  const ends: number[] = [];
  // True for a block of statements, false for a CASE expression.
  const open: boolean[] = [];
  let isFirst = true;
  let isProcedure = false;
  let before = '';
  for (const { 0: text, index } of sql.matchAll(tokens)) {
    const word = text.toUpperCase();
    if (comment(text) === '') continue;
    const opens =
      (isFirst && blockWords.has(word)) ||
      (isProcedure && open.length === 0 && word === 'BEGIN') ||
      word === 'CASE';
    if (before === 'END' && blockWords.has(word)) isFirst = false;
    else if (isTransaction(before, word) && isFirst) open.pop();
    else if (opens) open.push(isFirst || word === 'BEGIN');
    else if (word === 'END') open.pop();
    if (word === 'PROCEDURE' && before !== 'CALL') isProcedure = true;
    if (word === ';' && open.length === 0) {
      ends.push(index);
      isProcedure = false;
    }
    isFirst = word === ';' || (open.at(-1) === true && firstAfter.has(word) && before !== 'END');
    before = word;
  }
  return ends;
}

/** Words, semicolons, and other characters that are not blanks; a name after a dot is not a keyword. */
const tokens = outsideLiterals(String.raw`[.@]?[a-z_]\w*|[^\s\w]`);

/** With which a block begins that END closes. */
const blockWords: ReadonlySet<string> = new Set(['BEGIN', 'CASE', 'FOR', 'IF', 'LOOP', 'REPEAT', 'WHILE']);

/** After which another statement begins within a block. */
const firstAfter: ReadonlySet<string> = new Set(['BEGIN', 'DO', 'ELSE', 'LOOP', 'REPEAT', 'THEN']);

/** `BEGIN;` and `BEGIN TRANSACTION` open no block. */
const isTransaction = (before: string, word: string): boolean =>
  before === 'BEGIN' && (word === ';' || word === 'TRANSACTION');
