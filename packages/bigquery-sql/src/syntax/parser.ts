import { nearestName, shorten } from '@querygate/text';
import { foreignSyntax } from './foreign-syntax.ts';
import { isReserved } from './lexer/keywords.ts';
import type { Token } from './lexer/tokens.ts';
import type { Expression, FromItem, Identifier, Query, Type } from './nodes.ts';
import { clauseWords, isUsedAsName, mayBeName } from './reserved-names.ts';
import { SyntaxProblem } from './syntax-problem.ts';

/** How deep a text may nest: a limit far beyond what people write, and far below the stack. */
const maxNesting = 200;

/** The rules that need each other: expressions hold queries and queries hold expressions. */
export interface Grammar {
  readonly expression: (p: Parser) => Expression;
  readonly operand: (p: Parser) => Expression;
  readonly negation: (p: Parser) => Expression;
  readonly expressionAfter: (p: Parser, start: number, operand: Expression) => Expression;
  readonly type: (p: Parser) => Type;
  readonly query: (p: Parser) => Query;
  readonly queryAfter: (p: Parser, start: number, query: Query) => Query;
  readonly fromItem: (p: Parser) => FromItem;
}

/**
 * The tokens of a text and the place reached in them. It goes forward only: each rule decides by the next few tokens,
 * so that the time is linear in the text.
 */
export class Parser {
  readonly #tokens: readonly Token[];
  readonly #grammar: Grammar;
  #at = 0;
  #end = 0;
  #nesting = 0;
  #positions = 0;

  constructor(tokens: readonly Token[], grammar: Grammar) {
    this.#tokens = tokens;
    this.#grammar = grammar;
  }

  // ————— The place —————

  /** The next token. */
  get token(): Token {
    return this.peek(0);
  }

  /** The token after `count` others; beyond the end, the last one. */
  peek(count: number): Token {
    return (this.#tokens[this.#at + count] ?? this.#tokens.at(-1)) as Token;
  }

  /** Where the next token starts: the start of the node that is read next. */
  get start(): number {
    return this.token.start;
  }

  /** Where the token before ends: the end of the node that was read last. */
  get end(): number {
    return this.#end;
  }

  /** True if the next tokens are these keywords and symbols. */
  at(key: string, ...following: readonly string[]): boolean {
    return this.token.key === key && following.every((other, index) => this.peek(index + 1).key === other);
  }

  atOneOf(keys: ReadonlySet<string>, ahead = 0): boolean {
    return keys.has(this.peek(ahead).key);
  }

  /** True if a token is a name: in backquotes, or a word that is not reserved. */
  atName(ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.kind === 'quoted name' || (token.kind === 'word' && !isReserved(token.key));
  }

  /** True at a reserved word that is used as a name, which only backquotes make of it. */
  atUnquotedName(): boolean {
    return isUsedAsName(this.#ahead);
  }

  // ————— Forward —————

  next(): Token {
    const token = this.token;
    this.#at += 1;
    this.#end = token.end;
    return token;
  }

  /** Reads these keywords and symbols if they come next, all or none. */
  accept(key: string, ...following: readonly string[]): boolean {
    if (!this.at(key, ...following)) return false;
    for (let count = 0; count <= following.length; count += 1) this.next();
    return true;
  }

  expect(key: string, expected = `"${key}"`): void {
    if (!this.accept(key)) this.fail(expected);
  }

  /** Reads one of these keywords. */
  expectOneOf<Key extends string>(keys: readonly Key[]): Key {
    const key = keys.find((candidate) => candidate === this.token.key);
    if (key === undefined) return this.fail(alternatives(keys));
    this.next();
    return key;
  }

  acceptOneOf<Key extends string>(keys: readonly Key[]): Key | undefined {
    const key = keys.find((candidate) => candidate === this.token.key);
    if (key !== undefined) this.next();
    return key;
  }

  name(expected = 'a name'): Identifier {
    return this.atName() ? this.anyName() : this.failName(expected);
  }

  /** A name where reserved words are names too: after a dot, and after `@`. */
  anyName(expected = 'a name'): Identifier {
    const token = this.token;
    if (token.kind !== 'word' && token.kind !== 'quoted name') return this.fail(expected);
    this.next();
    const { start, end } = token;
    return token.kind === 'word'
      ? { kind: 'Identifier', start, end, name: token.text, quoted: false }
      : { kind: 'Identifier', start, end, name: token.name, quoted: true };
  }

  /** `AS name`, or a name alone. */
  alias(): Identifier | undefined {
    if (this.accept('AS')) return this.name('a name after AS');
    return this.atName() ? this.anyName() : undefined;
  }

  /** One item or more, with commas between. */
  list<Item>(item: () => Item): readonly Item[] {
    const items = [item()];
    while (this.accept(',')) items.push(item());
    return items;
  }

  /** One item or more in parentheses. */
  parenthesizedList<Item>(item: () => Item): readonly Item[] {
    this.expect('(');
    const items = this.list(item);
    this.close();
    return items;
  }

  /** The parenthesis after a list. */
  close(): void {
    this.expect(')', '")" or ","');
  }

  /** The number of the next `?`. */
  nextPosition(): number {
    this.#positions += 1;
    return this.#positions - 1;
  }

  // ————— Rules that need each other —————

  expression(): Expression {
    return this.nested(this.#grammar.expression);
  }

  /** An operand of a comparison: no comparison, NOT, AND or OR outside parentheses. */
  operand(): Expression {
    return this.nested(this.#grammar.operand);
  }

  /** `NOT …`. */
  negation(): Expression {
    return this.#grammar.negation(this);
  }

  /** The rest of an expression whose first operand has been read. */
  expressionAfter(start: number, operand: Expression): Expression {
    return this.#grammar.expressionAfter(this, start, operand);
  }

  type(): Type {
    return this.nested(this.#grammar.type);
  }

  query(): Query {
    return this.nested(this.#grammar.query);
  }

  /** The rest of a query whose first part has been read, in parentheses. */
  queryAfter(start: number, query: Query): Query {
    return this.#grammar.queryAfter(this, start, query);
  }

  /** A table or anything else that can be a side of a join. */
  fromItem(): FromItem {
    return this.nested(this.#grammar.fromItem);
  }

  /** Runs a rule that may be reached again from within itself. */
  nested<Result>(rule: (p: Parser) => Result): Result {
    if (this.#nesting === maxNesting) {
      return this.problem(this.start, `expected at most ${maxNesting} levels of nesting, found more`);
    }
    this.#nesting += 1;
    const result = rule(this);
    this.#nesting -= 1;
    return result;
  }

  // ————— Problems —————

  /** Throws: the grammar does not allow the next token here. */
  fail(expected: string, token = this.token): never {
    if (token.kind === 'invalid') throw token.problem;
    const foreign = token === this.token ? this.#foreign() : undefined;
    const hint = foreign === undefined ? hintFor(token, expected, this.#ahead(-1)) : `: ${foreign}`;
    return this.problem(token.start, `expected ${expected}, found ${describe(token)}${hint}`);
  }

  /** The advice on foreign syntax at this place: what GoogleSQL writes instead. */
  #foreign(): string | undefined {
    return foreignSyntax(this.#ahead);
  }

  readonly #ahead = (distance: number): Token | undefined => this.#tokens[this.#at + distance];

  /** Like `fail`, where a name is possible: a reserved word is one in backquotes. */
  failName(expected: string): never {
    const { token } = this;
    const isMeant = this.atUnquotedName() || (mayBeName(this.#ahead) && this.#foreign() === undefined);
    if (token.kind !== 'word' || !isMeant) return this.fail(expected);
    return this.problem(
      token.start,
      `expected ${expected}, found "${token.text}", a reserved word: for a name, write \`${token.text}\` in backquotes`,
    );
  }

  problem(offset: number, message: string): never {
    throw new SyntaxProblem(offset, message);
  }
}

/** `"A", "B" or "C"`. */
function alternatives(keys: readonly string[]): string {
  const quoted = keys.map((key) => `"${key}"`);
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`;
}

/** A misspelt clause may have been read as an alias, so that the next token is not expected. */
function hintFor(token: Token, expected: string, before: Token | undefined): string {
  const clause = before && clauseMeant(before);
  if (clause !== undefined && before) return `; did you mean ${clause} for ${before.key.toLowerCase()}?`;
  if (token.kind === 'string' && /\bname\b/.test(expected)) return ': a name is written in backquotes';
  const meant = clauseMeant(token);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}

const clauseMeant = (token: Token): string | undefined =>
  token.kind !== 'word' || token.key.length < 4 || clauseWords.includes(token.key)
    ? undefined
    : nearestName(token.key, clauseWords, 1);

const longestShown = 40;

function describe(token: Token): string {
  switch (token.kind) {
    case 'end':
    case 'invalid':
      return 'the end of the text';
    case 'string':
      return 'a string';
    case 'bytes':
      return 'a bytes literal';
    case 'quoted name':
      return `the name \`${shorten(token.name, longestShown)}\``;
    case 'symbol':
      return `"${token.key}"`;
    default:
      return `"${shorten(token.text, longestShown)}"`;
  }
}
