import {
  callAt,
  type MacroText,
  type MacroTexts,
  nameIn,
  signaturesOf,
  tokensOf,
} from '../planning-cost/macro-text.ts';

/** Finds the parameters that macros use inside the body of a lambda, directly or through other macros. */
export class CapturedParameters {
  readonly #macros: MacroTexts;
  readonly #known = new Map<MacroText, ReadonlySet<number>>();

  constructor(macros: MacroTexts) {
    this.#macros = macros;
  }

  /** True if a macro has its argument at a position in the body of a lambda. */
  includes(callee: string, args: readonly unknown[], position: number): boolean {
    return signaturesOf(callee, args, this.#macros).some((macro) => this.#of(macro).has(position));
  }

  /** The positions of these parameters. */
  #of(macro: MacroText): ReadonlySet<number> {
    const known = this.#known.get(macro);
    if (known) return known;
    // Signatures may call each other.
    this.#known.set(macro, new Set());
    const names = macro.parameters.map(({ name }) => name);
    const captured = new Set(this.#capturedIn(tokensOf(macro.body), names, false));
    this.#known.set(macro, captured);
    return captured;
  }

  #capturedIn(tokens: readonly string[], names: readonly string[], isInside: boolean): readonly number[] {
    const captured: number[] = [];
    for (let at = 0; at < tokens.length; at += 1) {
      const call = callAt(tokens, at, this.#macros);
      if (tokens[at] === 'lambda') {
        const { parameters, body, end } = lambdaAt(tokens, at);
        const visible = names.map((name) => (parameters.includes(name) ? '' : name));
        captured.push(...this.#capturedIn(body, visible, true));
        at = end - 1;
      } else if (call) {
        for (const [position, arg] of call.args.entries()) {
          const isCaptured = call.signatures.some((macro) => this.#of(macro).has(position));
          captured.push(...this.#capturedIn(arg, names, isInside || isCaptured));
        }
        at = call.end - 1;
      } else if (isInside) {
        const position = names.indexOf(nameIn(tokens[at] ?? ''));
        if (position >= 0) captured.push(position);
      }
    }
    return captured;
  }
}

/** The lambda that begins at a token: its body ends where the next argument begins, or the call ends. */
function lambdaAt(tokens: readonly string[], at: number) {
  const start = tokens.indexOf(':', at) + 1;
  let end = start;
  for (let depth = 0; end < tokens.length; end += 1) {
    const token = tokens[end] ?? '';
    if (depth === 0 && (token === ',' || token === ')')) break;
    if ('([{'.includes(token)) depth += 1;
    if (')]}'.includes(token)) depth -= 1;
  }
  return { parameters: tokens.slice(at + 1, start - 1), body: tokens.slice(start, end), end };
}
