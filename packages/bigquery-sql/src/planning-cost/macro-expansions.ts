import {
  type Call,
  callAt,
  type MacroText,
  type MacroTexts,
  nameIn,
  signaturesOf,
  tokensOf,
} from './macro-text.ts';

/**
 * How large DuckDB's plan of an expression becomes. DuckDB copies the expression of an argument to every place where
 * the macro uses its parameter, so that nested calls grow exponentially unless repeated arguments are computed first.
 */
export interface Expansion {
  /** The tokens of the fully expanded body, without its parameters. */
  readonly size: number;
  /** How often each parameter occurs in the fully expanded body. */
  readonly uses: readonly number[];
}

/** Measures the calls of macros, in texts that call them. */
export class MacroExpansions {
  readonly #macros: MacroTexts;
  readonly #known = new Map<MacroText, Expansion>();

  constructor(macros: MacroTexts) {
    this.#macros = macros;
  }

  /** The number of tokens of an expression with all its macros expanded. */
  sizeOf(sql: string): number {
    return sql.includes('bq.') ? this.#measure(tokensOf(sql), []).size : tokensOf(sql).length;
  }

  /** The expansion of a call; undefined if it does not call a macro. */
  expansionOf(callee: string, args: readonly unknown[]): Expansion | undefined {
    const signatures = signaturesOf(callee, args, this.#macros);
    return signatures.length === 0 ? undefined : this.expansionOfCall({ signatures, args });
  }

  #expansionOfOne(macro: MacroText): Expansion {
    const known = this.#known.get(macro);
    if (known !== undefined) return known;
    // Signatures may call each other; a circle would never end in DuckDB either.
    this.#known.set(macro, { size: 0, uses: macro.parameters.map(() => 1) });
    const expansion = this.#measure(
      tokensOf(macro.body),
      macro.parameters.map(({ name }) => name),
    );
    this.#known.set(macro, expansion);
    return expansion;
  }

  /** The largest of the signatures that a call may mean. */
  expansionOfCall({
    signatures,
    args,
  }: Pick<Call, 'signatures'> & { readonly args: readonly unknown[] }): Expansion {
    const expansions = signatures.map((macro) => this.#expansionOfOne(macro));
    return {
      size: Math.max(1, ...expansions.map(({ size }) => size)),
      uses: args.map((_, at) => Math.max(1, ...expansions.map(({ uses }) => uses[at] ?? 1))),
    };
  }

  #measure(tokens: readonly string[], parameters: readonly string[]): Expansion {
    const uses = parameters.map(() => 0);
    let size = 0;
    for (let at = 0; at < tokens.length; at += 1) {
      const call = callAt(tokens, at, this.#macros);
      const parameter = parameters.indexOf(nameIn(tokens[at] ?? ''));
      if (call !== undefined) {
        const expansion = this.expansionOfCall(call);
        size += expansion.size;
        for (const [index, arg] of call.args.entries()) {
          const times = expansion.uses[index] ?? 1;
          const inner = this.#measure(arg, parameters);
          size += inner.size * times;
          addTo(uses, inner.uses, times);
        }
        at = call.end - 1;
      } else if (parameter >= 0) {
        addAt(uses, parameter, 1);
      } else {
        size += 1;
      }
    }
    return { size, uses };
  }
}

function addTo(counts: number[], others: readonly number[], times: number): void {
  for (const [at, count] of others.entries()) addAt(counts, at, count * times);
}

function addAt(counts: number[], at: number, count: number): void {
  counts[at] = (counts[at] ?? 0) + count;
}
