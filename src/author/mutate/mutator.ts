import { type Syntax, type Token, tokenize } from '@querygate/bigquery-sql/syntax';

/** One small change of a query that probably makes it wrong. */
export interface Mutation {
  /** The offsets of the text that is replaced. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly kind:
    | 'operator'
    | 'condition'
    | 'bound'
    | 'join'
    | 'enum case'
    | 'text'
    | 'order'
    | 'aggregate'
    | 'set';
  /** As people read it: `>= → >`. */
  readonly change: string;
  readonly sql: string;
}

/** Collects the changes of a query. */
export interface Mutator {
  readonly mutations: Mutation[];
  readonly sql: string;
  /** The first token of the given kinds between two offsets. */
  tokenIn(from: number, to: number, ...keys: readonly string[]): Token | undefined;
  /** @param shown what people see of the change; by default the place itself */
  replace(kind: Mutation['kind'], place: Syntax.Located, text: string, shown?: Syntax.Located): void;
}

export function buildMutator(sql: string): Mutator {
  const tokens = tokenize(sql);
  const mutations: Mutation[] = [];
  return {
    mutations,
    sql,
    tokenIn: (from, to, ...keys) =>
      tokens.find(({ start, end, key }) => start >= from && end <= to && keys.includes(key)),
    replace(kind, { start, end }, text, shown = { start, end }) {
      const before = oneLine(sql.slice(shown.start, shown.end));
      const after = oneLine(sql.slice(shown.start, start) + text + sql.slice(end, shown.end));
      mutations.push({
        start,
        end,
        text,
        kind,
        change: `${before || '(nothing)'} → ${after || '(nothing)'}`,
        sql: sql.slice(0, start) + text + sql.slice(end),
      });
    },
  };
}

const maxShown = 80;

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > maxShown ? `${line.slice(0, maxShown / 2)} … ${line.slice(-maxShown / 2)}` : line;
}
