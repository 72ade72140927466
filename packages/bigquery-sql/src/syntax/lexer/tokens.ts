import type { SyntaxProblem } from '../syntax-problem.ts';

/** A token of the text, without the blanks and comments before it. */
export type Token = Word | QuotedName | NumberToken | StringToken | BytesToken | SymbolToken | End | Invalid;

interface Place {
  readonly start: number;
  readonly end: number;
  /** A word in upper case or a symbol; empty for the other kinds, so that one comparison finds a keyword. */
  readonly key: string;
}

/** A keyword or a name, which only the grammar distinguishes. */
export interface Word extends Place {
  readonly kind: 'word';
  readonly text: string;
}

export interface QuotedName extends Place {
  readonly kind: 'quoted name';
  readonly name: string;
}

export interface NumberToken extends Place {
  readonly kind: 'integer' | 'float';
  readonly text: string;
}

export interface StringToken extends Place {
  readonly kind: 'string';
  readonly value: string;
}

export interface BytesToken extends Place {
  readonly kind: 'bytes';
  readonly value: Uint8Array;
}

export interface SymbolToken extends Place {
  readonly kind: 'symbol';
}

export interface End extends Place {
  readonly kind: 'end';
}

/** Where the text stops being a sequence of tokens; the last token then. */
export interface Invalid extends Place {
  readonly kind: 'invalid';
  readonly problem: SyntaxProblem;
}
