import { macroName } from './macro-name.ts';
import type { Macro } from './parse-macros.ts';

/**
 * How large DuckDB's plan of an expression becomes. DuckDB copies the expression of an argument to every place where
 * the macro uses its parameter, so that nested calls grow exponentially unless repeated arguments are computed first.
 */
export interface Expansion {
  /** The tokens of the fully expanded body, without its parameters. */
  readonly size: number;
  /** How often each parameter occurs in the fully expanded body. */
  readonly uses: readonly number[];
  /** The tokens that DuckDB binds for one call, without those of the arguments. */
  readonly work: number;
  /**
   * How often DuckDB binds each argument: at each place where the body uses it, and once more to find the signature by its
   * type. The same holds for the calls in the body, so that nested calls take exponentially long, however short they are.
   */
  readonly binds: readonly number[];
}

type Macros = ReadonlyMap<string, readonly Macro[]>;

const tokenPattern =
  /\be'(?:[^'\\]|\\.)*'|'(?:[^']|'')*'|bq\."[^"]+"|"(?:[^"]|"")*"|\$\w+|[a-z_][\w.]*(?:\[\d+\])?|\d+(?:\.\d+)?(?:e[+-]?\d+)?|->>?|\|\||::|:=|<>|[<>]=|<<|>>|\/\/|[^\s\w]/gi;

/** The tokens of DuckDB SQL. */
export const tokensOf = (sql: string): readonly string[] => sql.match(tokenPattern) ?? [];

/** The name with which a token begins that reads a value or a part of it: `a`, `a.b`, `a[1]`. */
export const nameIn = (token: string): string => token.split(/[.[]/, 1)[0] ?? '';

/** A call of a macro inside a text. */
export interface Call {
  readonly callee: string;
  /** The signatures that the call may mean. */
  readonly signatures: readonly Macro[];
  /** The tokens of each argument. */
  readonly args: readonly (readonly string[])[];
  /** The position after its closing parenthesis. */
  readonly end: number;
}

/** The call that begins at a token; undefined if none does. */
export function callAt(tokens: readonly string[], at: number, macros: Macros): Call | undefined {
  const callee = tokens[at] ?? '';
  if (!callee.startsWith('bq.') || tokens[at + 1] !== '(') return undefined;
  const { args, end } = argumentsAt(tokens, at + 2);
  return { callee, signatures: signaturesOf(callee, args, macros), args, end };
}

/** The signatures that a call may mean; none if it is not one of a macro. */
export const signaturesOf = (callee: string, args: readonly unknown[], macros: Macros): readonly Macro[] =>
  (macros.get(macroName(callee) ?? '') ?? []).filter(
    (macro) => macro.parameters.length === args.length && (!callee.includes('"') || macro.callee === callee),
  );

function argumentsAt(tokens: readonly string[], from: number): Pick<Call, 'args' | 'end'> {
  const args: string[][] = [[]];
  let depth = 0;
  let at = from;
  for (; at < tokens.length; at += 1) {
    const token = tokens[at] ?? '';
    if (token === ')' && depth === 0) break;
    if ('([{'.includes(token)) depth += 1;
    if (')]}'.includes(token)) depth -= 1;
    if (token === ',' && depth === 0) args.push([]);
    else args.at(-1)?.push(token);
  }
  return { args: args.length === 1 && args[0]?.length === 0 ? [] : args, end: at + 1 };
}

/** Measures texts that call these macros. */
export class MacroSizes {
  readonly #macros: Macros;
  readonly #expansions = new Map<Macro, Expansion>();

  constructor(macros: Macros) {
    this.#macros = macros;
  }

  /** The number of tokens of an expression with all its macros expanded. */
  sizeOf(sql: string): number {
    return sql.includes('bq.') ? this.#measure(tokensOf(sql), []).size : tokensOf(sql).length;
  }

  expansionOf(macro: Macro): Expansion {
    const known = this.#expansions.get(macro);
    if (known !== undefined) return known;
    // Signatures may call each other; a circle would never end in DuckDB either.
    const uses = macro.parameters.map(() => 1);
    this.#expansions.set(macro, { size: 0, uses, work: 0, binds: uses });
    const body = this.#measure(
      tokensOf(macro.body),
      macro.parameters.map(({ name }) => name),
    );
    const expansion = { ...body, binds: body.binds.map((count) => count + 1) };
    this.#expansions.set(macro, expansion);
    return expansion;
  }

  /** The largest of the signatures that a call may mean. */
  expansionOfCall({ signatures, args }: Pick<Call, 'signatures' | 'args'>): Expansion {
    const expansions = signatures.map((macro) => this.expansionOf(macro));
    return {
      size: Math.max(1, ...expansions.map(({ size }) => size)),
      uses: args.map((_, at) => Math.max(1, ...expansions.map(({ uses }) => uses[at] ?? 1))),
      work: Math.max(1, ...expansions.map(({ work }) => work)),
      binds: args.map((_, at) => Math.max(1, ...expansions.map(({ binds }) => binds[at] ?? 1))),
    };
  }

  #measure(tokens: readonly string[], parameters: readonly string[]): Expansion {
    const uses = parameters.map(() => 0);
    const binds = parameters.map(() => 0);
    let size = 0;
    let work = 0;
    for (let at = 0; at < tokens.length; at += 1) {
      const call = callAt(tokens, at, this.#macros);
      const parameter = parameters.indexOf(nameIn(tokens[at] ?? ''));
      if (call !== undefined) {
        const expansion = this.expansionOfCall(call);
        size += expansion.size;
        work += expansion.work;
        for (const [index, arg] of call.args.entries()) {
          const [usedTimes = 1, boundTimes = 1] = [expansion.uses[index], expansion.binds[index]];
          const inner = this.#measure(arg, parameters);
          size += inner.size * usedTimes;
          work += inner.work * boundTimes;
          addTo(uses, inner.uses, usedTimes);
          addTo(binds, inner.binds, boundTimes);
        }
        at = call.end - 1;
      } else if (parameter >= 0) {
        addAt(uses, parameter, 1);
        addAt(binds, parameter, 1);
      } else {
        size += 1;
        work += 1;
      }
    }
    return { size, uses, work, binds };
  }
}

function addTo(counts: number[], others: readonly number[], times: number): void {
  for (const [at, count] of others.entries()) addAt(counts, at, count * times);
}

function addAt(counts: number[], at: number, count: number): void {
  counts[at] = (counts[at] ?? 0) + count;
}
