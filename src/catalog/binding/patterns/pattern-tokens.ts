import { re2Token } from './re2.ts';

/** RE2's tokens, and the placeholder as one token (except inside a class or an escape as in `\p{…}`). */
export function tokensOf(pattern: string, placeholder: string): readonly string[] {
  return pattern.match(new RegExp(`${RegExp.escape(placeholder)}|${re2Token.source}`, re2Token.flags)) ?? [];
}

/** For each token, the number of groups around it. */
export function groupDepths(tokens: readonly string[]): readonly number[] {
  let depth = 0;
  return tokens.map((token) => {
    if (token === ')') depth -= 1;
    const here = depth;
    if (token === '(') depth += 1;
    return here;
  });
}

export function isQuantifier(token = ''): boolean {
  return /^(?:[?*+{]|\{\d[\d,]*\})$/.test(token);
}

/** The one character that a token matches: itself, or the punctuation after a backslash. */
export function literalOf(token = ''): string | undefined {
  if (/^\\[^\w\s]$/.test(token)) return token.slice(1);
  return token.length > 0 && /^[^\\^$.|?*+()[\]{}]$/su.test(token) ? token : undefined;
}

/** More texts than any pattern needs in front of its tenant. */
const maxTexts = 64;

/**
 * The texts that tokens match, if they are literal characters, groups, alternatives and `?`: what may precede a tenant.
 *
 * @returns undefined for anything else, and for too many texts
 */
export function textsOf(tokens: readonly string[]): readonly string[] | undefined {
  let at = 0;
  const alternatives = (): readonly string[] => {
    const done: string[] = [];
    let texts: readonly string[] = [''];
    for (; at < tokens.length && tokens[at] !== ')'; at += 1) {
      if (tokens[at] === '|') {
        done.push(...texts);
        texts = [''];
        continue;
      }
      const next = atom();
      if (texts.length * next.length > maxTexts) throw new Unsupported();
      texts = texts.flatMap((text) => next.map((more) => text + more));
    }
    return [...done, ...texts];
  };
  /** Ends at the last token of the atom, a `?` included. */
  const atom = (): readonly string[] => {
    const texts = tokens[at] === '(' ? group() : literal();
    if (tokens[at + 1] !== '?') return texts;
    while (tokens[at + 1] === '?') at += 1;
    return ['', ...texts];
  };
  const group = () => {
    at += tokens[at + 1] === '?' ? 3 : 1;
    const texts = alternatives();
    if (tokens[at] !== ')') throw new Unsupported();
    return texts;
  };
  const literal = () => {
    const text = literalOf(tokens[at]);
    if (text === undefined) throw new Unsupported();
    return [text];
  };
  try {
    const texts = alternatives();
    return at === tokens.length && texts.length <= maxTexts ? texts : undefined;
  } catch (error) {
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
}

class Unsupported extends Error {}
