import { quoteShort } from '@querygate/text';
import { type ArgumentReader, invalid, type Operator } from './argument-reader.ts';
import type { Condition } from '../row-arguments.ts';

/** The operators of PostgREST, and `ne` as GraphQL has it. */
export const operators: Readonly<Record<string, Operator>> = {
  eq: 'eq',
  neq: 'ne',
  ne: 'ne',
  lt: 'lt',
  lte: 'lte',
  gt: 'gt',
  gte: 'gte',
  like: 'like',
  in: 'in',
  is: 'isNull',
};

/** Those of PostgREST that the rows of a result have not. */
const otherOperators = [
  ...['ilike', 'match', 'imatch', 'isdistinct', 'fts', 'plfts', 'phfts', 'wfts'],
  ...['cs', 'cd', 'ov', 'sl', 'sr', 'nxr', 'nxl', 'adj'],
];

/** Words of other languages that callers write instead of these operators. */
const meanings: Readonly<Record<string, string>> = {
  '=': 'eq',
  '==': 'eq',
  '!=': 'neq',
  '<>': 'neq',
  '<': 'lt',
  '<=': 'lte',
  '>': 'gt',
  '>=': 'gte',
  '=~': 'like',
  '~': 'like',
  equal: 'eq',
  equals: 'eq',
  exact: 'eq',
  iexact: 'eq',
  not: 'neq',
  noteq: 'neq',
  notequal: 'neq',
  notequals: 'neq',
  ge: 'gte',
  min: 'gte',
  from: 'gte',
  since: 'gte',
  le: 'lte',
  max: 'lte',
  to: 'lte',
  until: 'lte',
  greaterthan: 'gt',
  after: 'gt',
  lessthan: 'lt',
  before: 'lt',
  contains: 'like',
  icontains: 'like',
  startswith: 'like',
  istartswith: 'like',
  endswith: 'like',
  iendswith: 'like',
  ilike: 'like',
  nin: 'not.in',
  notin: 'not.in',
  isnull: 'is',
  notnull: 'is',
  isnotnull: 'is',
  exists: 'is',
};

/** The operator that a word, or a sign, probably means. */
export function meantOperator(word: string): string | undefined {
  if (Object.hasOwn(operators, word)) return word;
  return Object.hasOwn(meanings, word) ? meanings[word] : undefined;
}

const rightOperator = 'write an operator, as in eq.1, gte.1, in.(1,2), like.a*, is.null or not.eq.1';

/** True if a value reads like a condition, as PostgREST has them: `cs.{a}`, `not.fts(english).word`. */
export const isCondition = (text: string): boolean => conditionPattern.test(text);

const conditionPattern = new RegExp(
  String.raw`^(?:not\.)?(?:${[...Object.keys(operators), ...otherOperators].join('|')})(?:\([\w-]*\))?\.`,
);

/**
 * Parses the condition of one column as PostgREST writes it: `gte.400`, `not.in.(a,"b,c")`.
 *
 * @throws GatewayError INVALID_PARAMETER
 * @see https://docs.postgrest.org/en/stable/references/api/tables_views.html#operators
 */
export function parseCondition(reader: ArgumentReader, column: string, text: string): Condition {
  return new ConditionParser(reader, column, text).parseAll((parser) => parser.ofColumn(column, 0, false));
}

/**
 * Parses a tree of conditions: `(a.eq.1,not.and(b.gt.2,c.is.null))`.
 *
 * @param name `and` or `or`, the parameter
 * @throws GatewayError INVALID_PARAMETER
 */
export function parseTree(reader: ArgumentReader, name: 'and' | 'or', text: string): Condition {
  return new ConditionParser(reader, name, text).parseAll((parser) => parser.tree(name, 0));
}

class ConditionParser {
  readonly #reader: ArgumentReader;
  /** For messages. */
  readonly #name: string;
  readonly #text: string;
  #at = 0;

  constructor(reader: ArgumentReader, name: string, text: string) {
    this.#reader = reader;
    this.#name = name;
    this.#text = text;
  }

  parseAll(parse: (parser: this) => Condition): Condition {
    const condition = parse(this);
    if (this.#at < this.#text.length) throw this.#wrong('the end');
    return condition;
  }

  tree(kind: 'and' | 'or', depth: number): Condition {
    this.#reader.limitDepth(depth);
    this.#expect('(');
    const conditions: Condition[] = [];
    do conditions.push(this.#member(depth + 1));
    while (this.#take(','));
    this.#expect(')');
    return this.#reader.both(kind, conditions);
  }

  #member(depth: number): Condition {
    if (this.#take('not.')) return this.#not(depth, () => this.#member(depth + 1));
    for (const kind of ['and', 'or'] as const) {
      if (this.#text.startsWith(`${kind}(`, this.#at)) {
        this.#at += kind.length;
        return this.tree(kind, depth);
      }
    }
    const column = this.#word();
    if (column === '') throw this.#wrong('a column');
    if (!this.#take('.')) throw this.#wrongOperator(column, this.#text.slice(this.#at).trimStart());
    return this.ofColumn(column, depth, true);
  }

  /** @param isMember whether a value ends at a comma or a bracket */
  ofColumn(column: string, depth: number, isMember: boolean): Condition {
    if (this.#take('not.')) return this.#not(depth, () => this.ofColumn(column, depth + 1, isMember));
    const name = this.#word();
    const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
    if (operator === undefined || !this.#take('.'))
      throw this.#wrongOperator(column, this.#text.slice(this.#at - name.length));
    if (operator === 'isNull') return this.#is(column, this.#value(isMember));
    if (operator === 'in') return this.#reader.comparison(column, operator, this.#list());
    const value = this.#value(isMember);
    return this.#reader.comparison(column, operator, [operator === 'like' ? withPercents(value) : value]);
  }

  #not(depth: number, read: () => Condition): Condition {
    this.#reader.limitDepth(depth);
    return { kind: 'not', condition: read() };
  }

  #is(column: string, value: string): Condition {
    switch (value.toLowerCase()) {
      case 'null':
        return this.#reader.comparison(column, 'isNull', ['true']);
      case 'not_null':
        return this.#reader.comparison(column, 'isNull', ['false']);
      case 'true':
      case 'false':
        if (this.#reader.requireFilterable(column).type !== 'boolean')
          throw invalid(column, `is.${value} needs a boolean column`);
        // False for NULL, so that `not.is.true` has the rows with NULL, as IS NOT TRUE in SQL.
        return this.#reader.both('and', [
          this.#reader.comparison(column, 'isNull', ['false']),
          this.#reader.comparison(column, 'eq', [value]),
        ]);
    }
    throw invalid(column, `is.${value.slice(0, 60)}: must be is.null, is.not_null, is.true or is.false`);
  }

  #list(): readonly string[] {
    this.#expect('(');
    const values: string[] = [];
    if (this.#take(')')) return values;
    do values.push(this.#value(true));
    while (this.#take(','));
    this.#expect(')');
    return values;
  }

  #value(isMember: boolean): string {
    if (!isMember) return this.#rest(this.#text.length);
    if (this.#take('"')) return this.#quoted();
    const end = /[,()]/.exec(this.#text.slice(this.#at))?.index;
    return this.#rest(end === undefined ? this.#text.length : this.#at + end);
  }

  #quoted(): string {
    let value = '';
    for (; this.#at < this.#text.length; this.#at += 1) {
      const character = this.#text[this.#at];
      if (character === '"') {
        this.#at += 1;
        return value;
      }
      if (character === '\\') this.#at += 1;
      value += this.#text[this.#at] ?? '';
    }
    throw this.#wrong('"');
  }

  #rest(end: number): string {
    const value = this.#text.slice(this.#at, end);
    this.#at = end;
    return value;
  }

  /** Letters, digits and `_`. */
  #word(): string {
    const end = /\W|$/.exec(this.#text.slice(this.#at))?.index ?? 0;
    return this.#rest(this.#at + end);
  }

  #take(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #expect(text: string): void {
    if (!this.#take(text)) throw this.#wrong(JSON.stringify(text));
  }

  #wrongOperator(column: string, text: string) {
    this.#reader.requireFilterable(column);
    const [postgrest] = /^\w+(?:\([\w-]*\))?(?=\.)/.exec(text) ?? [];
    if (postgrest !== undefined && isCondition(text))
      return invalid(
        column,
        `${postgrest} is not an operator here; these are: ${Object.keys(operators).join(', ')}, each also after not.`,
      );
    const [word = ''] = /^(?:\w+|[=<>!]+)?/.exec(text) ?? [];
    const meant = Object.hasOwn(meanings, word) ? meanings[word] : undefined;
    const nearest = this.#reader.nearest(meant ?? word, Object.keys(operators));
    return invalid(column, `got ${quoteShort(text)}; ${rightOperator}${nearest}`);
  }

  #wrong(expected: string) {
    return invalid(
      this.#name,
      `expected ${expected} at character ${this.#at + 1}, got ${quoteShort(this.#text.slice(this.#at))}`,
    );
  }
}

/** `*` means `%`, which a URL must encode; `\*` is an asterisk. */
const withPercents = (pattern: string): string =>
  pattern.replaceAll(/\\(.)|\*/gsu, (match, escaped: string | undefined) => {
    if (escaped === undefined) return '%';
    return escaped === '*' ? '*' : match;
  });
